import { existsSync } from 'node:fs';
import { UsageError } from '../../cli/ExitError.ts';
import type { SettingsOf } from '../../cli/command.ts';
import { suggest } from '../../wire/didYouMean.ts';
import { readQuery, type REPORT_OPTIONS, type RequestedReport } from '../command/readQuery.ts';
import { openYaml, type Setting } from './openYaml.ts';

/** The settings of a report, as its flags would give them. */
export type ReportSettings = SettingsOf<typeof REPORT_OPTIONS>;

/** One named report of a file. */
export interface SavedReport {
  readonly name: string;
  readonly title: string;
  readonly settings: ReportSettings;
}

/** A file of reports. */
export interface SavedReports {
  /** The label of amounts, such as EUR; the APIs state none. */
  readonly currency: string | null;
  readonly reports: readonly SavedReport[];
}

const TEXTS = ['variant', 'from', 'to', 'period', 'grain', 'sort', 'limit', 'compare'] as const;
const LISTS = ['by', 'metrics'] as const;
const FIELDS = ['title', ...TEXTS, ...LISTS, 'filter', 'chart'] as const;

/** Reads a file of reports, and checks every one of them as `report` would. Throws a `UsageError` that names the line. */
export function readSavedReports(path: string, option = '--file', now: Date = new Date()): SavedReports {
  const { currency, reports } = openYaml(path, option).fields(['currency', 'reports']);
  return {
    currency: currency?.text() ?? null,
    reports: reports?.entries().map(([name, report]) => readSaved(name, report, now)) ?? [],
  };
}

/** The file of the current folder that is read where there is one. */
export const USUAL_FILE = 'reports.yaml';

/** Returns the label of amounts in the file of the current folder; null where there is none, or it is not a file of reports. */
export function usualCurrency(): string | null {
  try {
    return existsSync(USUAL_FILE) ? readSavedReports(USUAL_FILE).currency : null;
  } catch {
    // "reports list" says what is wrong with it.
    return null;
  }
}

/** Returns the report of a name. Throws a `UsageError` with the nearest name. */
export function findSaved({ reports }: SavedReports, name: string, path: string): SavedReport {
  const names = reports.map((report) => report.name);
  const found = reports.find((report) => report.name === name);
  if (found) return found;
  throw new UsageError(
    `${path} has no report "${name}".${names.length === 0 ? ' It has none at all.' : suggest(name, names)}`,
  );
}

function readSaved(name: string, report: Setting, now: Date): SavedReport {
  if (!/^[\w-]{1,60}$/.test(name)) report.fail('is not a name for a report. Use letters, digits and hyphens.');
  const fields = report.fields(FIELDS);
  const texts = Object.fromEntries(TEXTS.map((one) => [one, fields[one]?.text()]));
  const lists = Object.fromEntries(LISTS.map((one) => [one, fields[one]?.texts().join(',')]));
  const filter = fields.filter?.entries().flatMap(([key, value]) => value.list().map((one) => `${key}=${one.text()}`));
  const settings = {
    ...texts,
    ...lists,
    variant: fields.variant?.choice(['channel', 'publisher']) ?? 'channel',
    grain: fields.grain?.choice(['total', 'day', 'week', 'month', 'hour']),
    compare: fields.compare?.choice(['previous', 'year']),
    filter: filter ?? [],
    chart: fields.chart?.choice(['true', 'false']) === 'true',
    output: undefined,
    currency: undefined,
  } as unknown as ReportSettings;
  try {
    readQuery(settings, now);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // The flag that the message begins with is the field of that name.
    const [, flag = '', rest = error.message] = /^--([a-z]+):? (.*)$/s.exec(error.message) ?? [];
    const field = FIELDS.find((one) => one === flag);
    const at = field && fields[field];
    if (at) at.fail(rest);
    report.fail(`is not a valid report. ${error.message}`);
  }
  return { name, title: fields.title?.text() ?? name, settings };
}

/** Returns what a saved report contains today. */
export function queryOf({ settings }: SavedReport, now: Date): RequestedReport {
  return readQuery(settings, now);
}

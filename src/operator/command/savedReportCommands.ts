import { type Command, type Options, readCall, FORMAT } from '../../cli/command.ts';
import { safeText, openTerminal } from '../../cli/output/terminal.ts';
import { print } from '../../cli/output/print.ts';
import { findSaved, readQuery, readSavedReports, USUAL_FILE, type SavedReport, REPORT_OPTIONS } from './readQuery.ts';
import { rangeOf } from '../reports/format.ts';
import { operatorCommand, requireWord } from './operatorCommand.ts';
import { runReport } from './reportCommand.ts';

const FILE = {
  file: {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    default: USUAL_FILE,
    about: `The file with the reports; ${USUAL_FILE} by default.`,
  },
} as const satisfies Options;

const LIST = { ...FILE, ...FORMAT };

/** `offerlet-operator reports list`: the reports of a file, checked. */
export const reportsList: Command = {
  summary: 'Lists the saved reports of a file, after checking them.',
  options: LIST,
  environment: '',
  examples: [{ call: 'offerlet-operator reports list', does: `The reports in ${USUAL_FILE}, and their dates today` }],
  async run({ argv, env }) {
    const { settings } = readCall(LIST, { argv, env: {} });
    const { reports, currency } = readSavedReports(settings.file);
    const rows = reports.map((report) => rowOf(report, new Date()));
    print(
      {
        json: { currency, reports: rows },
        csv: { rows, columns: ['name', 'title', 'from', 'to', 'grain', 'by', 'metrics'] },
        table: () => ({
          columns: [{ header: 'NAME', isFixed: true }, { header: 'TITLE' }, { header: 'DATES' }, { header: 'BY' }],
          rows: rows.map(({ name, title, from, to, by }) => [
            { text: name, tone: 'strong' },
            safeText(title),
            from === '' ? 'the latest 7 days' : rangeOf({ from, to }),
            by,
          ]),
        }),
      },
      { format: settings, terminal: openTerminal({ env }) },
    );
  },
};

function rowOf(
  report: SavedReport,
  now: Date,
): Record<'name' | 'title' | 'from' | 'to' | 'grain' | 'by' | 'metrics', string> {
  const { dates, grain, by, metrics } = readQuery(report.settings, now);
  const { name, title } = report;
  return {
    name,
    title,
    from: dates?.from ?? '',
    to: dates?.to ?? '',
    grain,
    by: by.join(','),
    metrics: metrics?.join(',') ?? '',
  };
}

const { from, to, period, currency, output } = REPORT_OPTIONS;

/** `offerlet-operator reports run NAME`: prints a saved report, as `report` prints it. */
export const reportsRun = operatorCommand({
  summary: 'Prints a saved report by its name.',
  usage: 'NAME [options]',
  maxWords: 1,
  options: { ...FILE, from, to, period, currency, output },
  examples: [
    { call: 'offerlet-operator reports run weekly-losses', does: `The report of that name in ${USUAL_FILE}` },
    { call: 'offerlet-operator reports run by-publisher --period last-month --csv', does: 'The same for other dates' },
  ],
  async run({ settings, words, terminal, connection, progress }) {
    const name = requireWord(words, 'NAME');
    const file = readSavedReports(settings.file);
    const saved = findSaved(file, name, settings.file).settings;
    const hasDates = settings.from !== undefined || settings.to !== undefined || settings.period !== undefined;
    const dates = hasDates ? { from: settings.from, to: settings.to, period: settings.period } : {};
    const { json, csv } = settings;
    // A chart is for people; the rows are the same without it.
    const chart = saved.chart && !json && !csv && !/\.(csv|json)$/i.test(settings.output ?? '');
    await runReport({
      settings: {
        ...saved,
        ...dates,
        chart,
        json,
        csv,
        output: settings.output,
        currency: settings.currency ?? file.currency ?? undefined,
      },
      terminal,
      connection,
      progress,
    });
  },
});

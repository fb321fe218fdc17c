import { ChannelClient } from '../clients/ChannelClient.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import { findPublisherId } from '../command/publisherCommands.ts';
import { readQuery, readSavedReports } from '../command/readQuery.ts';
import { openStatement } from '../statements/openStatement.ts';
import { isMonth, type Statement } from '../statements/statement.ts';
import { evaluate } from '../watch/evaluate.ts';
import { loadRules, textOfRule } from '../watch/rules.ts';
import type { ConsoleSavedReport, ConsoleWatch } from './protocol.ts';

/** The files that the console shows. They are read on each call, so that a change is seen at once. */
export interface ConsoleFiles {
  /** The rules of the page *Watch*; by default those of `watch --init`. */
  readonly rules?: string | undefined;
  /** Saved reports, and the label of amounts. */
  readonly reports?: string | undefined;
  /** The folder of frozen statements; without it, nothing is frozen. */
  readonly statements?: string | undefined;
}

/** What the calls need. */
export interface FileApiOptions extends ConsoleFiles {
  readonly network: string;
  readonly apiKey: string;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Days that the page *Watch* can look back. */
const DAYS_MAX = 90;

/** Creates the calls that are about files: rules, saved reports and statements. */
export function createFileApi(options: FileApiOptions): {
  watch(url: URL, signal: AbortSignal): Promise<ConsoleWatch>;
  saved(signal: AbortSignal): Promise<readonly ConsoleSavedReport[]>;
  statement(url: URL, signal: AbortSignal): Promise<Statement>;
  currency(): string | null;
} {
  const { network, apiKey } = options;
  const shared = { networkUrl: network, apiKey, fetch: options.fetch };
  const channel = new ChannelClient(shared);
  const reports = new ReportingClient({ ...shared, variant: 'channel' });

  return {
    async watch(url, signal) {
      const { rules: file } = options;
      const rules = loadRules(file);
      const days = Math.min(DAYS_MAX, Math.max(1, Number(url.searchParams.get('days')) || 30));
      const {
        causes,
        turns,
        days: judged,
        skipped,
      } = await evaluate({
        source: { reports, channel, signal },
        rules,
        before: new Map(),
        days,
      });
      const publisherRules = rules.rules.flatMap((rule) =>
        'by' in rule && rule.by === 'publisher' ? [rule.name] : [],
      );
      return {
        rules: rules.rules.map((rule) => ({ name: rule.name, kind: rule.kind, text: textOfRule(rule) })),
        file: file ?? null,
        judged: { from: judged[0] ?? null, to: judged.at(-1) ?? null, days: judged.length },
        open: [...causes.values()],
        turns: turns.toReversed(),
        skipped,
        publisherRules,
      };
    },
    async saved(signal) {
      if (options.reports === undefined) return [];
      const saved = readSavedReports(options.reports, '--reports');
      const found: ConsoleSavedReport[] = [];
      for (const report of saved.reports) {
        signal.throwIfAborted();
        const query = readQuery(report.settings, new Date());
        const ids: string[] = [];
        for (const text of query.filters.publisher)
          ids.push((await findPublisherId(channel, { text, option: `${report.name}: publisher` })).id);
        found.push({
          name: report.name,
          title: report.title,
          variant: query.variant,
          period: report.settings.period ?? null,
          dates: query.dates ?? null,
          grain: query.grain,
          by: query.by,
          metrics: query.metrics ?? null,
          publisher_ids: ids,
          page_types: query.filters.page_type,
          widget_types: query.filters.widget_type,
          sort: query.sort,
          compare: query.compare ?? 'none',
        });
      }
      return found;
    },
    async statement(url, signal) {
      const month = url.searchParams.get('month') ?? '';
      if (!isMonth(month)) throw new TypeError('month must be a month such as 2026-10.');
      return openStatement({
        source: { reports, channel, signal },
        month,
        network: network.replace(/\/+$/, ''),
        folder: options.statements,
        currency: currencyOf(options),
      });
    },
    currency() {
      try {
        return currencyOf(options);
      } catch {
        // The page that reads the file says what is wrong with it.
        return null;
      }
    },
  };
}

function currencyOf({ reports }: ConsoleFiles): string | null {
  return reports === undefined ? null : readSavedReports(reports, '--reports').currency;
}

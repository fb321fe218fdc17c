import { ChannelClient } from '../clients/ChannelClient.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import { evaluate } from '../watch/evaluate.ts';
import { loadRules, textOfRule, type Rules } from '../watch/rules.ts';
import { pause } from '../../http/pause.ts';
import type { ConsoleOptions } from './consoleOptions.ts';
import type { ConsoleWatch, WatchProgress } from './protocol.ts';

/** Days that the page *Watch* can look back. */
const DAYS_MAX = 90;
/** Milliseconds after which a call returns how far the reading is. */
const PROGRESS_MS = 1_000;

/** Reads what the rules need. It goes on when its page is left: of many publishers it takes a minute. */
interface Reading {
  readonly watch: Promise<ConsoleWatch>;
  progress: string;
}

/** Creates the call of the page *Watch*. The rules are read on each call, so that a change is seen at once. */
export function createWatch({
  networkUrl,
  apiKey,
  rules: file,
  fetch,
}: ConsoleOptions & { readonly apiKey: string }): (url: URL) => Promise<ConsoleWatch | WatchProgress> {
  const shared = { networkUrl, apiKey, fetch };
  const channel = new ChannelClient(shared);
  const reports = new ReportingClient({ ...shared, variant: 'channel' });
  const memory = {};

  const readings = new Map<string, Reading>();

  return async (url) => {
    const rules = loadRules(file);
    const days = Math.min(DAYS_MAX, Math.max(1, Number(url.searchParams.get('days')) || 30));
    const key = JSON.stringify([days, rules.rules, [...rules.holidays]]);
    const reading = readings.get(key) ?? begin();
    return Promise.race([reading.watch, pause(PROGRESS_MS).then(() => ({ progress: reading.progress }))]);

    function begin(): Reading {
      const begun: Reading = {
        progress: '',
        watch: read(rules, { days, onProgress: (text) => void (begun.progress = text) }).finally(() =>
          readings.delete(key),
        ),
      };
      readings.set(key, begun);
      return begun;
    }
  };

  async function read(
    rules: Rules,
    { days, onProgress }: { readonly days: number; onProgress(text: string): void },
  ): Promise<ConsoleWatch> {
    const source = { reports, channel, memory, onProgress };
    const evaluation = await evaluate({ source, rules, before: new Map(), days });
    const { causes, turns, days: judged, skipped, unjudged } = evaluation;
    return {
      rules: rules.rules.map((rule) => ({ name: rule.name, kind: rule.kind, text: textOfRule(rule) })),
      file: file ?? null,
      judged: { from: judged[0] ?? null, to: judged.at(-1) ?? null, days: judged.length },
      open: [...causes.values()],
      turns: turns.toReversed(),
      skipped,
      unjudged,
      publisherRules: rules.rules.flatMap((rule) => ('by' in rule && rule.by === 'publisher' ? [rule.name] : [])),
    };
  }
}

import { ChannelClient } from '../clients/ChannelClient.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import { evaluate } from '../watch/evaluate.ts';
import { loadRules, textOfRule } from '../watch/rules.ts';
import type { ConsoleOptions } from './consoleOptions.ts';
import type { ConsoleWatch } from './protocol.ts';

/** Days that the page *Watch* can look back. */
const DAYS_MAX = 90;

/** Creates the call of the page *Watch*. The rules are read on each call, so that a change is seen at once. */
export function createWatch({
  networkUrl,
  apiKey,
  rules: file,
  fetch,
}: ConsoleOptions & { readonly apiKey: string }): (url: URL, signal: AbortSignal) => Promise<ConsoleWatch> {
  const shared = { networkUrl, apiKey, fetch };
  const channel = new ChannelClient(shared);
  const reports = new ReportingClient({ ...shared, variant: 'channel' });
  const memory = {};

  return async (url, signal) => {
    const rules = loadRules(file);
    const days = Math.min(DAYS_MAX, Math.max(1, Number(url.searchParams.get('days')) || 30));
    const source = { reports, channel, signal, memory };
    const {
      causes,
      turns,
      days: judged,
      skipped,
      unjudged,
    } = await evaluate({ source, rules, before: new Map(), days });
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
  };
}

import { pause } from '../http/pause.ts';
import { own } from '../wire/json.ts';
import { eventOf, sendBatch } from './eventRules.ts';
import { type Exchange, expect, expectOk, UntoldError } from './network.ts';
import { readReport, watchable } from './report.ts';
import { of, rule, type Checked, type Rule } from './rule.ts';

/** How long a network that reports at once may take. */
const PATIENCE_MS = 12_000;

type Counts = Readonly<Record<'loads' | 'impressions' | 'clicks' | 'conversions', number>>;

/** Reads today's counts of one page type that nothing else uses. */
async function counts(on: Checked): Promise<{ readonly found: Counts; readonly exchange: Exchange }> {
  const { loads, ...report } = watchable(on);
  const day = new Date().toISOString().slice(0, 10);
  const metrics = `${loads},impressions,clicks,conversions`;
  const { summary, exchange } = await readReport(on, report, {
    from: day,
    to: day,
    metrics,
    page_types: 'SUPPORT_CENTER',
  });
  const found = {
    loads: Number(summary[loads]),
    impressions: Number(summary['impressions']),
    clicks: Number(summary['clicks']),
    conversions: Number(summary['conversions']),
  };
  return { found, exchange };
}

/** Does something in a session of its own, and looks what the report makes of it. */
async function expectEffect(
  on: Checked,
  {
    isSandbox = false,
    wanted,
    act,
  }: { isSandbox?: boolean; wanted: Counts; act: (session: Parameters<typeof eventOf>[0]) => readonly object[] },
): Promise<void> {
  const before = await counts(on);
  const session = await on.world.openSession({
    placement_details: { view: 'SUPPORT_CENTER', display_mode: 'INLINE' },
    ...(isSandbox && { custom_metadata: { is_sandbox: true } }),
  });
  const [first] = session.placed;
  if (!first) throw new UntoldError('The network has no offer for this key.');
  const events = act({ ...session, first });
  // Twice, as a sender does whose first response was lost.
  for (let time = 0; time < 2; time++) expectOk(await sendBatch(on, events), 202);
  const names = Object.keys(wanted) as (keyof Counts)[];
  const changeOf = (after: Counts): string =>
    names.map((name) => `${name} +${after[name] - before.found[name]}`).join(', ');
  const expected = names.map((name) => `${name} +${wanted[name]}`).join(', ');
  for (const end = performance.now() + PATIENCE_MS; ;) {
    const after = await counts(on);
    if (changeOf(after.found) === expected) break;
    const isTooMuch = names.some((name) => after.found[name] - before.found[name] > wanted[name]);
    expect(after.exchange, `${expected}; it is ${changeOf(after.found)}`, !isTooMuch);
    if (performance.now() > end) {
      const through = own(own(after.exchange.json, 'meta'), 'data_through');
      throw new UntoldError(
        `The report shows ${changeOf(after.found)} after ${PATIENCE_MS / 1_000} s; its data run through ${String(through)}.`,
      );
    }
    await pause(on.lookMs);
  }
  if (wanted.clicks + wanted.conversions === 0) return;
  // What comes late must not be counted again.
  await pause(on.lookMs);
  const after = await counts(on);
  expect(after.exchange, `${expected}; it is ${changeOf(after.found)}`, changeOf(after.found) === expected);
}

/** What an event does to a report, within the time that the network states. */
export const EFFECT_RULES: readonly Rule[] = of('events-in-reports', [
  rule('R61.counted', 'A load, a display and two clicks that are sent twice are in the report once.', (on) =>
    expectEffect(on, {
      wanted: { loads: 1, impressions: 1, clicks: 2, conversions: 0 },
      act: (session) => [
        eventOf(session, 'WIDGET_LOAD'),
        eventOf(session, 'BRAND_DISPLAY'),
        eventOf(session, 'BRAND_VIEW'),
        eventOf(session, 'BRAND_CLICK'),
        eventOf(session, 'BRAND_CLICK'),
      ],
    }),
  ),
  rule('E4.conversion', 'A conversion counts once, whatever event brings its conversion_id.', (on) =>
    expectEffect(on, {
      wanted: { loads: 1, impressions: 1, clicks: 1, conversions: 1 },
      act(session) {
        const conversion_properties = { conversion_id: crypto.randomUUID(), amount: '10.00', currency_code: 'EUR' };
        return [
          eventOf(session, 'WIDGET_LOAD'),
          eventOf(session, 'BRAND_DISPLAY'),
          eventOf(session, 'BRAND_CLICK'),
          eventOf(session, 'CONVERSION', { conversion_properties }),
          eventOf(session, 'CONVERSION', { conversion_properties }),
        ];
      },
    }),
  ),
  rule('R56.sandbox', 'The conversion of a test session counts nowhere; its clicks are counted.', (on) =>
    expectEffect(on, {
      isSandbox: true,
      wanted: { loads: 1, impressions: 1, clicks: 1, conversions: 0 },
      act: (session) => [
        eventOf(session, 'WIDGET_LOAD'),
        eventOf(session, 'BRAND_DISPLAY'),
        eventOf(session, 'BRAND_CLICK'),
        eventOf(session, 'CONVERSION'),
      ],
    }),
  ),
]);

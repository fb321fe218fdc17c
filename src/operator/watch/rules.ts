import { openYaml, parseYaml, type Setting } from './openYaml.ts';
import { labelOf, plural, valueText, inWords } from '../reports/format.ts';
import { RATIOS } from '../reports/sumHours.ts';
import { CHANNEL_METRICS, isShare } from '../../wire/reporting.ts';
import { PUBLISHER_STATUSES } from '../../wire/channel.ts';

/** What a rule looks at one by one. */
export const SUBJECTS = ['channel', 'publisher', 'page_type', 'widget_type'] as const;
export type By = (typeof SUBJECTS)[number];

interface OnReports {
  readonly name: string;
  readonly metric: string;
  readonly by: By;
  /** Less activity than this is not judged. */
  readonly minimum: number;
  /** Ids or names that are not judged. */
  readonly except: readonly string[];
}

/** Activity has stopped for some complete days. */
export interface SilentRule extends OnReports {
  readonly kind: 'silent';
  readonly days: number;
}

/** A day differs from the same weekday of the weeks before. */
export interface ChangeRule extends OnReports {
  readonly kind: 'change';
  /** A share below 0, such as -0.3. */
  readonly below: number | undefined;
  /** A share above 0. */
  readonly above: number | undefined;
  readonly weeks: number;
}

/** A ratio of some days lies outside its range. */
export interface RangeRule extends OnReports {
  readonly kind: 'range';
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly days: number;
}

/** A request to add a publisher waits. */
export interface PendingRule {
  readonly kind: 'pending';
  readonly name: string;
  readonly days: number;
  readonly statuses: readonly string[];
}

/** Data stops arriving: without this rule, a network that loads nothing more would look quiet. */
export interface LateRule {
  readonly kind: 'late';
  readonly name: string;
  readonly hours: number;
}

export type ReportRule = SilentRule | ChangeRule | RangeRule;
export type Rule = ReportRule | PendingRule | LateRule;

/** A rules file. */
export interface Rules {
  readonly rules: readonly Rule[];
  /** Days that are neither judged nor compared with. */
  readonly holidays: ReadonlySet<string>;
}

/** Says in a sentence what a rule looks for, with its limits. */
export function textOfRule(rule: Rule): string {
  switch (rule.kind) {
    case 'late':
      return `No data for more than ${plural(rule.hours, 'hour')}.`;
    case 'pending':
      return `A request is ${rule.statuses.map((status) => inWords(status).toLowerCase()).join(' or ')}, ${plural(rule.days, 'day')} or longer after it was made.`;
    case 'silent':
      return onReports(rule, `none for ${plural(rule.days, 'day')}, from ${limitOf(rule)} a day usual`);
    case 'change':
      return onReports(
        rule,
        `${between(rule.below, rule.above, share)} against the same weekday of the ${rule.weeks === 1 ? 'week' : `${rule.weeks} weeks`} before, from ${limitOf(rule)} usual`,
      );
    case 'range': {
      const [, under = ''] = RATIOS[rule.metric] ?? [];
      const value = (limit: number): string => valueText(rule.metric, limit);
      return onReports(
        rule,
        `${between(rule.from, rule.to, value)} over ${plural(rule.days, 'day')}, from ${limitOf(rule)} ${labelOf(under).toLowerCase()}`,
      );
    }
  }
}

function onReports({ metric, by, except }: ReportRule, text: string): string {
  const of = by === 'channel' ? 'of the channel' : `by ${inWords(by).toLowerCase()}`;
  return `${labelOf(metric)} ${of}: ${text}${except.length === 0 ? '' : `; without ${except.join(', ')}`}.`;
}

function between(from: number | undefined, to: number | undefined, text: (limit: number) => string): string {
  return [
    ...(from === undefined ? [] : [`below ${text(from)}`]),
    ...(to === undefined ? [] : [`above ${text(to)}`]),
  ].join(' or ');
}

function share(limit: number): string {
  return `${limit < 0 ? '−' : '+'}${Math.round(Math.abs(limit) * 1_000) / 10}%`;
}

function limitOf({ minimum }: ReportRule): string {
  return minimum.toLocaleString('en');
}

const KINDS = ['silent', 'change', 'range', 'pending', 'late'] as const;
const MEASURED = CHANNEL_METRICS.filter((name) => !Object.hasOwn(RATIOS, name));
const ON_REPORTS = ['kind', 'metric', 'by', 'minimum', 'except'] as const;

/** Reads a rules file, or the rules that hold without one. */
export function loadRules(path: string | undefined): Rules {
  return readRules(path === undefined ? parseYaml(EXAMPLE_RULES, 'the default rules') : openYaml(path, '--rules'));
}

/** Reads a rules file. Throws a `UsageError` that names the line. */
export function readRules(file: Setting): Rules {
  const { rules, holidays } = file.fields(['holidays', 'rules']);
  if (!rules) return file.fail('has no "rules". "offerlet-operator watch --init" prints an example.');
  return {
    rules: rules.entries().map(([name, rule]) => readRule(name, rule)),
    holidays: new Set(holidays?.list().map((day) => day.date())),
  };
}

function readRule(name: string, rule: Setting): Rule {
  if (!/^[\w-]{1,60}$/.test(name)) rule.fail('is not a name for a rule. Use letters, digits and hyphens.');
  const { kind: given } = Object.fromEntries(rule.entries());
  const kind = given?.choice(KINDS) ?? rule.fail(`has no kind. Use one of ${KINDS.join(', ')}.`);
  switch (kind) {
    case 'silent': {
      const fields = rule.fields([...ON_REPORTS, 'days']);
      const shared = readShared(name, fields, { metric: 'impressions', known: MEASURED, minimum: 50 });
      return { kind, ...shared, days: fields.days?.whole({ min: 1, max: 28 }) ?? 2 };
    }
    case 'change': {
      const fields = rule.fields([...ON_REPORTS, 'below', 'above', 'weeks']);
      const below = fields.below?.share('-30%');
      const above = fields.above?.share('+50%');
      if (below === undefined && above === undefined) rule.fail('has neither below nor above. Use below: -30%.');
      if (below !== undefined && (below >= 0 || below < -1))
        fields.below?.fail('is not a loss. Use something like -30%.');
      if (above !== undefined && above <= 0) fields.above?.fail('is not a gain. Use something like +50%.');
      const isRatio = Object.hasOwn(RATIOS, fields.metric?.text() ?? '');
      if (isRatio) fields.metric?.fail('is a ratio. Use kind: range for it, or one of the metrics it is made of.');
      const shared = readShared(name, fields, { metric: 'clicks', known: MEASURED, minimum: 100 });
      return { kind, ...shared, below, above, weeks: fields.weeks?.whole({ min: 1, max: 8 }) ?? 4 };
    }
    case 'range': {
      const fields = rule.fields([...ON_REPORTS, 'from', 'to', 'days']);
      const shared = readShared(name, fields, { metric: 'ctr', known: Object.keys(RATIOS), minimum: 1_000 });
      const read = (value: Setting | undefined): number | undefined =>
        isShare(shared.metric) ? value?.share('0.5%') : value?.number('0.25');
      const [from, to] = [read(fields.from), read(fields.to)];
      if (from === undefined && to === undefined) rule.fail('has neither from nor to. Use from: 0.1%.');
      if (from !== undefined && to !== undefined && from > to) fields.from?.fail('is above to.');
      return { kind, ...shared, from, to, days: fields.days?.whole({ min: 1, max: 28 }) ?? 7 };
    }
    case 'pending': {
      const fields = rule.fields(['kind', 'days', 'status']);
      const statuses = fields.status?.list().map((status) => status.choice(PUBLISHER_STATUSES));
      return {
        kind,
        name,
        days: fields.days?.whole({ min: 1, max: 365 }) ?? 5,
        statuses: statuses ?? ['PENDING', 'NEEDS_INFO'],
      };
    }
    case 'late': {
      const fields = rule.fields(['kind', 'hours']);
      return { kind, name, hours: fields.hours?.whole({ min: 1, max: 1_000 }) ?? 36 };
    }
  }
}

type Shared = { readonly [Name in 'metric' | 'by' | 'minimum' | 'except']?: Setting };

function readShared(
  name: string,
  fields: Shared,
  usual: { readonly metric: string; readonly known: readonly string[]; readonly minimum: number },
): { name: string; metric: string; by: By; minimum: number; except: readonly string[] } {
  return {
    name,
    metric: fields.metric?.choice(usual.known) ?? usual.metric,
    by: fields.by?.choice(SUBJECTS) ?? 'publisher',
    minimum: fields.minimum?.whole({ min: 1, max: 1_000_000_000 }) ?? usual.minimum,
    except: fields.except?.list().map((one) => one.text()) ?? [],
  };
}

/** What `watch --init` prints, and the rules that hold without a file. */
export const EXAMPLE_RULES = `# What "offerlet-operator watch" looks for. Days are UTC days, and only complete ones are judged.

# Days that are neither judged nor compared with.
holidays: []
#  - 2026-12-25

rules:
  # No data for longer than this: all other rules would see nothing.
  late-data:
    kind: late
    hours: 36

  # The channel as a whole, against the median of the same weekday in the four weeks before.
  channel-clicks:
    kind: change
    by: channel
    metric: clicks
    below: -30%
    minimum: 200        # usual clicks on that weekday; with fewer, chance alone moves them this far

  # Each publisher. "except" takes ids or names.
  publisher-clicks:
    kind: change
    by: publisher
    metric: clicks
    below: -50%
    minimum: 100
    except: []

  # Publishers that had impressions every day, and have none.
  silent-publishers:
    kind: silent
    metric: impressions
    days: 2
    minimum: 50         # usual impressions a day, over the 28 days before

  # Click rates that are too good or too bad to be true, over seven days.
  click-rate:
    kind: range
    metric: ctr
    from: 0.05%
    to: 25%
    days: 7
    minimum: 2000       # impressions in these days

  # Requests that wait for the network's staff, or for an answer of yours.
  waiting-requests:
    kind: pending
    days: 5
    status: [PENDING, NEEDS_INFO]
`;

import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Command, type Options, OUTPUT } from '../../program/command.ts';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import { inTone, type Terminal, type Tone, documentWithoutControls, safeText } from '../../program/terminal.ts';
import { chooseFormat, inFile, printedText, writeFile } from '../../program/print.ts';
import { countDays } from '../../wire/utcDates.ts';
import { plural, rangeText } from '../reports/format.ts';
import { type Cause, type Causes, type Turn, evaluate, type Evaluation } from '../watch/evaluate.ts';
import { EXAMPLE_RULES, loadRules } from '../watch/rules.ts';
import { openStateFile, type StateFile, type StateOwner } from '../watch/stateFile.ts';
import { operatorCommand, type CommandContext } from './operatorCommand.ts';

const OPTIONS = {
  rules: { kind: 'text', value: 'FILE', about: 'The rules, as YAML. Without it, the rules that --init prints.' },
  state: {
    kind: 'text',
    value: 'FILE',
    about:
      'Remembers what was said already. By default NAME.state.json beside the rules file; without one, in .local/state/offerlet of your home.',
  },
  all: { kind: 'flag', about: 'Prints what is still open, not only what is new.' },
  backtest: { kind: 'text', value: 'DAYS', about: 'Prints what would have been said in these days, such as 90d.' },
  init: { kind: 'flag', about: 'Prints a rules file to start from.' },
  output: OUTPUT,
} as const satisfies Options;

const watch = operatorCommand({
  summary: 'Says what needs attention: silent publishers, drops, odd rates, requests that wait.',
  options: OPTIONS,
  examples: [
    { call: 'offerlet-operator watch --init > watch.yaml', does: 'Rules to start from' },
    { call: 'offerlet-operator watch --rules watch.yaml --backtest 90d', does: 'What these rules would have said' },
    {
      call: 'offerlet-operator watch --rules watch.yaml',
      does: 'For cron: prints what is new, ends with 6 while something is wrong',
    },
  ],
  run: runWatch,
});

/** `offerlet-operator watch`: judges the last complete day by rules, and says what began and what is over. */
export const watchCommand: Command = {
  ...watch,
  async run(source) {
    // An example needs neither a network nor a key.
    if (source.argv.includes('--init')) process.stdout.write(EXAMPLE_RULES);
    else await watch.run(source);
  },
};

type Context = CommandContext<typeof OPTIONS>;

async function runWatch(context: Context): Promise<void> {
  const { settings, connection, progress, terminal } = context;
  // cron sends a mail about every line.
  if (!terminal.isLive) progress.end();
  const rules = loadRules(settings.rules);
  const days = settings.backtest === undefined ? undefined : readDays(settings.backtest);
  const channel = connection.channel();
  const owner = { network: connection.url.replace(/\/+$/, ''), channel: safeText((await channel.details()).name) };
  const look = (before: Causes): Promise<Evaluation> =>
    evaluate({
      source: {
        reports: connection.channelReport(),
        channel,
        onProgress: (text) => terminal.isLive && progress.step(text),
      },
      rules,
      before,
      days,
    });
  if (days !== undefined) {
    const evaluation = await look(new Map());
    show(context, evaluation, owner);
    return terminal.note(backtestSummary(evaluation, days));
  }
  const path = settings.state ?? (settings.rules === undefined ? undefined : stateBeside(settings.rules));
  const file = path === undefined ? await openOwnState(owner, terminal) : await openStateFile(path, owner);
  try {
    const evaluation = await look(file?.causes ?? new Map());
    file?.save(evaluation.causes);
    show(context, evaluation, owner);
    // The exit code says how things are; the output says what is new.
    const { size } = evaluation.causes;
    // A person has read it already, and cron sends a mail about every line.
    if (size > 0) throw new ExitError(settings.json ? `${plural(size, 'cause')} open.` : '', EXIT.attention);
  } finally {
    await file?.release();
  }
}

function show({ settings, terminal, progress }: Context, evaluation: Evaluation, owner: StateOwner): void {
  progress.end();
  const { causes, turns, days, dataEnd, skipped, unjudged } = evaluation;
  const format = chooseFormat(settings);
  const isBacktest = settings.backtest !== undefined;
  const begun = new Set(turns.filter(({ event }) => event === 'began').map(({ cause }) => cause));
  const open = [...causes.values()];
  const older = settings.all ? open.filter((cause) => !begun.has(cause)) : [];
  const rows = [
    ...turns.map(({ event, day, cause }) => rowOf(event, day, cause)),
    ...older.map((cause) => rowOf('open', cause.judged, cause)),
  ];
  const json = {
    ...owner,
    judged: days.length === 0 ? null : { from: days[0], to: days.at(-1) },
    data_end: dataEnd === null ? null : new Date(dataEnd).toISOString(),
    events: turns.map(({ event, day, cause }) => ({ event, day, ...cause })),
    open,
    skipped,
    unjudged,
  };
  const to = settings.output === undefined ? terminal : inFile(terminal);
  const csv = { rows, columns: ['event', 'day', 'rule', 'id', 'name', 'since', 'text'] };
  const text =
    format.json || format.csv
      ? printedText({ json, csv, table: () => ({ columns: [], rows: [] }) }, { format, terminal: to })
      : paragraphs({ turns, open: isBacktest ? [] : older }, to);
  if (settings.output !== undefined) writeFile(settings.output, text);
  else if (text !== '') terminal.write(format.json || format.csv ? text : documentWithoutControls(text));
  for (const { rule, why } of skipped) terminal.note(`The rule ${rule} is not judged: ${why}.`);
  for (const { rule, why } of unjudged) terminal.note(`The rule ${rule} ${why}.`);
  // What is printed needs no hint.
  const hasMore = !settings.all && open.length > begun.size;
  if (terminal.isLive && !isBacktest) terminal.note(stateSummary(evaluation, hasMore));
}

function rowOf(event: string, day: string, { rule, id, name, since, text }: Cause): object {
  return { event, day, rule, id, name, since, text };
}

const TONES: Readonly<Record<string, Tone>> = { began: 'bad', recovered: 'good', ended: 'dim', open: 'accent' };

/** A heading for each rule and day, and a line for each cause beneath it. */
function paragraphs(
  { turns, open }: { readonly turns: readonly Turn[]; readonly open: readonly Cause[] },
  { hasColor }: Pick<Terminal, 'hasColor'>,
): string {
  const groups = new Map<string, string[]>();
  const put = (event: string, day: string, cause: Cause, line: string): void => {
    const title = `${inTone(event, TONES[event], hasColor)} ${day} ${inTone(cause.rule, 'strong', hasColor)}`;
    groups.set(title, [...(groups.get(title) ?? []), line]);
  };
  for (const { event, day, cause } of turns) put(event, day, cause, lineOf(event, cause, day));
  for (const cause of open) put('open', `since ${cause.since}`, cause, lineOf('began', cause, cause.judged));
  return [...groups]
    .map(([title, lines]) => `${title}\n${lines.map((line) => `  ${safeText(line)}\n`).join('')}`)
    .join('');
}

/** Characters of a name that a line shows. */
const NAME_MAX = 80;

function lineOf(event: Turn['event'], { name, text, since }: Cause, day: string): string {
  const lasted = countDays({ from: since, to: day }) - 1;
  const after =
    event === 'began' ? '' : ` It began on ${since}${lasted > 0 ? `, ${plural(lasted, 'day')} before` : ''}.`;
  return `${name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name}: ${text}${after}`;
}

function stateSummary({ causes, days }: Evaluation, hasMore: boolean): string {
  const judged = days.at(-1);
  const on =
    judged === undefined
      ? 'No day could be judged: there is no complete day of data.'
      : `Judged ${judged}, the last complete day.`;
  return `${on} ${causes.size === 0 ? 'Nothing is open.' : `${plural(causes.size, 'cause')} open${hasMore ? '; --all shows them' : ''}.`}`;
}

function backtestSummary({ days, turns, causes }: Evaluation, wanted: number): string {
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return 'There is no complete day of data to judge.';
  const said = new Map<string, Set<string>>();
  for (const { day, event, cause } of turns)
    said.set(cause.rule, (said.get(cause.rule) ?? new Set()).add(`${day} ${event}`));
  const counts = [...said].map(([rule, times]) => `${rule} ${times.size}`);
  const total = [...said.values()].reduce((sum, times) => sum + times.size, 0);
  const short = days.length < wanted ? ` The history allows no more than ${plural(days.length, 'day')}.` : '';
  return `${rangeText({ from, to })}: ${plural(total, 'message')}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}, ${causes.size} still open at the end.${short} Requests that were decided since, and late data, cannot be seen afterwards.`;
}

function readDays(text: string): number {
  const days = Number(/^(\d{1,3})d?$/.exec(text.trim())?.[1]);
  if (!(days >= 1 && days <= 400))
    throw new UsageError(`--backtest is not a number of days: "${text}". Use something like 90d.`);
  return days;
}

/** Opens the state of a channel without a rules file, in the account's home; undefined where nothing can be written there. */
async function openOwnState(owner: StateOwner, terminal: Terminal): Promise<StateFile | undefined> {
  const { XDG_STATE_HOME, LOCALAPPDATA, HOME } = process.env;
  const folder = join(XDG_STATE_HOME || LOCALAPPDATA || join(HOME || homedir(), '.local', 'state'), 'offerlet');
  // Each channel of each network has its own.
  const name = `${new URL(owner.network).host} ${owner.channel}`.replaceAll(/[^\p{L}\d]+/gu, '-').slice(0, 100);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return await openStateFile(join(folder, `watch-${name}.state.json`), owner);
  } catch (error) {
    if (error instanceof ExitError) throw error;
    terminal.note(`What was said already cannot be remembered in ${folder}. Use --state FILE.`);
    return undefined;
  }
}

function stateBeside(rules: string): string {
  return join(dirname(rules), `${basename(rules).replace(/\.ya?ml$/i, '')}.state.json`);
}

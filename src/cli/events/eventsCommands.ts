import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import {
  AuthError,
  RecommendationsClient,
  type EventReport,
  type RecommendationsClientOptions,
  type ReportableEvent,
} from '../../client.ts';
import { printableJson } from '../../text/printable.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import { uuidFromText } from '../../wire/hash.ts';
import { readCall, type Command, type CommandGroup, type Options, type SettingsSource } from '../../program/command.ts';
import { EXIT, ExitError, refusedFlag, UsageError } from '../../program/ExitError.ts';
import { createProgress } from '../../program/progress.ts';
import { openTerminal, safeText } from '../../program/terminal.ts';
import { readKeyFile } from '../../program/readKeyFile.ts';

/** A 429 or a restart must not end a long import: this is about a minute and a half of patience for one group. */
const MAX_RETRIES = 15;
/** Groups in a row without a response after which the network is down. */
const FAILED_GROUPS_MAX = 2;
/** Characters of a line that are read: events have a hundredth of this. */
const LINE_MAX = 100_000;

const OPTIONS = {
  network: { kind: 'text', value: 'URL', about: 'URL of the network, such as https://partner.example.' },
  'api-key-file': {
    kind: 'text',
    value: 'FILE',
    about: 'File that contains the integration key. By default, the key is read from OFFERLET_API_KEY.',
  },
  version: {
    kind: 'text',
    value: 'VERSION',
    default: '1.0.0',
    about: 'Version of the Recommendations API that you tested with.',
  },
  json: { kind: 'flag', about: 'Prints one result per line, as JSON.' },
} as const satisfies Options;

/** `offerlet events send FILE|-`: reports the events of a file, one a line. It can be run again safely. */
const send: Command = {
  summary: 'Reports the events of a file, one JSON object a line. It can be run again safely.',
  usage: 'FILE|- [options]',
  options: OPTIONS,
  examples: [
    { call: 'offerlet events send conversions.jsonl', does: 'Reports the conversions of a file' },
    {
      call: 'zcat events.jsonl.gz | offerlet events send - --json > results.jsonl',
      does: 'Reports events of a pipe, and writes down what became of each',
    },
  ],
  environment: `An event without an event_id gets one that follows from its line: the same line, the same event.
Results go to stdout, everything else to stderr.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 key refused, 5 some events failed, 130 interrupted.
Set OFFERLET_NETWORK to leave out --network.`,
  run: runSend,
};

export const eventsCommands: CommandGroup = {
  summary: 'Reports events and conversions to the network.',
  commands: { send },
};

/** What ends the command early. SIGPIPE: nobody reads its output any more. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGPIPE'] as const;

/** One line of the file, and its event. */
interface Line {
  readonly line: number;
  readonly event: ReportableEvent;
}

async function runSend(source: SettingsSource): Promise<void> {
  const { settings, words } = readCall(OPTIONS, source, 1);
  const [file] = words;
  if (file === undefined) throw new UsageError('FILE is missing. Use - to read from stdin.');
  const terminal = openTerminal({ env: source.env });
  const progress = createProgress(terminal);
  const apiKey =
    settings['api-key-file'] === undefined
      ? source.env['OFFERLET_API_KEY']
      : readKeyFile('--api-key-file', settings['api-key-file'], terminal.note);
  const { network: networkUrl, version } = settings;
  const onResponse: RecommendationsClientOptions['onResponse'] = ({ status, retryIn }) => {
    const what = status === 0 ? 'does not respond' : `returned ${status}`;
    if (retryIn !== undefined) progress.step(`The network ${what}. Trying again for a minute …`);
  };
  const client = openClient({ networkUrl, apiKey: apiKey?.trim(), version, maxRetries: MAX_RETRIES, onResponse });
  if (file === '-' && process.stdin.isTTY) terminal.note('Reading from the terminal; end with Ctrl-D.');

  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('Interrupted'));
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const counts = { stored: 0, duplicate: 0, refused: 0, unknown: 0 };
  let outages = 0;
  let last = 0;
  let outage: Error | undefined;
  let failure: Error | undefined;

  function print(line: number, report: EventReport): void {
    counts[report.status] += 1;
    const { error, ...rest } = { error: undefined, ...report };
    const reason = error ? { message: error.message } : {};
    const said =
      report.status === 'refused' ? [report.code, report.message] : error && [report.event_id, error.message];
    if (settings.json) terminal.write(`${printableJson({ line, ...rest, ...reason })}\n`);
    else if (said) terminal.write(`line ${line}  ${[report.status, ...said].map(safeText).join('  ')}\n`);
  }

  try {
    for await (const group of groupsOf(linesOf(file, stop.signal))) {
      const reports: EventReport[] = [];
      const events = group.map(({ event }) => event);
      const onReport = (report: EventReport, at: number): void => void (reports[at] = report);
      await client.reportAll(events, { signal: stop.signal, onReport }).catch((error: unknown) => {
        failure = error as Error;
      });
      for (const [at, report] of reports.entries()) print(group[at]?.line ?? 0, report);
      last = group.at(-1)?.line ?? last;
      const lost = reports.find((report) => report.status === 'unknown');
      outage = lost?.error ?? outage;
      outages = lost ? outages + 1 : 0;
      if (outages === FAILED_GROUPS_MAX) failure ??= outage;
      if (failure || stop.signal.aborted) break;
      progress.step(`${last.toLocaleString('en')} lines …`);
    }
  } catch (error) {
    if (!stop.signal.aborted) failure = error as Error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    progress.end();
  }
  if (failure instanceof UsageError && last === 0) throw failure;
  const summary = Object.entries(counts)
    .filter(([status, count]) => count > 0 || status === 'stored')
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
  terminal.note(`${last} lines read: ${summary}.`);
  const unknown = counts.unknown > 0 ? ' Unknown events may be stored or not.' : '';
  const again = ' Run the command again with the same file: no event counts twice.';
  const rest = ` Nothing after line ${last} was sent.`;
  const done = counts.stored + counts.duplicate;
  const code = done > 0 ? EXIT.someFailed : EXIT.failed;
  if (stop.signal.aborted) throw new ExitError(`Interrupted.${unknown}${rest}${again}`, EXIT.interrupted);
  if (failure)
    throw new ExitError(
      safeText(`${failure.message}${unknown}${rest}${again}`),
      failure instanceof AuthError ? EXIT.refused : failure instanceof UsageError ? EXIT.usage : code,
    );
  const failed = counts.refused + counts.unknown;
  if (failed === 0) return;
  const why = outage ? ` ${outage.message}` : '';
  const correct = counts.refused > 0 ? ' Correct the refused ones.' : '';
  throw new ExitError(
    safeText(`${failed} of ${failed + done} events failed.${why}${unknown}${correct}${again}`),
    counts.refused > 0 ? EXIT.someFailed : code,
  );
}

/** Flags of the client's options, for its messages. */
const FLAGS: Readonly<Record<string, string>> = { networkUrl: '--network', apiKey: 'The key', version: '--version' };

function openClient(options: RecommendationsClientOptions): RecommendationsClient {
  if (!options.apiKey) throw new UsageError('The key is missing. Set OFFERLET_API_KEY, or use --api-key-file FILE.');
  try {
    return new RecommendationsClient(options);
  } catch (error) {
    throw refusedFlag(error, FLAGS);
  }
}

/** Yields the lines that are not blank. Throws a `UsageError` when the file cannot be read, and the signal's error when it is aborted. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<Line> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  let line = 0;
  let rest = '';
  try {
    for await (const chunk of addAbortSignal(signal, input.setEncoding('utf8'))) {
      const [first = '', ...more] = String(chunk).split('\n');
      // What exceeds the maximum is no event, and need not be kept.
      const texts = [(rest + first).slice(0, LINE_MAX), ...more];
      rest = texts.pop() ?? '';
      for (const text of texts) yield* lineAt(++line, text);
    }
    yield* lineAt(++line, rest);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (signal.aborted || code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : code;
    throw new UsageError(`FILE cannot be read: "${path}" (${reason}).`);
  }
}

/** Yields the event of a line that is not blank. Without an id it gets one that follows from the line. */
function* lineAt(line: number, text: string): Generator<Line> {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content === '') return;
  const event = parseJson(content) as ReportableEvent;
  const isNamed = !isObject(event) || event.event_id != null || event.event_name === 'CONVERSION';
  yield { line, event: isNamed ? event : { ...event, event_id: uuidFromText(content) } };
}

async function* groupsOf(lines: AsyncIterable<Line>): AsyncGenerator<readonly Line[]> {
  let group: Line[] = [];
  for await (const line of lines) {
    group.push(line);
    if (group.length === BATCH_MAX_EVENTS) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

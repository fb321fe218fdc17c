import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { AuthError, RecommendationsClient, type EventReport, type ReportableEvent } from '../../client.ts';
import { printableJson } from '../../http/printable.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import { uuidOf } from '../../wire/hash.ts';
import { readCall, type Command, type CommandGroup, type Options, type SettingsSource } from '../command.ts';
import { EXIT, ExitError, UsageError } from '../ExitError.ts';
import { createProgress } from '../output/progress.ts';
import { openTerminal, safeText } from '../output/terminal.ts';
import { readKeyFile } from '../readKeyFile.ts';

/** A 429 or a restart must not end a long import: this is about a minute and a half of patience for one group. */
const MAX_RETRIES = 15;
/** Groups in a row without a response after which the network is down. */
const FAILED_GROUPS_MAX = 2;

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
  environment: `An event without an event_id gets one that follows from its content, so the same file always has the same ids.
Results go to stdout, everything else to stderr.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 key refused, 5 some events failed, 130 interrupted.
Set OFFERLET_NETWORK to leave out --network.`,
  run: runSend,
};

export const eventsCommands: CommandGroup = {
  summary: 'Reports events and conversions to the network.',
  commands: { send },
};

/** One line of the file: its event, or why it is none. */
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
  const client = openClient({ networkUrl: settings.network, apiKey: apiKey?.trim(), version: settings.version });
  if (file === '-' && process.stdin.isTTY) terminal.note('Reading from the terminal; end with Ctrl-D.');

  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('Interrupted'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const counts = { stored: 0, duplicate: 0, refused: 0, unknown: 0 };
  let failed = 0;
  let last = 0;
  let failure: Error | undefined;

  function print({ line }: Line, report: EventReport): void {
    counts[report.status] += 1;
    const { error, ...rest } = { error: undefined, ...report };
    const reason = error ? { message: error.message } : {};
    if (settings.json) terminal.write(`${printableJson({ line, ...rest, ...reason })}\n`);
    else if (report.status === 'refused') terminal.write(lineOf(line, report.status, report.code, report.message));
    else if (report.status === 'unknown')
      terminal.write(lineOf(line, report.status, report.event_id, report.error.message));
  }

  try {
    for await (const group of groupsOf(linesOf(file, stop.signal))) {
      const told = new Set<number>();
      const reports = await client
        .reportAll(
          group.map(({ event }) => event),
          {
            signal: stop.signal,
            onReport: (report, at) => {
              const line = group[at];
              if (line && !told.has(at)) print(line, report);
              told.add(at);
            },
          },
        )
        .catch((error: unknown) => {
          failure = error as Error;
          return [];
        });
      last = group.at(-1)?.line ?? last;
      const lost = reports.find(({ status }) => status === 'unknown');
      failed = lost ? failed + 1 : 0;
      if (lost && failed === FAILED_GROUPS_MAX) failure = 'error' in lost ? lost.error : undefined;
      if (failure || stop.signal.aborted) break;
      progress.step(`${last.toLocaleString('en')} lines …`);
    }
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    progress.end();
  }
  const done = counts.stored + counts.duplicate;
  const summary = Object.entries(counts)
    .filter(([status, count]) => count > 0 || status === 'stored')
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
  terminal.note(`${last} lines read: ${summary}.`);
  const rest = counts.unknown > 0 ? ' Unknown events may be stored or not.' : '';
  const again = `${rest} Nothing after line ${last} was sent. Run the command again with the same file: no event counts twice.`;
  if (stop.signal.aborted) throw new ExitError(`Interrupted.${again}`, EXIT.interrupted);
  if (failure) {
    const code = failure instanceof AuthError ? EXIT.refused : done > 0 ? EXIT.someFailed : EXIT.failed;
    throw new ExitError(safeText(`${failure.message}${again}`), code);
  }
  if (counts.refused + counts.unknown > 0)
    throw new ExitError(
      `${counts.refused + counts.unknown} of ${last} events failed.${rest} Correct them and run the command again: no event counts twice.`,
      EXIT.someFailed,
    );
}

function lineOf(line: number, ...words: readonly string[]): string {
  return `line ${line}  ${words.map(safeText).join('  ')}\n`;
}

function openClient(options: {
  networkUrl: string | undefined;
  apiKey: string | undefined;
  version: string;
}): RecommendationsClient {
  try {
    return new RecommendationsClient({
      ...options,
      networkUrl: options.networkUrl ?? '',
      apiKey: options.apiKey ?? '',
      maxRetries: MAX_RETRIES,
    });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(
      message
        .replace(/^networkUrl/, '--network')
        .replace(/^apiKey is missing.*/, 'The key is missing. Set OFFERLET_API_KEY, or use --api-key-file FILE.')
        .replace(/^apiKey/, 'The key')
        .replace(/^version/, '--version'),
    );
  }
}

/** Yields the lines that are not blank. Throws a `UsageError` when the file cannot be read. Ends when it is aborted. */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<Line> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  if (path !== '-')
    await once(input, 'open').catch(({ code }: NodeJS.ErrnoException) => {
      throw new UsageError(`FILE cannot be read: "${path}" (${code === 'ENOENT' ? 'there is no such file' : code}).`);
    });
  let line = 0;
  const seen = new Map<string, number>();
  for await (const text of createInterface({ input, crlfDelay: Infinity, signal })) {
    line += 1;
    const event = text.trim() === '' ? undefined : parseJson(text.replace(/^\uFEFF/, ''));
    if (text.trim() !== '') yield { line, event: isObject(event) ? withId(event, seen) : (event as never) };
  }
}

/** Gives an event without an id one that follows from its content, and from how many equal lines were before it. */
function withId(event: object, seen: Map<string, number>): ReportableEvent {
  const given = event as ReportableEvent;
  if ((given.event_id ?? undefined) !== undefined || given.event_name === 'CONVERSION') return given;
  const content = JSON.stringify(event);
  const hash = uuidOf(content);
  const before = seen.get(hash) ?? 0;
  seen.set(hash, before + 1);
  return { ...given, event_id: before === 0 ? hash : uuidOf(`${before} ${content}`) };
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

import { type Command, type Options, readCall, type SettingsSource } from '../../program/command.ts';
import {
  createOutput,
  safeText,
  wrap,
  inTone,
  openTerminal,
  type Terminal,
  type Tone,
} from '../../program/terminal.ts';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import { examineByHttp, examineInBrowser, type BrowserChoice, type Examination, type Patient } from './examine.ts';
import type { Finding } from './finding.ts';
import { findBrowser, loadPlaywright } from './openBrowser.ts';

const OPTIONS = {
  relay: { kind: 'text', value: 'URL', about: "The relay's URL. By default the one that the page uses." },
  browser: {
    kind: 'text',
    value: 'PATH',
    about:
      'A Chromium or Chrome. By default one that is installed; "none" checks what HTTP alone can tell. Needs playwright-core.',
  },
  'no-sandbox': {
    kind: 'flag',
    about: 'Starts the browser without its sandbox, as root must. For pages that you trust, or in a container.',
  },
  json: { kind: 'flag', about: 'Prints one JSON object.' },
} as const satisfies Options;

const MARKS: Readonly<Record<Finding['state'], readonly [mark: string, tone: Tone]>> = {
  good: ['✓', 'good'],
  bad: ['✗', 'bad'],
  note: ['!', 'accent'],
};
/** Columns of a line in a file or a pipe, and the most that are easy to read. */
const WIDTH = { usual: 100, max: 120 };
/** Characters of a finding: a page may write what it likes to its console. */
const MAX_LENGTH = 600;

/** `offerlet doctor`: opens a merchant's page and says what is wrong with it. */
export const doctorCommand: Command = {
  summary: 'Opens a page in a browser and says why it shows no offers.',
  usage: 'URL [options]',
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet doctor https://shop.example/thank-you',
      does: 'Checks script, policy, relay, key, outcome and layout',
    },
  ],
  async run(source) {
    const { settings, words } = readCall(OPTIONS, source, 1);
    const out = createOutput({ json: settings.json });
    const terminal = openTerminal({ env: source.env });
    const page = readUrl('The page', words[0]);
    if (page === undefined)
      throw new UsageError(
        'The URL of the page is missing. Use something like offerlet doctor https://shop.example/thank-you.',
      );
    const relay = readUrl('--relay', settings.relay);
    const browser = await chooseBrowser(settings, source);
    if (browser?.isSandboxed === false)
      terminal.note('offerlet: the browser runs without its sandbox. A hostile page could take over this account.');
    const hide = passwordsOf(page, relay);
    const { findings: found, ...about } = await examine(browser, { page, relay }, hide);
    const findings = found.map((finding) => ({ ...finding, text: hide(finding.text) }));
    const shown = { page: hide(page), browser: about.browser };
    const problems = findings.filter(({ state }) => state === 'bad').length;
    const ok = problems === 0 && about.isShown !== false;
    const relayShown = about.relay === undefined ? null : hide(about.relay);
    out.json({ ok, page: shown.page, relay: relayShown, browser: about.browser, findings });
    if (!settings.json) printFindings({ findings, ...shown }, terminal);
    if (problems > 0) throw new ExitError(`${problems} of ${findings.length} checks failed.`, EXIT.failed);
    if (!ok) throw new ExitError('No offers were shown.', EXIT.failed);
  },
};

/** The browser to start, or undefined for none. */
async function chooseBrowser(
  { browser, 'no-sandbox': noSandbox }: { browser: string | undefined; 'no-sandbox': boolean },
  { env }: SettingsSource,
): Promise<BrowserChoice | undefined> {
  if (browser === 'none') return undefined;
  if (!(await loadPlaywright())) {
    if (browser === undefined) return undefined;
    throw new UsageError('--browser needs playwright-core. Run npm install --save-dev playwright-core.');
  }
  const path = browser ?? (await findBrowser(env));
  if (path === undefined) return undefined;
  // Chromium has no sandbox as root, which is who runs in most containers.
  if (process.platform === 'linux' && process.getuid?.() === 0 && !noSandbox)
    throw new UsageError(
      'Chromium has no sandbox when root starts it, so a hostile page could take over this machine. Run doctor as another user. In a container, or for a page that you trust, add --no-sandbox; --browser none checks what HTTP alone can tell.',
    );
  return { path, isSandboxed: !noSandbox, env };
}

async function examine(
  browser: BrowserChoice | undefined,
  patient: Patient,
  hide: (text: string) => string,
): Promise<Examination> {
  if (browser === undefined) return examineByHttp(patient);
  try {
    return await examineInBrowser(browser, patient);
  } catch (error) {
    const reason = hide(error instanceof Error ? error.message : String(error));
    throw new ExitError(
      safeText(
        `The browser ${browser.path} could not be used: ${reason} Use another one with --browser PATH, or --browser none.`,
      ),
      EXIT.failed,
    );
  }
}

function readUrl(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError(
    `${option} is not a URL of a web page: "${text}". Use something like https://shop.example/thank-you.`,
  );
}

/** Returns what leaves the passwords of URLs out of a text: a report goes to logs and tickets. */
function passwordsOf(...urls: readonly (string | undefined)[]): (text: string) => string {
  const pairs = urls.flatMap((url) => {
    const { username = '', password = '' } = url === undefined ? {} : new URL(url);
    return password === '' ? [] : [[`${username}:${password}@`, `${username}@`] as const];
  });
  return (text) => pairs.reduce((left, [given, shown]) => left.replaceAll(given, shown), text);
}

/** Prints findings for people: a mark, what was checked, and what to do, wrapped to the width of the terminal. */
function printFindings(
  { findings, page, browser }: { findings: readonly Finding[]; page: string; browser: string | null },
  terminal: Pick<Terminal, 'width' | 'hasColor' | 'write'>,
): void {
  const width = Math.min(terminal.width ?? WIDTH.usual, WIDTH.max);
  const indent = 4 + Math.max(...findings.map(({ title }) => title.length));
  const lines = findings.map(({ state, title, text }) => {
    const [mark, tone] = MARKS[state];
    const wrapped = wrap(safeText(text).slice(0, MAX_LENGTH), Math.max(30, width - indent));
    return `${inTone(mark, tone, terminal.hasColor)} ${title.padEnd(indent - 2)}${wrapped.join(`\n${' '.repeat(indent)}`)}`;
  });
  const how = browser === null ? 'by HTTP alone' : `in ${browser}, as a bot, which production does not count`;
  terminal.write(`${page}\nexamined ${how}\n\n${lines.join('\n')}\n`);
}

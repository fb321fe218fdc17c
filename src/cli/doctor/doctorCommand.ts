import type { Command } from '../command.ts';
import { createOutput } from '../output/createOutput.ts';
import { openTerminal } from '../output/terminal.ts';
import { EXIT, ExitError } from '../ExitError.ts';
import type { Options } from '../options.ts';
import { readSettings } from '../readSettings.ts';
import { UsageError } from '../UsageError.ts';
import { examineByHttp, examineInBrowser, type Examination } from './examine.ts';
import { findBrowser } from './findBrowser.ts';
import { printFindings } from './printFindings.ts';

const OPTIONS = {
  page: { kind: 'text', value: 'URL', about: 'The page to check, such as https://shop.example/thank-you. Required.' },
  relay: { kind: 'text', value: 'URL', about: "The relay's URL. By default the one that the page uses." },
  browser: {
    kind: 'text',
    value: 'PATH',
    about: 'A Chromium or Chrome. By default one that is installed; "none" checks what HTTP alone can tell.',
  },
  json: { kind: 'flag', about: 'Prints one JSON object.' },
} as const satisfies Options;

/** `offerlet doctor`: opens a merchant's page and says what is wrong with it. */
export const doctorCommand: Command = {
  summary: 'Opens a page in a browser and says why it shows no offers.',
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet doctor --page https://shop.example/thank-you',
      does: 'Checks script, policy, relay, key, outcome and layout',
    },
  ],
  async run(source) {
    const settings = readSettings(OPTIONS, source);
    const out = createOutput({ json: settings.json });
    const page = readUrl('--page', settings.page);
    if (page === undefined)
      throw new UsageError('--page is missing. Use something like --page https://shop.example/thank-you.');
    const relay = readUrl('--relay', settings.relay);
    const path = settings.browser === 'none' ? undefined : (settings.browser ?? findBrowser(source.env));
    const { findings, browser, ...found } = await examine(path, { page, relay });
    const problems = findings.filter(({ state }) => state === 'bad').length;
    out.json({ ok: problems === 0, page, relay: found.relay ?? null, browser, findings });
    if (!settings.json) printFindings({ findings, page, browser }, openTerminal({ env: source.env }));
    if (problems > 0) throw new ExitError(`${problems} of ${findings.length} checks failed.`, EXIT.failed);
  },
};

async function examine(
  path: string | undefined,
  patient: { page: string; relay: string | undefined },
): Promise<Examination> {
  if (path === undefined) return examineByHttp(patient);
  try {
    return await examineInBrowser(path, patient);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExitError(
      `The browser ${path} could not be used: ${reason} Use another one with --browser PATH, or --browser none.`,
      EXIT.failed,
    );
  }
}

function readUrl(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError(
    `${option} is not a URL of a web page: "${text}". Use something like ${option} https://shop.example/.`,
  );
}

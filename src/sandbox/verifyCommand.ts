import { writeFileSync } from 'node:fs';
import { type Command, type Options, readCall, type SettingsSource } from '../program/command.ts';
import { EXIT, ExitError, UsageError } from '../program/ExitError.ts';
import { createProgress } from '../program/progress.ts';
import { systemErrorCodes } from '../http/causes.ts';
import { inTone, openTerminal, safeText, type Terminal, type Tone } from '../program/terminal.ts';
import { readKeyFile } from '../program/readKeyFile.ts';
import { printableJson } from '../text/printable.ts';
import { readKey } from '../wire/keys.ts';
import type { Exchange, KeyName } from '../verify/network.ts';
import type { InterfaceName } from '../verify/rule.ts';
import {
  countByInterface,
  isNamed,
  isVerified,
  RULES,
  verify,
  type Verdict,
  type Verification,
} from '../verify/verify.ts';

const OPTIONS = {
  'integration-key-file': {
    kind: 'text',
    value: 'FILE',
    about: 'A file with the key of the Recommendations API. Otherwise OFFERLET_INTEGRATION_KEY.',
  },
  'management-key-file': {
    kind: 'text',
    value: 'FILE',
    about: 'A file with the key of the Channel API and its report. Otherwise OFFERLET_MANAGEMENT_KEY.',
  },
  'reporting-key-file': {
    kind: 'text',
    value: 'FILE',
    about: 'A file with the key of the publisher report. Otherwise OFFERLET_REPORTING_KEY.',
  },
  'revoked-key-file': {
    kind: 'text',
    value: 'FILE',
    about: 'A file with a key of the network that was revoked or has expired. Otherwise OFFERLET_REVOKED_KEY.',
  },
  'api-version': {
    kind: 'text',
    value: 'VERSION',
    default: '1.0.0',
    about: 'The version header of the Recommendations API.',
  },
  'read-only': { kind: 'flag', about: 'Tries only what changes nothing. Required for production keys.' },
  only: {
    kind: 'list',
    value: 'RULE',
    about:
      'Tries this rule or interface, such as E4, E4.no-id or events. If a rule fails, prints what was sent and what came.',
  },
  junit: { kind: 'text', value: 'FILE', about: 'Also writes the results as JUnit XML.' },
  json: { kind: 'flag', about: 'Prints one JSON document.' },
} as const satisfies Options;

const KEYS = [
  ['integration', 'integration-key-file', 'OFFERLET_INTEGRATION_KEY'],
  ['management', 'management-key-file', 'OFFERLET_MANAGEMENT_KEY'],
  ['reporting', 'reporting-key-file', 'OFFERLET_REPORTING_KEY'],
  ['revoked', 'revoked-key-file', 'OFFERLET_REVOKED_KEY'],
] as const satisfies readonly (readonly [KeyName, keyof typeof OPTIONS, string])[];

const MARKS: Readonly<Record<Verdict['state'], readonly [mark: string, tone: Tone, words: string]>> = {
  holds: ['✓', 'good', 'holds'],
  fails: ['✗', 'bad', 'fails'],
  untold: ['?', 'accent', 'cannot be told'],
  'not-tried': ['–', 'dim', 'not tried'],
};
const NAMES: Readonly<Record<InterfaceName, string>> = {
  recommendations: 'Recommendations',
  events: 'Events',
  channel: 'Channel',
  'channel-report': 'Channel report',
  'publisher-report': 'Publisher report',
  'events-in-reports': 'Events in reports',
  'channel-and-offers': 'Channel and offers',
  'both-reports': 'Both reports',
  'revoked-key': 'Revoked key',
};
/** Failures that the summary names. */
const WORST = 3;

/** `offerlet-sandbox verify`: asks a network for every promise of the contract. */
export const verifyCommand: Command = {
  summary: 'Says which promises of the contract a network keeps.',
  usage: 'URL [options]',
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet-sandbox verify https://partner.example',
      does: 'Tries every rule that the keys of the variables allow',
    },
    {
      call: 'offerlet-sandbox verify http://127.0.0.1:4600 --only E4',
      does: 'Repeats one. If it fails, prints its exchange',
    },
  ],
  environment: 'Each option is also a variable, such as OFFERLET_READ_ONLY=true.',
  run: runVerify,
};

async function runVerify(source: SettingsSource): Promise<void> {
  const { settings, words } = readCall(OPTIONS, source, 1);
  const terminal = openTerminal({ env: source.env });
  const url = readUrl(words[0]);
  const keys = readKeys(settings, source.env, terminal);
  const odd = Object.entries(keys).find(([, key]) => readKey(key)?.environment !== 'staging')?.[0];
  if (odd !== undefined && !settings['read-only'])
    throw new UsageError(
      `The ${odd} key is not of staging: its beginning has no _test_. In production, trying changes real data.`,
      'Use keys of staging, or --read-only.',
    );
  const only = settings.only;
  const unknown = only.find((word) => !RULES.some((rule) => isNamed(rule, word)));
  if (unknown !== undefined)
    throw new UsageError(`--only names no rule: "${unknown}". Use one such as E4, E4.no-id or events.`);
  const abort = new AbortController();
  const stop = (): void => {
    terminal.note('Stopping, and undoing what was changed.');
    abort.abort();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const progress = createProgress(terminal);
  try {
    const found = await verify({
      url,
      keys,
      version: settings['api-version'],
      fetch,
      signal: abort.signal,
      only,
      readOnly: settings['read-only'],
      onVerdict: ({ rule }, done, all) => progress.step(`${done} of ${all} rules  ${rule.id}`),
    });
    progress.end();
    if (settings.json) terminal.write(`${printableJson(documentOf(url, found), 2)}\n`);
    else printFound(terminal, found, only.length > 0);
    if (settings.junit !== undefined) writeJunit(settings.junit, found);
    for (const what of found.left) terminal.note(`Left behind: ${what}.`);
    if (found.isInterrupted) throw new ExitError('Stopped before the end.', EXIT.interrupted);
    if (!isVerified(found)) throw new ExitError('', EXIT.someFailed, { code: 'not_verified' });
  } finally {
    progress.end();
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
}

function readUrl(word: string | undefined): string {
  if (word === undefined)
    throw new UsageError(
      'The URL of the network is missing. Use something like offerlet-sandbox verify https://partner.example.',
    );
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new UsageError('The URL of the network is not valid. Use something like https://partner.example.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function readKeys(
  settings: Readonly<Partial<Record<string, unknown>>>,
  env: SettingsSource['env'],
  terminal: Terminal,
): Partial<Record<KeyName, string>> {
  const keys: Partial<Record<KeyName, string>> = {};
  for (const [name, option, variable] of KEYS) {
    const path = settings[option];
    const key = typeof path === 'string' ? readKeyFile(`--${option}`, path, terminal.note) : env[variable]?.trim();
    if (key) keys[name] = key;
  }
  if (Object.keys(keys).length === 0)
    throw new UsageError(
      `There is no key. Use ${KEYS.map(([, option]) => `--${option}`).join(', ')}, or their variables.`,
    );
  return keys;
}

function printFound(terminal: Terminal, found: Verification, isExchanged: boolean): void {
  const { hasColor } = terminal;
  const lines: string[] = [];
  const failed = found.verdicts.filter(({ state }) => state === 'fails');
  for (const { name, holds, fails, untold, notTried, all } of countByInterface(found)) {
    const rest = [
      fails > 0 && inTone(`${fails} fail`, 'bad', hasColor),
      untold > 0 && `${untold} cannot be told`,
      notTried > 0 && `${notTried} not tried`,
    ].filter((each) => each !== false);
    lines.push(`${NAMES[name].padEnd(20)}${`${holds} of ${all} hold`.padEnd(18)}${rest.join(', ')}`.trimEnd());
  }
  lines.push(`${found.calls} calls.`, '');
  if (failed.length > 0)
    lines.push('The worst:', ...failed.slice(0, WORST).flatMap((verdict) => linesOf(verdict, hasColor)), '');
  for (const verdict of found.verdicts) {
    const [mark, tone] = MARKS[verdict.state];
    const because = verdict.state === 'holds' || verdict.because === undefined ? '' : `  ${safeText(verdict.because)}`;
    lines.push(`${inTone(mark, tone, hasColor)} ${verdict.rule.id.padEnd(26)}${verdict.rule.says}${because}`);
    if (isExchanged && verdict.exchange) lines.push(...describe(verdict.exchange));
  }
  terminal.write(`${lines.join('\n')}\n`);
}

function linesOf({ rule, because = '', exchange }: Verdict, hasColor: boolean): string[] {
  const came = exchange ? `${exchange.status} ${safeText(exchange.text).slice(0, 160)}` : 'nothing';
  return [
    `  ${inTone(rule.id, 'strong', hasColor)}  ${rule.says}`,
    `    sent      ${exchange ? safeText(exchange.sent.call) : ''}`,
    `    expected  ${safeText(because)}`,
    `    came      ${came}`,
  ];
}

function describe({ sent, status, headers, text }: Exchange): string[] {
  const named = ['content-type', 'retry-after', 'x-request-id'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`    < ${name}: ${safeText(value)}`];
  });
  return [
    `    > ${safeText(sent.call)}`,
    ...Object.entries(sent.headers).map(([name, value]) => `    > ${name}: ${safeText(value)}`),
    ...(sent.body === undefined ? [] : [`    > ${safeText(sent.body)}`]),
    `    < ${status}`,
    ...named,
    `    < ${safeText(text).slice(0, 2_000)}`,
  ];
}

function documentOf(url: string, found: Verification): object {
  return {
    url,
    verified: isVerified(found),
    calls: found.calls,
    interfaces: countByInterface(found).map(({ notTried, ...rest }) => ({ ...rest, not_tried: notTried })),
    rules: found.verdicts.map(({ rule, state, because, exchange }) => ({
      id: rule.id,
      interface: rule.of,
      says: rule.says,
      result: MARKS[state][2],
      ...(state !== 'holds' && { [state === 'fails' ? 'expected' : 'why']: because }),
      ...(exchange && { sent: exchange.sent, came: { status: exchange.status, body: exchange.text.slice(0, 2_000) } }),
    })),
    left_behind: found.left,
  };
}

function writeJunit(path: string, { verdicts }: Verification): void {
  const escape = (text: string): string =>
    safeText(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const cases = verdicts.map(({ rule, state, because = '', exchange }) => {
    const name = `<testcase classname="${escape(NAMES[rule.of])}" name="${escape(`${rule.id} ${rule.says}`)}"`;
    if (state === 'holds') return `${name}/>`;
    const came = exchange ? ` ${exchange.sent.call} returned ${exchange.status} ${exchange.text.slice(0, 500)}` : '';
    if (state === 'fails')
      return `${name}><failure message="expected ${escape(because)}">${escape(came)}</failure></testcase>`;
    return `${name}><skipped message="${escape(`${MARKS[state][2]}: ${because}`)}"/></testcase>`;
  });
  const count = (state: Verdict['state']): number => verdicts.filter((verdict) => verdict.state === state).length;
  const skipped = count('untold') + count('not-tried');
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="offerlet-sandbox verify" tests="${verdicts.length}" failures="${count('fails')}" skipped="${skipped}">\n${cases.join('\n')}\n</testsuite>\n`;
  try {
    writeFileSync(path, xml);
  } catch (error) {
    throw new UsageError(`--junit cannot be written: "${path}" (${systemErrorCodes(error).join(', ')}).`);
  }
}

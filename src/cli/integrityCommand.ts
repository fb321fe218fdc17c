import { createHash } from 'node:crypto';
import { type Command, type Options, readSettings } from '../program/command.ts';
import { EXIT, ExitError } from '../program/ExitError.ts';
import { installedVersion, readInstalled } from '../program/runCommands.ts';
import { printableJson } from '../text/printable.ts';
import { openTerminal } from '../program/terminal.ts';

const OPTIONS = {
  src: { kind: 'text', value: 'URL', default: '/offerlet.js', about: 'Where your page loads the script from.' },
  json: { kind: 'flag', about: 'Prints one JSON document.' },
} as const satisfies Options;

/** `offerlet integrity`: the SRI value of the installed script, and the tag with it. */
export const integrityCommand: Command = {
  summary: 'Prints the integrity value (SRI) of the installed offerlet.js, and the script tag with it.',
  options: OPTIONS,
  examples: [
    { call: 'offerlet integrity', does: 'Value and tag for the installed version' },
    {
      call: 'offerlet integrity --src https://cdn.example/offerlet-0.1.0.js',
      does: 'The tag for a copy on your own CDN',
    },
  ],
  async run(source) {
    const { src, json } = readSettings(OPTIONS, source);
    const integrity = readIntegrity();
    const tag = `<script async src="${attribute(src)}" integrity="${integrity}" crossorigin="anonymous"\n        data-relay="/offers" data-view="THANK_YOU" data-display-mode="OVERLAY"></script>`;
    const version = installedVersion();
    openTerminal(source).write(
      json ? `${printableJson({ version, file: 'offerlet.js', integrity, tag }, 2)}\n` : `${integrity}\n\n${tag}\n`,
    );
  },
};

/** The integrity value of the installed script. Throws an `ExitError` when it is missing or was changed. */
export function readIntegrity(): string {
  const script = readInstalled('offerlet.js');
  if (script === undefined)
    throw new ExitError('offerlet.js is not built. Run "npm run build", or install the package.', EXIT.failed);
  const integrity = integrityValue(script);
  const released = releasedIntegrity();
  if (released !== undefined && released !== integrity)
    throw new ExitError(
      'offerlet.js is not the one of this release: its integrity value differs from integrity.json. Install the package again.',
      EXIT.failed,
    );
  return integrity;
}

/** Returns the integrity value (SRI) of a file. */
export function integrityValue(file: string | Uint8Array): string {
  return `sha384-${base64Hash('sha384', file)}`;
}

/** Returns the hash of a file as integrity values write it. */
export function base64Hash(algorithm: string, file: string | Uint8Array): string {
  return createHash(algorithm).update(file).digest('base64');
}

/** The value that the build wrote beside the script. */
function releasedIntegrity(): string | undefined {
  const text = readInstalled('integrity.json');
  if (text === undefined) return undefined;
  const { files } = JSON.parse(text) as { files?: Readonly<Record<string, string>> };
  return files?.['offerlet.js'];
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

import { renderOffers } from 'offerlet/html';
import { type Command, type Options, readSettings } from '../program/command.ts';
import { readIntegrity } from './integrityCommand.ts';
import { printableJson } from '../text/printable.ts';
import { openTerminal } from '../program/terminal.ts';
import { isLoopbackHost } from '../wire/keys.ts';
import { UsageError } from '../program/ExitError.ts';

const OPTIONS = {
  relay: { kind: 'text', value: 'URL', about: 'URL or path of the relay, as your page has it. Required.' },
  src: { kind: 'text', value: 'URL', default: '/offerlet.js', about: 'Where your page loads the script from.' },
  image: {
    kind: 'list',
    value: 'ORIGIN',
    about:
      "Origin of the network's images, such as https://cdn.partner.example, or http://127.0.0.1:4600 for a sandbox. By default any https origin.",
  },
  html: { kind: 'flag', about: "Offers are in the page's HTML (renderOffers): allows their style sheet." },
  json: { kind: 'flag', about: 'Prints one JSON document.' },
} as const satisfies Options;

/** `offerlet csp`: what a page's Content-Security-Policy has to allow, and the integrity value of the script. */
export const cspCommand: Command = {
  summary: "Prints what your page's Content-Security-Policy has to allow, and the script's integrity value.",
  options: OPTIONS,
  examples: [
    { call: 'offerlet csp --relay /offers', does: 'Relay and script on the origin of the page' },
    {
      call: 'offerlet csp --relay https://offers.shop.example --image https://cdn.partner.example',
      does: 'A relay on another host, and images of one origin only',
    },
  ],
  async run(source) {
    const { relay, src, image, html, json } = readSettings(OPTIONS, source);
    if (relay === undefined)
      throw new UsageError('--relay is missing. Use the URL or path of your relay, such as --relay /offers.');
    const { styleHash } = renderOffers(undefined);
    const directives = [
      ...directivesFor({ relay, src, images: image ?? [] }),
      ...(html ? [`style-src 'self' ${styleHash}`] : []),
    ];
    const integrity = readIntegrity();
    const header = `Content-Security-Policy: ${directives.join('; ')}`;
    openTerminal(source).write(
      json
        ? `${printableJson({ header, directives, integrity, styleHash }, 2)}\n`
        : `${header}\n\nTo your own policy, add these sources to its directives. Nothing else is needed: no nonce, no unsafe-inline,\nno style-src, and Trusted Types may be required. Offers in the page's HTML (renderOffers) need style-src ${styleHash}.\n\nintegrity="${integrity}" crossorigin="anonymous"\n`,
    );
  },
};

/** The directives that a page with offers needs. Throws a `UsageError`. */
export function directivesFor({
  relay,
  src,
  images,
}: {
  relay: string;
  src: string;
  images: readonly string[];
}): readonly string[] {
  const sources = images.map((image) => {
    const { protocol, hostname, origin } = new URL(URL.canParse(image) ? image : 'about:blank');
    if (origin === image && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)))) return image;
    throw new UsageError(
      `--image is not an exact https origin: "${image}". Use something like https://cdn.partner.example.`,
    );
  });
  return [
    `script-src ${sourceOf('--src', src)}`,
    `connect-src ${sourceOf('--relay', relay)}`,
    `img-src ${sources.join(' ') || 'https:'}`,
  ];
}

/** The origin of a URL, or `'self'` for a path. */
function sourceOf(option: string, url: string): string {
  if (/^\/(?![/\\])\S*$/.test(url)) return "'self'";
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  if (/^https?:$/.test(protocol)) return origin;
  throw new UsageError(
    `${option} is not a URL or a path: "${url}". Use something like https://shop.example/offers or /offers.`,
  );
}

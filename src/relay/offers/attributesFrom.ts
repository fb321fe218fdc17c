import type { Attributes } from '../../wire/offers/request.ts';

type ReadHeader = (name: string) => string | null;

/** What a browser's own headers say about the shopper's device and language. */
export function attributesFrom(header: ReadHeader): Attributes {
  const attributes: Attributes = {};
  const device = deviceOf(header);
  const language = languageOf(header('accept-language'));
  if (device) attributes.device_type = device;
  if (language) attributes.language = language;
  return attributes;
}

function deviceOf(header: ReadHeader): Attributes['device_type'] {
  const agent = (header('user-agent') ?? '').slice(0, 1_000);
  if (/iPad|Tablet|PlayBook|Silk(?!.*Mobile)|Android(?!.*Mobile)/i.test(agent)) return 'TABLET';
  if (header('sec-ch-ua-mobile') === '?1' || /Mobi|iPhone|iPod/i.test(agent)) return 'MOBILE';
  return /Windows NT|Macintosh|X11|Linux|CrOS/i.test(agent) ? 'DESKTOP' : undefined;
}

/** The ISO 639 code of the language that is wanted most: `de` of `de-CH,de;q=0.9,en;q=0.8`. */
function languageOf(accepted: string | null): string | undefined {
  const wanted = (accepted ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => ({
      tag: /^\s*([a-z]{2,3})(?:-[\w-]+)?\s*(?:;|$)/i.exec(part)?.[1]?.toLowerCase(),
      q: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1),
    }))
    .filter((part) => part.tag !== undefined && part.q > 0);
  return wanted.sort((a, b) => b.q - a.q)[0]?.tag;
}

import { createHash } from 'node:crypto';
import { bad, good, note, type Finding } from './finding.ts';
import { readStartBytes } from '../readStart.ts';
import { FETCH_MS, reasonOf } from './readPage.ts';
import type { PageRecord, ScriptTag } from './recordPage.ts';

/** Bytes of the script that are read: many times what it has. */
const SCRIPT_MAX = 1_000_000;

/** Checks that offerlet is on the page once, and that its file is the one that the page expects. */
export async function scriptChecks(
  { href, scripts, elements }: Pick<PageRecord, 'href' | 'scripts' | 'elements'>,
  { isActive }: { isActive: boolean | undefined },
): Promise<Finding[]> {
  const title = 'Script';
  const [tag, ...others] = scripts;
  if (!tag) {
    const element = elements.length > 0 ? ' and the <offer-let> element' : '';
    if (isActive) return [good(title, `No script tag: the offers come from the page's own bundle${element}.`)];
    const text =
      'offerlet.js is not on this page. Add the script tag, or call showOffers() in your bundle. If a consent or tag manager adds it later, check that it has done so.';
    // Without a browser nobody knows what the page's own scripts do.
    return [isActive === undefined ? note(title, `No script tag in the HTML. ${text}`) : bad(title, text)];
  }
  if (others.length > 0)
    return [
      bad(
        title,
        `offerlet.js is on this page ${scripts.length} times. The first one works, the others do nothing: remove them.`,
      ),
    ];
  return [good(title, `One script tag: ${tag.src}`), ...(await fileChecks(tag, href))];
}

async function fileChecks(tag: ScriptTag, href: string): Promise<Finding[]> {
  const title = 'Integrity';
  const { src, integrity, crossorigin } = tag;
  const isForeign = new URL(src).origin !== new URL(href).origin;
  let bytes: Uint8Array;
  try {
    const response = await fetch(src, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok)
      return [bad('Script file', `${src} returns ${response.status}. Upload the file there, or correct src.`)];
    bytes = await readStartBytes(response, SCRIPT_MAX + 1);
    if (bytes.byteLength > SCRIPT_MAX)
      return [
        bad('Script file', `${src} is larger than 1 MB: it is not offerlet.js. Upload the file there, or correct src.`),
      ];
    const type = response.headers.get('content-type') ?? '';
    if (!/javascript|ecmascript/i.test(type))
      return [
        bad(
          'Script file',
          `${src} has the content type "${type}" instead of text/javascript. It may be an error page, or the server must send the right type.`,
        ),
      ];
  } catch (error) {
    return [bad('Script file', `${src} cannot be fetched (${reasonOf(error)}).`)];
  }
  const own = `sha384-${hashOf('sha384', bytes)}`;
  if (integrity === '')
    return isForeign
      ? [
          note(
            title,
            `The file comes from another origin and is not pinned. Add integrity="${own}" crossorigin="anonymous".`,
          ),
        ]
      : [good(title, 'Not pinned, and not necessary: the file comes from the page’s own origin.')];
  const isRight = integrity.split(/\s+/).some((value) => {
    const [, algorithm = '', hash = ''] = /^(sha256|sha384|sha512)-([^?]+)/.exec(value) ?? [];
    return algorithm !== '' && hashOf(algorithm, bytes) === hash;
  });
  if (!isRight)
    return [
      bad(
        title,
        `The file is not the one that integrity names, so browsers refuse it. If you have updated the file, write integrity="${own}".`,
      ),
    ];
  if (isForeign && !crossorigin)
    return [
      bad(title, 'integrity needs crossorigin="anonymous" on a file of another origin; browsers refuse it otherwise.'),
    ];
  return [good(title, 'The file is the one that integrity names.')];
}

function hashOf(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('base64');
}

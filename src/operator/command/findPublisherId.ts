import type { ChannelClient } from '../../clients.ts';
import { hasAllWords, isSameName } from '../publishers/rankByWords.ts';
import { EXIT, ExitError } from '../../cli/ExitError.ts';
import { safeText } from '../../cli/output/displayWidth.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Names that a message lists. */
const NAMES_MAX = 5;

/**
 * Returns the id of the publisher that an option names by its id, its name, or words that only its name contains. Throws an
 * `ExitError` when none matches, or several do.
 */
export async function findPublisherId(
  channel: ChannelClient,
  { text, option }: { readonly text: string; /** As it is written, such as `--publisher`. */ readonly option: string },
): Promise<string> {
  if (UUID.test(text)) return text;
  // An unset variable of a shell must not name the only publisher of a channel.
  if (text.trim() === '')
    throw new ExitError(`${option} is empty. Write the id or the name of a publisher.`, EXIT.usage);
  const found: { id: string; name: string }[] = [];
  for await (const { publisher_remote_id: id, brand_name: name } of channel.allPublishers({ q: text }))
    if (id !== null && hasAllWords(name, text)) found.push({ id, name });
  const exact = found.filter(({ name }) => isSameName(name, text));
  const matches = exact.length > 0 ? exact : found;
  const [only] = matches;
  if (only && matches.length === 1) return only.id;
  const shown = safeText(text).slice(0, 80);
  if (!only)
    throw new ExitError(
      `Your channel has no publisher with the id or name "${shown}". "offerlet publishers list" shows all; only approved ones are found by name.`,
      EXIT.notFound,
    );
  const names = matches.slice(0, NAMES_MAX).map(({ id, name }) => `"${safeText(name)}" (${id})`);
  const more = matches.length > NAMES_MAX ? ', …' : '';
  throw new ExitError(
    `${option} "${shown}" matches ${matches.length} publishers: ${names.join(', ')}${more}. Use the id, or the whole name where it differs.`,
    EXIT.usage,
  );
}

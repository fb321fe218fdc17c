import { EXIT, ExitError } from '../ExitError.ts';
import type { Connection } from '../operators/connection.ts';
import { safeText } from '../output/displayWidth.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the ids of publishers that are given by id or by name; undefined without any. */
export async function resolvePublishers(
  connection: Connection,
  given: readonly string[],
): Promise<readonly string[] | undefined> {
  if (given.length === 0) return undefined;
  const ids: string[] = [];
  for (const text of given) ids.push(UUID.test(text) ? text : await idOf(connection, text));
  return ids;
}

async function idOf(connection: Connection, name: string): Promise<string> {
  const found = [];
  for await (const publisher of connection.channel().allPublishers({ q: name }))
    if (publisher.publisher_remote_id !== null) found.push(publisher);
  const fold = (text: string): string => text.trim().toLowerCase();
  const exact = found.filter(({ brand_name }) => fold(brand_name) === fold(name));
  const [only] = exact.length > 0 ? exact : found;
  if (only?.publisher_remote_id && (exact.length === 1 || found.length === 1)) return only.publisher_remote_id;
  const names = found.slice(0, 5).map(({ brand_name }) => `"${safeText(brand_name)}"`);
  throw new ExitError(
    found.length === 0
      ? `Your channel has no approved publisher named "${safeText(name)}". "offerlet publishers list" shows all.`
      : `--filter publisher=${safeText(name)} matches ${found.length} publishers: ${names.join(', ')}. Use the whole name or the id.`,
    found.length === 0 ? EXIT.notFound : EXIT.usage,
  );
}

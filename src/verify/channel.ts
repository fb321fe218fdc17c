import { CHANNEL_PATHS } from '../wire/channel.ts';
import { own } from '../wire/json.ts';
import { type Ask, type Exchange, expect, expectOk } from './network.ts';
import { refused, type Checked, type Rule } from './rule.ts';

// Calls of the Channel API.

export const get = (path: string, query: Ask['query'] = ''): Ask => ({ path, query, key: 'management' });
export const put = (path: string, body: unknown): Ask => ({ method: 'PUT', path, key: 'management', body });
export const remove = (id: string): Ask => ({ method: 'DELETE', path: CHANNEL_PATHS.remove(id), key: 'management' });
export const bad = (id: string, says: string, ask: Ask): Omit<Rule, 'of'> => refused(id, says, ask, 400);

/** A page of the list of publishers. */
export async function listed(
  on: Checked,
  query: Record<string, string>,
): Promise<{ exchange: Exchange; publishers: readonly unknown[]; count: number }> {
  const exchange = await on.ask(get(CHANNEL_PATHS.publishers, query));
  const json = expectOk(exchange);
  const [publishers, count] = [own(json, 'publishers'), own(json, 'count')];
  const isWhole = Array.isArray(publishers) && typeof count === 'number';
  expect(exchange, '{ count, next, previous, publishers: […] }', isWhole);
  return { exchange, publishers: publishers as readonly unknown[], count: Number(count) };
}

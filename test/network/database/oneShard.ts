import { REFERENCE_TABLES, SHARDED_TABLES } from '../../../src/network/database/schema.ts';
import type { Parameter } from '../../../src/network/database/database.ts';

const TABLE = new RegExp(
  `\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(${[...SHARDED_TABLES, ...REFERENCE_TABLES].join('|')})\\b(?:\\s+(?:AS\\s+)?(?!ON\\b|WHERE\\b|SET\\b|USING\\b|JOIN\\b)(\\w+))?`,
  'gi',
);
const VOLATILE =
  /\b(?:now|random|gen_random_uuid|clock_timestamp|statement_timestamp|nextval)\s*\(|date_trunc|::regclass/i;

/**
 * Says why a distributed PostgreSQL could not send a statement to one shard, without such an engine: `undefined` if it can.
 * A statement that names no sharded table passes: every node has the small tables. Otherwise each sharded table must be
 * bound to the same single publisher, in the form that the planner routes without looking at any row.
 */
export function whyNotOneShard(sql: string, params: readonly Parameter[] = []): string | undefined {
  const tables = [...sql.matchAll(TABLE)].map(([, table = '', alias]) => ({ table, alias: alias ?? table }));
  const sharded = tables.filter(({ table }) => SHARDED_TABLES.some((name) => name === table));
  if (sharded.length === 0) return undefined;
  if (VOLATILE.test(sql)) return 'it calls a function whose result the nodes would not agree on';
  if (/\bWITH\b[^]*\b(?:INSERT|UPDATE|DELETE)\b/i.test(sql)) return 'it writes inside WITH';
  if (/^\s*INSERT\b/i.test(sql)) return whyNotOnePublishersRows(sql, params);
  if (/\bRETURNING\b[^]*[(]/i.test(sql)) return 'it computes in RETURNING';
  for (const { table, alias } of sharded) {
    const bound = new RegExp(`\\b(?:${alias}\\.)?publisher_id = \\$1\\b`);
    if (!(sharded.length > 1 ? new RegExp(`\\b${alias}\\.publisher_id = \\$1\\b`) : bound).test(sql))
      return `it does not say whose rows of ${table} it means (publisher_id = $1)`;
  }
  return typeof params[0] === 'string' ? undefined : 'its $1 is not a publisher';
}

function whyNotOnePublishersRows(sql: string, params: readonly Parameter[]): string | undefined {
  const parts =
    /^\s*INSERT INTO \w+(?: AS \w+)? \(publisher_id, ([\w, ]+)\) VALUES ((?:\(\$1, [$\d, ]+\)(?:, )?)+)\s*(ON CONFLICT[^]*?)?(RETURNING [\w, ]+)?\s*$/.exec(
      sql,
    );
  if (!parts) return 'it is not one INSERT of VALUES that all begin with the publisher, $1';
  const [, columns = '', rows = '', conflict] = parts;
  const width = columns.split(', ').length;
  const count = rows.split('($1').length - 1;
  if (count * width + 1 !== params.length) return 'it has other parameters than its rows need';
  const target = /ON CONFLICT \(([\w, ]+)\)/.exec(conflict ?? '')?.[1];
  // Without a target any key counts, and every key of these tables holds publisher_id.
  if (target === undefined) return undefined;
  return target.split(', ').includes('publisher_id') ? undefined : 'its ON CONFLICT does not name publisher_id';
}

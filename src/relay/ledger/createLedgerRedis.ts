import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { addDays } from '../../wire/utcDates.ts';
import { addCount, readCell, rowsOf, type Ledger } from './ledger.ts';

/** The part of a Redis client that is used; the client of the `redis` package has it. */
export interface RedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

/** Seconds that the counts of a day are kept: 400 days. */
export const LEDGER_SECONDS = String(400 * 24 * 3_600);

/** A ledger in Redis: a hash for each UTC day, whose fields are cells without their date, and a key for each session. */
export function createLedgerRedis(client: RedisClient, prefix: string): Ledger & { dayKey(day: string): string } {
  const dayKey = (day: string): string => `${prefix}ledger:${day}`;
  const sessionKey = (session: string): string => `${prefix}session:${session}`;

  return {
    dayKey,
    async add(counts) {
      await Promise.all(
        [...counts].flatMap(([cell, count]) => {
          const key = dayKey(cell.slice(0, 10));
          return [
            client.sendCommand(['HINCRBY', key, cell.slice(11), String(count)]),
            client.sendCommand(['EXPIRE', key, LEDGER_SECONDS]),
          ];
        }),
      );
    },
    async openSession(session, placement) {
      await client.sendCommand(['SET', sessionKey(session), placement, 'PX', String(DEDUPE_MAX_AGE_MS)]);
    },
    async placementsOf(sessions) {
      const found = await Promise.all(sessions.map((session) => client.sendCommand(['GET', sessionKey(session)])));
      return found.map((placement) => (typeof placement === 'string' ? placement : undefined));
    },
    async read({ from, to }) {
      const counts = new Map<string, number>();
      const problems: string[] = [];
      for (let day = from; day <= to; day = addDays(day, 1)) {
        for (const [field, text] of pairsOf(await client.sendCommand(['HGETALL', dayKey(day)]))) {
          // A field is what follows the date and its T: `10 BRAND_CLICK …`.
          const [cell, count] = [`${day}T${field}`, Number(text)];
          if (Number.isSafeInteger(count) && count >= 0 && readCell(cell)) addCount(counts, cell, count);
          else
            problems.push(
              `${dayKey(day)}: ${JSON.stringify(field)} ${JSON.stringify(text)} is not a count and was skipped.`,
            );
        }
      }
      return { rows: rowsOf(counts), problems };
    },
  };
}

/** The fields of a hash: RESP2 returns a list of names and values, RESP3 a map. */
function pairsOf(reply: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(reply)) {
    const entries = reply instanceof Map ? [...reply] : Object.entries(reply ?? {});
    return entries.map(([field, count]) => [String(field), String(count)]);
  }
  const flat = reply as readonly unknown[];
  return flat.flatMap((field, at) => (at % 2 === 0 ? [[String(field), String(flat[at + 1])] as const] : []));
}

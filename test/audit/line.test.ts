import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Audit } from '../../src/cli/audit/makeAudit.ts';
import { openDedupeRedis } from '../../src/relay-redis.ts';
import { readLedger, type LedgerCounts } from '../../src/relay.ts';
import { dateOf } from '../../src/wire/utcDates.ts';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { freePort } from '../fixtures/serve.ts';
import { seeded } from '../fixtures/random.ts';
import { newDamage, strike } from '../line/whole/wholeLine.ts';
import { buildCommand, type Command, type Running } from '../relay/command.ts';
import { openAuditWorld, type AuditWorld } from './auditWorld.ts';
import { createShoppers } from './shoppers.ts';

/** Sessions of a run; OFFERLET_AUDIT_SESSIONS=10000 for the run that docs/project/measured.md reports. */
const SESSIONS = Number(process.env['OFFERLET_AUDIT_SESSIONS'] ?? 160);
const FAULTS = { lost: 0.07, failed: 0.05, partial: 0.05 };
/** Batches after which a relay is killed. */
const KILL_EVERY = Math.max(20, SESSIONS / 30);

let command: Command;
beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());

describe('through lost responses, 5xx, 207s, kill -9, midnight and clocks that are set back', () => {
  let world: AuditWorld;
  let redis: ChildProcess | undefined;
  const relays: Running[] = [];
  afterEach(async () => {
    for (const relay of relays.splice(0)) {
      relay.kill('SIGKILL');
      await relay.ended;
    }
    redis?.kill();
    await world.close();
  });

  /** Plays all sessions against relays that are killed again and again. Returns the audit and what was done. */
  async function play(
    count: number,
    {
      store,
      mostKills,
      readCounts,
    }: {
      store: readonly string[];
      mostKills: number;
      readCounts(dates: { from: string; to: string }): Promise<LedgerCounts>;
    },
  ): Promise<{ audit: Audit; truth: ReadonlyMap<string, number>; events: number; kills: number }> {
    const random = seeded(2_028);
    const start = (): Running =>
      command.start(
        ['relay', '--network', world.url, '--port', '0', '--sandbox', '--forward-event-ids', '--json', ...store],
        { env: { OFFERLET_API_KEY: world.integrationKey } },
      );
    for (let at = 0; at < count; at++) relays.push(start());
    let [sent, kills, isDelivering] = [0, 0, false];
    let killing = Promise.resolve();
    const kill = async (): Promise<void> => {
      const at = Math.floor(random() * count);
      relays[at]?.kill('SIGKILL');
      await relays[at]?.ended;
      relays[at] = start();
    };
    const shoppers = createShoppers({
      random,
      end: world.end,
      async send(path, body) {
        sent += 1;
        if (isDelivering && sent % Math.floor(KILL_EVERY) === 0 && kills < mostKills) {
          kills += 1;
          killing = killing.then(kill);
        }
        const relay = relays[Math.floor(random() * count)];
        const headers = { 'content-type': 'application/json' };
        return fetch(`${await relay?.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      },
    });
    for (const hour of world.hours) {
      await world.setClock(hour);
      await shoppers.open(hour, Math.ceil(SESSIONS / world.hours.length));
    }
    await world.setClock(world.end);
    isDelivering = true;
    await shoppers.deliver();
    await killing;
    await Promise.all(relays.map((relay) => relay.url));
    await world.setClock(world.end + 24 * 3_600_000);
    const ledger = await readCounts({ from: dateOf(world.hours[0] ?? 0), to: dateOf(world.end) });
    const audit = await world.audit(ledger, { by: ['view', 'display_mode', 'widget_id'] });
    return { audit, truth: shoppers.truth(), events: shoppers.events.length, kills };
  }

  function expectAgreement({ audit, truth, events, kills }: Awaited<ReturnType<typeof play>>): void {
    const [ours, theirs] = [new Map<string, number>(), new Map<string, number>()];
    for (const row of audit.rows) {
      const key = `${row.period_start} ${row.metric}`;
      ours.set(key, (ours.get(key) ?? 0) + row.ours);
      theirs.set(key, (theirs.get(key) ?? 0) + row.theirs);
    }
    expect(theirs).toEqual(truth);
    expect(ours).toEqual(truth);
    expect(audit.rows.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(audit.within).toBe(true);
    expect(new Set([...truth.keys()].map((key) => key.slice(0, 10))).size).toBe(2);
    expect(kills).toBeGreaterThan(1);
    if (SESSIONS >= 1_000)
      process.stdout.write(`${SESSIONS} sessions, ${events} events, ${kills} kills: no difference\n`);
  }

  /** A network that loses responses, fails and accepts in part. */
  function openBadWorld(): Promise<AuditWorld> {
    const [damage, random] = [newDamage(), seeded(7)];
    return openAuditWorld(async (request, toNetwork, from) => {
      const response = await strike({ request, damage, faults: FAULTS, random, pass: toNetwork });
      if (response) return response;
      from.drop?.();
      return new Response(null, { status: 500 });
    });
  }

  test('a relay with files agrees with the network, to the event, in every hour and placement', async () => {
    world = await openBadWorld();
    const directory = makeFolder();
    expectAgreement(
      await play(1, {
        store: ['--data', directory],
        mostKills: Infinity,
        readCounts: (dates) => readLedger(directory, dates),
      }),
    );
  });

  test.skipIf(process.env['OFFERLET_TEST_REDIS'] !== '1')(
    'two relays on one Redis agree with the network, to the event, in every hour and placement',
    async () => {
      world = await openBadWorld();
      const port = await freePort();
      redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
      const url = `redis://127.0.0.1:${port}`;
      const store = await connected(url, redis);
      // What a relay had claimed when it was killed, no other one forwards for 20 seconds.
      try {
        expectAgreement(
          await play(2, { store: ['--redis', url], mostKills: 2, readCounts: (dates) => store.ledger.read(dates) }),
        );
      } finally {
        await store.close();
      }
    },
  );
});

/** Connects as soon as the server that was just started listens. */
async function connected(url: string, server: ChildProcess): ReturnType<typeof openDedupeRedis> {
  for (;;) {
    try {
      return await openDedupeRedis({ url });
    } catch (error) {
      if (server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

import type { StoredEvent } from '../../src/queue/events.ts';
import type { Redis } from './redis.ts';
import { QUEUE_MAX_AGE_MS } from '../../src/wire/limits.ts';
import { DAY_MS } from '../../src/wire/utcDates.ts';
import type { Device } from './browser.ts';
import type { NetworkDatabase, NetworkServer, Publisher } from './network.ts';
import type { Plan } from './plan.ts';
import type { RelayServer } from './relay.ts';
import { differenceOf, type Process, type World } from './world.ts';
import type { AuditedMetric } from '../../src/cli/audit/compareCounts.ts';
import { type Exchange, sharedSessions, type Wire } from './wire.ts';

/** Milliseconds by which clocks may differ before a network refuses events. */
const CLOCKS_MS = 200_000;

interface Tracked {
  readonly device: Device;
  /** That have tracked it, the latest first. */
  readonly tabs: readonly Process[];
  readonly event: StoredEvent;
  /** By the world's time. */
  readonly at: number;
  /** Consent was withdrawn since: it need not arrive. */
  isWithdrawn: boolean;
  /** That had tracked it when consent was withdrawn, before another one tracked it again. */
  readonly withdrawnIn: readonly Process[];
}

/** What really happened, and what was said of it. */
export class Truth {
  readonly plan: Plan;
  readonly wire: Wire;
  readonly relays: readonly RelayServer[];
  readonly network: NetworkServer;
  readonly redis: Redis;
  readonly dropped: { device: Device; tab: Process; reason: string; count: number }[] = [];
  /** What a page said to be delivered: its name, and the id. */
  readonly delivered = new Set<string>();
  /** Events that were said to be refused for good. */
  readonly dead = new Map<string, { device: Device; reason: string }>();
  /** Events that were delivered too late. */
  readonly late: string[] = [];
  /** What must never happen, whatever else does. */
  readonly broken: string[] = [];
  audited: Awaited<ReturnType<RelayServer['audit']>> | undefined;
  readonly tracked = new Map<string, Tracked>();
  /** What pages have stored and not delivered: two tabs of one session may store an event each. */
  readonly rows: { device: Device; id: string; at: number }[] = [];
  /** Sessions that the merchant's server prefetched, and for whom. */
  readonly blocks: { session: string; person: number }[] = [];
  /** Events of a page that shows after a week what another has shown. Nobody remembers the first. */
  readonly again = new Set<string>();
  readonly #world: World;
  /** Ids that no page may send any more. */
  readonly #forbidden = new Map<Device, Set<string>>();
  readonly #denied = new Set<Device>();

  constructor(plan: Plan, world: World, of: Pick<Truth, 'wire' | 'relays' | 'network' | 'redis'>) {
    this.plan = plan;
    this.#world = world;
    this.wire = of.wire;
    this.relays = of.relays;
    this.network = of.network;
    this.redis = of.redis;
  }

  noteTracked(device: Device, tab: Process, { event, hasConsent }: { event: StoredEvent; hasConsent: boolean }): void {
    // What was under way to the disk when consent was withdrawn may say so afterwards.
    if (!hasConsent) this.#forbid(device, event.event_id);
    else this.#forbidden.get(device)?.delete(event.event_id);
    const { event_id: id } = event;
    this.rows.push({ device, id, at: this.#world.time });
    // What it has delivered of another page, it has written anew.
    this.delivered.delete(`${tab.name} ${id}`);
    const before = this.tracked.get(id);
    if (before && this.isOld(before)) this.again.add(id);
    const tabs = [tab, ...(before?.tabs ?? [])];
    const withdrawnIn = before?.isWithdrawn ? before.tabs : (before?.withdrawnIn ?? []);
    this.tracked.set(id, { device, tabs, withdrawnIn, event, at: this.#world.time, isWithdrawn: !hasConsent });
  }

  noteDelivered(device: Device, tab: string, ids: readonly string[]): void {
    for (const id of ids) {
      this.delivered.add(`${tab} ${id}`);
      const latest = this.rows.findLastIndex((row) => row.device === device && row.id === id);
      if (latest >= 0) this.rows.splice(latest, 1);
    }
  }

  noteDenial(device: Device, isCertain: boolean): void {
    this.#denied.add(device);
    for (const [id, event] of this.tracked) {
      if (event.device !== device) continue;
      event.isWithdrawn = true;
      if (isCertain) this.#forbid(device, id);
    }
  }

  /** These tabs know of a denial by now. What they have tracked since is withdrawn as well, but may have been sent before. */
  noteTold(tabs: readonly Process[]): void {
    for (const event of this.tracked.values())
      if (event.tabs[0] && tabs.includes(event.tabs[0])) event.isWithdrawn = true;
  }

  #forbid(device: Device, id: string): void {
    this.#forbidden.set(device, (this.#forbidden.get(device) ?? new Set()).add(id));
  }

  noteRequest(
    device: Device,
    request: { url: string; init: RequestInit; process: Process; hasConsent: boolean },
  ): void {
    const { process, init, url, hasConsent } = request;
    if (!process.isAlive) return;
    if (!hasConsent) this.broken.push(`4 ${process.name} sent ${new URL(url).pathname} without consent`);
    const { events = [] } = JSON.parse(init.body as string) as { events?: readonly StoredEvent[] };
    for (const { event_id } of events) {
      if (this.#forbidden.get(device)?.has(event_id))
        this.broken.push(`4 ${process.name} sent ${event_id} after a denial`);
      // What a page tries again, it has written as well.
      const sent = this.tracked.get(event_id);
      if (sent && !sent.tabs.includes(process)) this.tracked.set(event_id, { ...sent, tabs: [...sent.tabs, process] });
    }
  }

  /** Ids of the events that no relay has accepted, and no page says to be refused. */
  undelivered(): string[] {
    const missing = [...this.tracked.keys()].filter((id) => this.isWanted(id) && !this.wire.accepted.has(id));
    return this.unexplained(missing);
  }

  /** Whether an event is to arrive, unless it grows too old. */
  isWanted(id: string): boolean {
    return this.tracked.get(id)?.isWithdrawn === false && !this.isRefused(id);
  }

  /** Whether an event is older than a queue keeps any, by a clock that a page may have read. */
  isOld({ device, at }: Pick<Tracked, 'device' | 'at'>): boolean {
    return this.#world.time - at + differenceOf([device.machine, this.relays[0]?.machine]) > QUEUE_MAX_AGE_MS;
  }

  /** How many events pages said to have dropped for a reason. */
  said(reason: string, where: (drop: Truth['dropped'][number]) => boolean): number {
    return this.dropped.reduce((sum, drop) => sum + (drop.reason === reason && where(drop) ? drop.count : 0), 0);
  }

  /** Returns which of these events were not said to be too old, unless a tab may have died before it could say so. */
  unexplained(ids: readonly string[]): string[] {
    const left = new Map<Device, number>();
    return ids.filter((id) => {
      const event = this.tracked.get(id) as Tracked;
      const { device } = event;
      if (!this.isOld(event)) return true;
      if (device.tabs.some(({ diedBusy }) => diedBusy)) return false;
      const more = left.get(device) ?? this.said('expired', (drop) => drop.device === device);
      left.set(device, more - 1);
      return more <= 0;
    });
  }

  /** Whether an event was said to be refused for good. A page that has ended since may have had no time to say so. */
  isRefused(id: string): boolean {
    return this.dead.has(id) || (this.wire.refused.has(id) && this.tracked.get(id)?.tabs[0]?.isAlive === false);
  }

  /** Reads what is left on a device. */
  async look(device: Device, hasConsent: boolean): Promise<void> {
    const forbidden = this.#forbidden.get(device);
    const kept = [...device.values.keys()].filter((key) => key.startsWith('offerlet:'));
    if (!hasConsent && kept.length > 0)
      this.broken.push(`4 ${device.machine.name} still has ${kept.join(' ')} after a denial`);
    for (const { name } of (await this.#on(device.databases.databases())) as readonly { name?: string }[]) {
      const opening = device.databases.open(name ?? '');
      await this.#on(new Promise((resolve) => (opening.onsuccess = resolve)));
      const rows = (opening.result as unknown as IDBDatabase).transaction('rows').objectStore('rows').getAll();
      await this.#on(new Promise((resolve) => (rows.onsuccess = resolve)));
      for (const row of rows.result as readonly { event?: StoredEvent }[])
        if (row?.event && forbidden?.has(row.event.event_id))
          this.broken.push(`4 ${device.machine.name} still has ${row.event.event_id} after a denial`);
    }
  }

  /** Has the merchant compare her relay's counts with the network's report, when all hours of it are over. */
  async audit(relay: RelayServer | undefined): Promise<void> {
    this.network.machine.set(2 * DAY_MS - this.network.machine.offset);
    this.audited = relay && (await this.#on(relay.audit()));
  }

  async #on<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    void promise.then(() => (isDone = true));
    await this.#world.turnTo(this.#world.time + 1_000, () => isDone);
    return promise;
  }

  /** Whether a clock was so wrong that a network may refuse an event of a device. */
  isRefusable(device: Device): boolean {
    return differenceOf([device.machine, this.network.machine, this.relays[0]?.machine]) > CLOCKS_MS;
  }

  isDenied(device: Device): boolean {
    return this.#denied.has(device);
  }
}

/** Returns what does not hold. */
export async function checkTruth(truth: Truth, { pglite }: NetworkDatabase, publisher: Publisher): Promise<string[]> {
  const { rows } = await pglite.query<{ body: string }>('SELECT body FROM events WHERE publisher_id = $1', [
    publisher.id,
  ]);
  const failures = [...truth.broken];
  const bodies = rows.map(({ body }) => JSON.parse(body) as WireBody);
  const stored = countBy(bodies.map(cellOf));
  const expected = new Map<string, Set<string>>();
  for (const [id, { event }] of truth.tracked) if (truth.isWanted(id)) add(expected, cellOf(event), id);

  // Every event that may be: also one whose page died before it knew that it was on disk.
  const sent = new Map<string, Set<string>>();
  for (const { body } of truth.wire.exchanges.filter(({ link }) => link === 'page'))
    for (const event of (body as { events?: readonly StoredEvent[] }).events ?? [])
      add(sent, cellOf(event), event.event_id);

  for (const id of truth.late) failures.push(`5 not delivered in time: ${id}`);
  const missing = [...expected].flatMap(([cell, ids]) => {
    const isOld = (id: string): number => Number(truth.isOld(truth.tracked.get(id) as Tracked));
    const oldestFirst = [...ids].toSorted((a, b) => isOld(b) - isOld(a));
    return oldestFirst.slice(0, Math.max(0, ids.size - (stored.get(cell) ?? 0)));
  });
  for (const id of truth.unexplained(missing))
    failures.push(`1 lost: ${cellOf(truth.tracked.get(id)?.event as WireBody)}`);
  failures.push(...wrongDrops(truth));
  for (const [id, { device, reason }] of truth.dead)
    if (!truth.isRefusable(device)) failures.push(`1 refused without a cause: ${id} ${reason}`);

  let extra = 0;
  for (const [cell, count] of stored) extra += Math.max(0, count - (sent.get(cell)?.size ?? 0));
  const said = truth.relays.reduce((sum, relay) => sum + (relay.said['possible_duplicates'] ?? 0), 0);
  const excused = excusedByDeath(truth);
  if (extra > said + excused + truth.again.size)
    failures.push(`2 counted twice: ${extra} copies, said ${said}, excused by kills ${excused}`);
  const most = causesOfDoubt(truth);
  for (const name of ['possible_duplicates', 'answers_lost', 'dedupe_failed'] as const) {
    const count = truth.relays.reduce((sum, relay) => sum + (relay.said[name] ?? 0), 0);
    if (count > most[name]) failures.push(`2 said without a cause: ${name} ${count}, and ${most[name]} have one`);
  }
  failures.push(...sharedSessions(truth.wire, truth.blocks), ...wrongReport(truth, bodies));
  return failures;
}

/** Where more was said to be dropped than there was for that reason. Two tabs may store one event each. */
function wrongDrops(truth: Truth): string[] {
  return truth.dropped.flatMap(({ device, tab, reason, count }) => {
    const isOne = (drop: { device: Device; tab: Process }): boolean =>
      reason === 'withdrawn' ? drop.tab === tab : drop.device === device;
    // What another page has delivered, this one may not know. Of what it has, another row may be left.
    const isKept = (id: string): boolean => !truth.delivered.has(`${tab.name} ${id}`);
    const rows = truth.rows.filter((row) => row.device === device);
    const most =
      reason === 'withdrawn'
        ? [...truth.tracked].reduce((sum, [id, one]) => {
            const isBefore = one.withdrawnIn.includes(tab);
            if (!isBefore && !(one.isWithdrawn && one.tabs.includes(tab))) return sum;
            return sum + Math.max(Number(isBefore || isKept(id)), rows.filter((row) => row.id === id).length);
          }, 0)
        : reason !== 'expired'
          ? 0
          : device.tabs.some(({ diedBusy }) => diedBusy)
            ? Infinity
            : rows.filter((row) => truth.isOld(row)).length;
    return truth.said(reason, isOne) > most
      ? [`1 dropped without a cause: ${tab.name} ${reason} ${count}, and at most ${most} in all`]
      : [];
  });
}

/** How many events relays may have been in doubt about. */
function causesOfDoubt({
  wire,
  redis,
  plan,
}: Truth): Record<'possible_duplicates' | 'answers_lost' | 'dedupe_failed', number> {
  const relays = wire.exchanges.flatMap(({ link, takenBy }) => (link === 'page' ? takenBy : []));
  if (redis.faulty > 0 || relays.some(({ isAlive }) => !isAlive))
    return { possible_duplicates: Infinity, answers_lost: Infinity, dedupe_failed: Infinity };
  const doubtful = new Set<string>();
  let lost = 0;
  for (const { link, path, body, fault, takenBy, isAnswered, statuses } of wire.exchanges) {
    if (link === 'page' || path === '/recommendations') continue;
    const cells = (body as { events: readonly WireBody[] }).events.map(cellOf);
    const isRefused = takenBy.length === 0 && ['unreached', '429'].includes(String(fault));
    if (isRefused || (isAnswered && statuses.every((status) => status < 500))) continue;
    lost += cells.length;
    for (const cell of cells) doubtful.add(cell);
  }
  const attempts = wire.exchanges.flatMap(({ link, body, takenBy }) =>
    link === 'page' ? takenBy.flatMap(() => (body as { events?: readonly WireBody[] }).events?.map(cellOf) ?? []) : [],
  );
  const again = attempts.filter((cell) => doubtful.has(cell)).length - doubtful.size;
  // A network that knows events by their ids counts each once.
  return { possible_duplicates: plan.keepsIds ? 0 : again, answers_lost: lost, dedupe_failed: 0 };
}

type WireBody = Pick<StoredEvent, 'session_id' | 'event_name' | 'brand_properties' | 'asset_id' | 'initiating_target'>;

/** What tells events apart once their ids are gone. */
function cellOf({ session_id, event_name, brand_properties, asset_id, initiating_target }: WireBody): string {
  return [session_id, event_name, brand_properties?.insertion_id, asset_id, initiating_target].join(' ');
}

/** Events that a relay without a store had sent when it was killed: what was lost with it, it cannot say. */
function excusedByDeath({ wire, plan }: Truth): number {
  if (plan.store !== 'memory') return 0;
  return wire.exchanges
    .filter(
      ({ link, path, takenBy, from }) => link === 'relay' && path !== '/recommendations' && takenBy[0] && !from.isAlive,
    )
    .reduce((sum, { body }) => sum + (body as { events: unknown[] }).events.length, 0);
}

function countBy(names: readonly string[]): Map<string, number> {
  return names.reduce((counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1), new Map<string, number>());
}

function add(sets: Map<string, Set<string>>, name: string, value: string): void {
  sets.set(name, (sets.get(name) ?? new Set()).add(value));
}

/** Metrics, and what makes one of them one. */
const COUNTED: Readonly<Record<AuditedMetric, (event: WireBody, at: number) => string | undefined>> = {
  widget_loads: ({ event_name, session_id }) => (event_name === 'WIDGET_LOAD' ? session_id : undefined),
  widget_displays: ({ event_name, session_id }) => (event_name === 'WIDGET_DISPLAY' ? session_id : undefined),
  viewable_widget_displays: ({ event_name, session_id }) => (event_name === 'WIDGET_VIEW' ? session_id : undefined),
  impressions: ({ event_name, session_id, brand_properties }) =>
    /^BRAND_(DISPLAY|VIEW)$/.test(event_name) ? `${session_id} ${brand_properties?.insertion_id}` : undefined,
  clicks: ({ event_name }, at) => (event_name === 'BRAND_CLICK' ? String(at) : undefined),
};

/** Whether relay and network agree on an exchange, as far as one can know. */
function isPlain({ link, path, from, takenBy, isAnswered, statuses }: Exchange): boolean {
  if (link === 'page' || path === '/recommendations' || !takenBy[0]) return true;
  return from.isAlive && isAnswered && statuses.every((status) => status < 500);
}

/** Where the report is not what is stored, or the audit says something else than what was. */
function wrongReport(truth: Truth, stored: readonly WireBody[]): string[] {
  const { audited, plan, wire, redis } = truth;
  const failures: string[] = [];
  for (const [metric, nameOf] of Object.entries(COUNTED) as [AuditedMetric, (typeof COUNTED)['clicks']][]) {
    const real = new Set(stored.flatMap((event, at) => nameOf(event, at) ?? [])).size;
    const reported = audited?.report.reduce((sum, row) => sum + Number(row[metric] ?? 0), 0);
    if (reported !== undefined && reported !== real)
      failures.push(`2 wrong report: ${metric} are ${real}, and it says ${reported}`);
  }
  const { rows = [], explanations = [] } = audited?.audit ?? {};
  const causes = explanations.map(({ cause }) => cause);
  const isIn = (what: string): boolean => plan.steps.some((step) => step.do === what);
  // A network that knows events by their ids counts each once, whatever was lost or killed, if all of them arrive in the end.
  const isExact = plan.keepsIds && redis.faulty === 0 && !['deny', 'clock', 'sleep'].some(isIn);
  const isKilled = wire.exchanges.some(({ link, from }) => link === 'relay' && !from.isAlive);
  const lost = explanations.find(({ cause }) => cause === 'answers_lost')?.events ?? 0;
  // What was killed could not write all of it down.
  const most = isKilled || redis.faulty > 0 ? Infinity : lost;
  let extra = 0;
  const isPlainly = redis.faulty === 0 && wire.exchanges.every(isPlain);
  // A relay that was killed, had no store or has forgotten a session does not know all placements: hours are compared whole.
  const isWhole = isKilled || redis.faulty > 0 || isIn('sleep');
  // Of an offer whose display was dropped or refused, the network counts the view. It knows a session for longer than a relay.
  const isViewed = truth.dead.size > 0 || truth.said('expired', () => true) > 0;
  // What is sent again after a clock was set is corrected to another hour than the copy whose response was lost.
  const isShifted = !isPlainly && isIn('clock');
  // What a relay owed to Redis when it fell asleep for days, it writes again once Redis has forgotten it.
  const isForgotten = redis.faulty > 0 && isIn('sleep');
  const hours = new Map<string, { of: string; metric: AuditedMetric; ours: number; theirs: number }>();
  for (const { period_start, metric, group, ours, theirs } of rows) {
    if (isForgotten || (metric === 'impressions' && isViewed) || (metric !== 'clicks' && truth.again.size > 0))
      continue;
    const of = [metric, ...(isWhole ? [] : Object.values(group))].join(' ');
    const name = [isShifted ? 'all hours' : period_start, of].join(' ');
    const sum = hours.get(name) ?? { of, metric, ours: 0, theirs: 0 };
    hours.set(name, { ...sum, ours: sum.ours + ours, theirs: sum.theirs + theirs });
  }
  const more = new Map<string, number>();
  for (const [name, { of, metric, ours, theirs }] of [...hours].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    // Of what counts once, the copy whose response was lost may be of an earlier hour than the one that was accepted. A network
    // counts an impression in the hour of its view, if a clock that was set makes that the earlier one.
    const isMoved = metric === 'impressions' || (!isPlainly && most > 0 && metric !== 'clicks');
    const left = (more.get(of) ?? 0) + theirs - ours;
    more.set(of, isMoved ? left : 0);
    const isStrict = !isMoved && (isExact || isPlainly || most === 0);
    if (!isMoved) extra += Math.max(0, left);
    const isWrong = left < 0 || (left > 0 && isStrict);
    if (isWrong) failures.push(`3 wrong audit: ${name}: ${ours} and ${theirs}, said to be ${causes.join(' ')}`);
  }
  for (const [of, left] of more) {
    extra += Math.max(0, left);
    if (isExact && left > 0) failures.push(`3 wrong audit: ${of}: ${left} too many, said to be ${causes.join(' ')}`);
  }
  if (extra > most) failures.push(`3 wrong audit: ${extra} too many, and ${lost} said to be answers_lost`);
  return failures;
}

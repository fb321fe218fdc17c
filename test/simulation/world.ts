import { createHash } from 'node:crypto';
import { seeded } from '../fixtures/random.ts';

/** When every history begins. */
export const START = Date.UTC(2025, 10, 20, 20, 30);

interface Task {
  readonly at: number;
  readonly turn: number;
  run(): void;
}

/**
 * The time, the order and the chance of one history. Whatever any part of it waits for is a task here, and the next one runs
 * when nothing is left to do of the one before: the same seed gives the same history.
 */
export class World {
  /** Milliseconds since the history began. */
  time = 0;
  readonly random: () => number;
  readonly trace: string[] = [];
  /** By chance, but not shifted by what another part draws. */
  readonly seed: number;
  /** Earliest first: a binary heap. */
  readonly #tasks: Task[] = [];
  #turn = 0;
  #latestImmediate = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.random = seeded(seed);
  }

  /** A number from one to another. */
  between(from: number, to: number): number {
    return from + (to - from) * this.random();
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  note(line: string): void {
    this.trace.push(`${this.time.toFixed(2).padStart(12)} ${line}`);
  }

  /** Runs something in `ms`. */
  in(ms: number, run: () => void): Task {
    const task = { at: this.time + ms, turn: this.#turn++, run };
    const tasks = this.#tasks;
    let place = tasks.push(task) - 1;
    for (let above = (place - 1) >> 1; place > 0 && isBefore(task, tasks[above]); above = (place - 1) >> 1) {
      tasks[place] = tasks[above] as Task;
      place = above;
    }
    tasks[place] = task;
    return task;
  }

  /** Runs something at once, but after what came before. */
  soon(run: () => void): void {
    this.#latestImmediate = Math.max(this.#latestImmediate, this.time) + this.random() / 50;
    this.in(this.#latestImmediate - this.time, run);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.in(ms, resolve));
  }

  /** Turns the time to a moment, and runs what comes until then; to nothing is left of `isOver`. */
  async turnTo(end: number, isOver: () => boolean = () => false): Promise<void> {
    await idle();
    for (let task = this.#tasks[0]; task && task.at <= end && !isOver(); task = this.#tasks[0]) {
      this.#removeFirst();
      this.time = Math.max(this.time, task.at);
      task.run();
      await idle();
    }
    if (!isOver()) this.time = Math.max(this.time, end);
  }

  #removeFirst(): void {
    const tasks = this.#tasks;
    const last = tasks.pop() as Task;
    if (tasks.length === 0) return;
    let place = 0;
    for (;;) {
      let below = place * 2 + 1;
      if (below + 1 < tasks.length && isBefore(tasks[below + 1] as Task, tasks[below])) below++;
      const task = tasks[below];
      if (!task || !isBefore(task, last)) break;
      tasks[place] = task;
      place = below;
    }
    tasks[place] = last;
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.random() * 16).toString(16)).join('');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
  }
}

function isBefore(one: Task, other: Task | undefined): boolean {
  return !other || one.at < other.at || (one.at === other.at && one.turn < other.turn);
}

/** Resolves when everything that needs no time is done: Node runs these callbacks after all promises. */
function idle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** What never comes, for whom nobody waits any more. */
export const never = new Promise<never>(() => undefined);

/** A computer, whose clock somebody may set. */
export class Machine {
  readonly name: string;
  /** Milliseconds by which its clock was wrong, the latest last. */
  readonly offsets: number[];

  constructor(name: string, offsets = [0]) {
    this.name = name;
    this.offsets = offsets;
  }

  /** Another machine with the same time. */
  beside(name: string): Machine {
    return new Machine(name, this.offsets);
  }

  get offset(): number {
    return this.offsets.at(-1) ?? 0;
  }

  /** Sets its clock, by so many milliseconds. */
  set(by: number): void {
    this.offsets.push(this.offset + by);
  }
}

/** Milliseconds by which the clocks of machines may have differed. */
export function differenceOf(machines: readonly (Machine | undefined)[]): number {
  const offsets = machines.flatMap((machine) => machine?.offsets ?? []);
  return Math.max(0, ...offsets) - Math.min(0, ...offsets);
}

/** Milliseconds for which a process has something to do after it reached the world. */
const BUSY_MS = 10;

/** Thrown into a process that is dead: it may compute, but reaches nothing any more. */
export class DeadError extends Error {}

/** A tab, a relay or a network: one program, which can be killed between any two things that it does to the world. */
export class Process {
  isAlive = true;
  readonly world: World;
  readonly name: string;
  readonly machine: Machine;
  readonly started: number;
  /** It died in the middle of something, and may have had no time to say so. */
  diedBusy = false;
  readonly ended: Promise<void>;
  /** What ends with it. */
  readonly ends: (() => void)[] = [];
  #fuse = Infinity;
  #reachedAt = 0;
  #end: () => void = () => undefined;

  constructor(world: World, name: string, machine: Machine) {
    this.world = world;
    this.name = name;
    this.machine = machine;
    this.started = world.time;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Lets it die before it reaches the world for the n-th time from now. */
  killIn(calls: number): void {
    this.#fuse = calls;
  }

  kill(why = 'killed'): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.diedBusy = this.world.time - this.#reachedAt < BUSY_MS;
    this.world.note(`${this.name} ${why}`);
    for (const end of this.ends) end();
    this.#end();
  }

  /** Whether it may reach the world. */
  reach(): boolean {
    this.#reachedAt = this.world.time;
    if (this.isAlive && --this.#fuse < 0) this.kill();
    return this.isAlive;
  }

  /** Does something to the world now. */
  touch<T>(work: () => T): T {
    if (!this.reach()) throw new DeadError(`${this.name} is dead`);
    return work();
  }

  /** Does something to the world that takes a moment. Never settles in a process that has died by then. */
  call<T>(work: () => T | Promise<T>, ms = 0): Promise<T> {
    if (!this.reach()) return never;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => void (this.isAlive && reject(error as Error));
      this.world.in(ms + this.world.random(), () => {
        // It may have said that this is done, and die before it is.
        if (!this.reach()) return;
        try {
          const done = work();
          if (done instanceof Promise) done.then((value) => this.isAlive && resolve(value), fail);
          else resolve(done);
        } catch (error) {
          fail(error);
        }
      });
    });
  }

  /** The time of day as its machine has it. */
  now(): number {
    return Math.floor(START + this.world.time + this.machine.offset);
  }
}

/**
 * What every program finds in its global scope: this world's time and chance. A program that is started again in the same
 * scope is another process: what the one before had begun stays its own.
 */
export function globalsOf(current: () => Process): Record<string, unknown> {
  const start = (run: () => void, ms: number, isRepeated: boolean): Timer => {
    const process = current();
    const { world } = process;
    const timer: Timer = { isOn: process.reach(), unref: () => timer };
    const plan = (): unknown =>
      world.in(Math.max(1, ms || 0) + world.random(), () => {
        if (!timer.isOn || !process.isAlive) return;
        if (isRepeated) plan();
        run();
      });
    if (timer.isOn) plan();
    return timer;
  };
  const stop = (timer: Timer | undefined): void => {
    if (timer) timer.isOn = false;
  };
  class WorldDate extends Date {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [current().now()] : given) as [number]));
    }
    static override now(): number {
      return current().now();
    }
  }
  class WorldAbortSignal extends AbortSignal {
    static override timeout(ms: number): AbortSignal {
      const controller = new AbortController();
      start(() => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')), ms, false);
      return controller.signal;
    }
  }
  const random = (): number => current().world.random();
  return {
    Date: WorldDate,
    Math: Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(Math), random: { value: random } }),
    performance: {
      now: () => current().world.time - current().started,
      get timeOrigin() {
        return START + current().started;
      },
    },
    setTimeout: (run: (...all: unknown[]) => void, ms = 0, ...all: unknown[]) => start(() => run(...all), ms, false),
    setInterval: (run: () => void, ms = 0) => start(run, ms, true),
    clearTimeout: stop,
    clearInterval: stop,
    setImmediate(run: () => void) {
      const process = current();
      process.world.soon(() => process.isAlive && run());
    },
    clearImmediate: () => undefined,
    crypto: {
      randomUUID: () => current().world.uuid(),
      getRandomValues: (values: Uint8Array) => values.map(() => Math.floor(random() * 2 ** 32)),
      subtle: { digest },
    },
    AbortSignal: WorldAbortSignal,
    console: { log: () => undefined, warn: () => undefined, error: () => undefined },
  };
}

interface Timer {
  isOn: boolean;
  unref(): Timer;
}

/** WebCrypto's own ends whenever another thread has time. */
async function digest(name: string, bytes: Uint8Array): Promise<ArrayBuffer> {
  const hash = createHash(name.replace('-', '')).update(bytes).digest();
  return new Uint8Array(hash).buffer;
}

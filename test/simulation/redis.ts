import { compileFunction } from 'node:vm';
import type { Process, World } from './world.ts';

/** What may happen to a command of a relay's. */
export const REDIS_FAULTS = ['redis away', 'redis reply lost', 'redis late'] as const;
export type RedisFault = (typeof REDIS_FAULTS)[number];

interface Value {
  readonly value: string | Map<string, string>;
  /** By the world's time. */
  readonly end: number;
}

/** A Redis that several relays share: the commands that ours sends, and scripts. */
export class Redis {
  readonly faults: RedisFault[] = [];
  /** Commands that met a fault. */
  faulty = 0;
  readonly #world: World;
  readonly #values = new Map<string, Value>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The client of one relay. Its commands arrive in their order. */
  clientOf(relay: Process): { sendCommand(command: readonly string[]): Promise<unknown> } {
    let arrives = 0;
    return {
      sendCommand: (command) => {
        const world = this.#world;
        const fault = this.faults.shift();
        if (fault) this.faulty += 1;
        if (fault) world.note(`${relay.name} ${command[0]} [${fault}]`);
        if (fault === 'redis away') return relay.call(() => Promise.reject(new Error('The client is closed')));
        const asked = world.time;
        arrives = Math.max(arrives, asked + (fault === 'redis late' ? world.between(500, 8_000) : world.random()));
        return relay.call(async () => {
          const reply = this.#run(command);
          await world.wait(world.random());
          // No connection outlives a sleep of days.
          if (!fault && world.time - asked > 10_000) this.faulty += 1;
          if (fault === 'redis reply lost') throw new Error('Socket closed unexpectedly');
          return reply;
        }, arrives - world.time);
      },
    };
  }

  #get(key: string): Value | undefined {
    const found = this.#values.get(key);
    if (!found || found.end > this.#world.time) return found;
    this.#values.delete(key);
    return undefined;
  }

  #set(key: string, value: Value['value'], end = Infinity): void {
    this.#values.set(key, { value, end });
  }

  #hash(key: string): Map<string, string> {
    const found = this.#get(key)?.value;
    if (found instanceof Map) return found;
    const made = new Map<string, string>();
    this.#set(key, made);
    return made;
  }

  #run([name = '', ...given]: readonly string[]): unknown {
    const [key = '', value = '', ...rest] = given;
    switch (name) {
      case 'GET':
        return this.#get(key)?.value ?? null;
      case 'EXISTS':
        return Number(this.#get(key) !== undefined);
      case 'PTTL': {
        const found = this.#get(key);
        return found ? found.end - this.#world.time : -2;
      }
      case 'SET': {
        if (rest.includes('NX') && this.#get(key)) return null;
        const ms = rest[rest.indexOf('PX') + 1];
        this.#set(key, value, rest.includes('PX') ? this.#world.time + Number(ms) : Infinity);
        return 'OK';
      }
      case 'DEL':
        return Number(this.#values.delete(key));
      case 'INCRBY': {
        const sum = String(Number(this.#get(key)?.value ?? 0) + Number(value));
        this.#set(key, sum, this.#get(key)?.end);
        return Number(sum);
      }
      case 'EXPIRE':
      case 'PEXPIRE': {
        const found = this.#get(key);
        if (found) this.#set(key, found.value, this.#world.time + Number(value) * (name === 'EXPIRE' ? 1_000 : 1));
        return 1;
      }
      case 'HINCRBY': {
        const hash = this.#hash(key);
        const sum = Number(hash.get(value) ?? 0) + Number(rest[0]);
        hash.set(value, String(sum));
        return sum;
      }
      case 'HGETALL':
        return [...this.#hash(key)].flat();
      case 'EVAL': {
        const count = Number(value);
        const call = (...command: unknown[]): unknown => this.#run(command.map(String)) ?? false;
        const result = scriptOf(key)(call, ['', ...rest.slice(0, count)], ['', ...rest.slice(count)]);
        return result === false ? null : result;
      }
      default:
        throw new Error(`Redis here has no ${name}`);
    }
  }
}

type Script = (call: (...command: unknown[]) => unknown, keys: readonly string[], args: readonly string[]) => unknown;

const sub = (text: string, first: number, last: number): string => text.slice(first - 1, last);

const scripts = new Map<string, Script>();

const settle: Script = (call, [, response, claim], [, text, ms]) => {
  call('DEL', claim);
  if (text) call('SET', response, text, 'PX', ms);
};

/** A Lua script as JavaScript: the few forms that ours have. Lists begin at 1, as in Lua. */
function scriptOf(lua: string): Script {
  const known = scripts.get(lua);
  if (known) return known;
  // Which responses leave when there are too many is more Lua than this reads, and no history has as many.
  if (lua.includes('ZINCRBY')) return settle;
  const code = lua
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\bfor (\w+) = (.+?), (.+?) do\b/g, 'for (let $1 = $2; $1 <= $3; $1++) {')
    .replaceAll(/\belseif\b(.+?)\bthen\b/g, '} else if ($1) {')
    .replaceAll(/\bif\b(?! \()(.+?)\bthen\b/g, 'if ($1) {')
    .replaceAll(/\belse\b(?! if)/g, '} else {')
    .replaceAll(/\bend\b/g, '}')
    .replaceAll(/\blocal\b/g, 'let')
    .replaceAll(/#(\w+\[.+?\])/g, '$1.length')
    .replaceAll(/#(\w+)/g, '($1.length - 1)')
    .replaceAll('{}', "['']")
    .replaceAll(/\bnot\b/g, '!')
    .replaceAll(/\band\b/g, '&&')
    .replaceAll(/\bor\b/g, '||')
    .replaceAll('..', '+')
    .replaceAll(/[~=]=/g, (operator) => (operator === '~=' ? '!==' : '==='))
    .replaceAll('redis.call', 'call')
    .replaceAll(/\breturn (\w+)$/gm, 'return Array.isArray($1) ? $1.slice(1) : $1');
  const script = compileFunction(code, ['call', 'KEYS', 'ARGV', 'string', 'tonumber']) as (
    ...given: unknown[]
  ) => unknown;
  const made: Script = (call, keys, args) => script(call, keys, args, { sub }, Number);
  scripts.set(lua, made);
  return made;
}

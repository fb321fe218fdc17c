import { withDeadline } from '../http/withDeadline.ts';
import { isObject, isText, own } from '../wire/json.ts';
import { PREFETCHED_MAX_AGE_MS } from '../wire/offers/prefetched.ts';
import { IDENTIFIERS, NONCE_FIELD } from '../wire/offers/request.ts';
import type { ResponseStore } from './dedupe/dedupeStore.ts';
import { KEY_DIGITS, KeyTable, randomSalt, senderNumber, UNIT_CHARACTERS } from './dedupe/keyTable.ts';
import type { Reply } from './errors.ts';
import type { Client } from './readClient.ts';
import { emailHash, sha256 } from './sha256.ts';
import { explain, type Telemetry } from './telemetry.ts';

export interface RepeatOptions {
  /** By default, those of this process. */
  readonly store: ResponseStore | undefined;
  /** Milliseconds that the store may take for one call. */
  readonly storeMs: number;
  /** Milliseconds that another relay's request is awaited. */
  readonly requestMs: number;
  readonly telemetry: Telemetry;
}

/** Characters of the responses that a process remembers: 32 MB at most. */
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** Milliseconds after which asking the network is better than waiting for the store. */
const STORE_MAX_MS = 500;
/** Milliseconds between two looks for another relay's response. */
const POLL_MS = 50;

interface Repeatable {
  /** The client that asks; what it has fills its own part of the memory. */
  readonly sender: string | undefined;
  ask(): Promise<Reply>;
}

type Repeat = (key: string, request: Repeatable) => Promise<Reply>;

/** Returns what repeats the successful response under a key, and makes one call of several that are under way. */
export function createRepeat(options: RepeatOptions): Repeat {
  const { store = createResponseMemory(), storeMs, requestMs, telemetry } = options;
  const underWay = new Map<string, Promise<Reply>>();

  async function find(key: string): Promise<string | undefined> {
    const end = performance.now() + requestMs;
    for (;;) {
      const response = await inTime(store.get(key));
      if (response !== undefined || (await inTime(store.claim(key))) || performance.now() > end) return response;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  function inTime<T>(work: T | Promise<T>): T | Promise<T> {
    return withDeadline(work, { ms: Math.min(storeMs, STORE_MAX_MS) });
  }

  async function keep(key: string, response: string | undefined, sender: string | undefined): Promise<void> {
    await inTime(store.settle(key, response, sender));
  }

  /** A store that fails costs another request to the network, not the offers. */
  function failed(error: unknown): undefined {
    telemetry.log({ level: 'warn', message: 'The store of responses failed.', error: explain(error) });
  }

  async function repeat(key: string, { sender, ask }: Repeatable): Promise<Reply> {
    const response = await find(key).catch(failed);
    if (response !== undefined) return { status: 200, body: response };
    let reply: Reply | undefined;
    try {
      return (reply = await ask());
    } finally {
      // The shopper does not wait for it.
      void keep(key, reply?.status === 200 ? reply.body : undefined, sender).catch(failed);
    }
  }

  return (key, request) => {
    const running = underWay.get(key) ?? repeat(key, request).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
  };
}

/** Who states a request: a response is repeated for nobody else, or for nobody at all. */
export type Asker = readonly [kind: 'device' | 'address' | 'server', name: string] | undefined;

/** The merchant's own server, for a page that it renders: it knows whose order that is. */
export const SERVER: Asker = ['server', ''];

/**
 * Returns who states what a page sends: the device that shows its nonce for the order, or else a client by its address, as
 * anybody may know the email and the order of another shopper.
 */
export function readAsker(page: unknown, client: Client | undefined): Asker {
  const nonce = own(page, NONCE_FIELD);
  if (typeof nonce === 'string' && /^[\w-]{16,64}$/.test(nonce)) return ['device', nonce];
  return client && ['address', client.host];
}

/**
 * The key of a request: the same asker and the same statements, but for the address that the relay adds. `undefined` for a
 * request without an order, or without a shopper. `secret` keeps what is stored from saying who ordered.
 */
export async function responseKey(
  request: Readonly<Record<string, unknown>>,
  { secret, asker }: { secret: string; asker: Asker },
): Promise<string | undefined> {
  const [user, order, attributes] = [request['user_details'], request['order_details'], request['attributes']];
  const id = own(order, 'order_id');
  const isOrdered = isText(id) || typeof id === 'number';
  if (!asker || !isOrdered || !isObject(user) || !IDENTIFIERS.some((name) => isText(own(user, name)))) return undefined;
  const email = own(user, 'email');
  const stated = {
    ...request,
    user_details: isText(email) ? { ...user, email: undefined, email_hash: await emailHash(email) } : user,
    order_details: { ...(order as object), order_id: String(id) },
    attributes: isObject(attributes) ? { ...attributes, ip_address: undefined } : undefined,
  };
  return sha256(sortedJson([secret, asker, stated]));
}

/** JSON with the fields in one order: two pages may write those of one placement in another. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  let text = '';
  for (const name of Object.keys(value).toSorted())
    if (value[name] !== undefined) text += `,${JSON.stringify(name)}:${sortedJson(value[name])}`;
  return `{${text.slice(1)}}`;
}

/** A full memory forgets the oldest responses of the client that has most. */
function createResponseMemory(): ResponseStore {
  const responses = new KeyTable({ max: CHARACTERS_MAX / UNIT_CHARACTERS, maxAgeMs: PREFETCHED_MAX_AGE_MS });
  const salt = randomSalt();
  return {
    get(key) {
      responses.expire(performance.now());
      return responses.get(key.slice(0, KEY_DIGITS))?.value;
    },
    claim: () => true,
    settle(key, value, sender = '') {
      if (value === undefined) return;
      const entry = { at: performance.now(), sender: senderNumber(sender, salt), value };
      responses.add(key.slice(0, KEY_DIGITS), entry);
    },
  };
}

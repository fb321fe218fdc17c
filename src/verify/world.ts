import { isObject, own } from '../wire/json.ts';
import type { Exchange, Network } from './network.ts';
import { expect, expectOk, UntoldError } from './network.ts';

/** An offer as it was placed in a session. */
export interface Placed {
  readonly offer_id: string;
  readonly advertiser_id: string;
  readonly insertion_id: string;
}

/** A session that was opened, with the offers that events can be about. */
export interface Session {
  readonly exchange: Exchange;
  readonly session_id: string;
  readonly placed: readonly Placed[];
}

/** What several rules need, made once; and what is put back at the end. */
export interface World {
  /** A session of somebody new. */
  openSession(more?: object): Promise<Session>;
  /** One session that all rules on events share. */
  session(): Promise<Session & { readonly first: Placed }>;
  categories(): Promise<readonly Category[]>;
  /** The publisher of the integration key if it can be told, otherwise any approved one. */
  publisher(): Promise<{ readonly publisher_remote_id: string; readonly brand_name: string }>;
  /** Pending requests that the run has made, by the id that reads them. */
  readonly added: {
    readonly brand_name: string;
    readonly domain: string;
    readonly id: string;
    readonly request: unknown;
    readonly exchange: Exchange;
  }[];
  /** Undoes what can be undone. Returns what could not be. */
  cleanUp(): Promise<readonly string[]>;
  /** Runs `work`, then `undo`: at the end of the run as well, if that failed. */
  undoing(name: string, undo: () => Promise<void>, work: () => Promise<void>): Promise<void>;
  /** A name that only this run uses. */
  readonly mark: string;
}

export interface Category {
  readonly remote_id: string;
  readonly name: string;
  readonly subcategories: readonly { readonly remote_id: string; readonly name: string }[];
}

export const PLACEMENT = { view: 'THANK_YOU', display_mode: 'INLINE' } as const;

/** Opens what the rules of one run share. */
export function openWorld(network: Network, mark: string): World {
  const undone = new Map<string, () => Promise<void>>();
  const added: World['added'] = [];
  let shared: Promise<Session & { readonly first: Placed }> | undefined;
  let known: Promise<readonly Category[]> | undefined;
  let people = 0;

  async function openSession(more: object = {}): Promise<Session> {
    const body = {
      user_details: { external_guid: `${mark}-${++people}` },
      placement_details: PLACEMENT,
      ...more,
    };
    const exchange = await network.ask({ path: '/recommendations', key: 'integration', body });
    const json = expectOk(exchange);
    const session_id = own(json, 'session_id');
    expect(exchange, 'a session_id', typeof session_id === 'string');
    return { exchange, session_id: String(session_id), placed: readPlaced(json) };
  }

  async function openShared(): Promise<Session & { readonly first: Placed }> {
    const session = await openSession();
    const [first] = session.placed;
    if (!first)
      throw new UntoldError('The network has no offer for this key, so there is nothing to report events about.');
    return { ...session, first };
  }

  return {
    mark,
    added,
    openSession,
    session: () => (shared ??= openShared()),
    categories: () =>
      (known ??= network.ask({ path: '/adnet/adconfig/categories/', key: 'management' }).then((exchange) => {
        const list = own(expectOk(exchange), 'categories');
        expect(exchange, '{ "categories": […] }', Array.isArray(list));
        return list as readonly Category[];
      })),
    async publisher() {
      const exchange = await network.ask({
        path: '/adnet/publishers/list/',
        query: { page_size: '200' },
        key: 'management',
      });
      const publishers = own(expectOk(exchange), 'publishers');
      const approved = (Array.isArray(publishers) ? publishers : []).find((each) => own(each, 'status') === 'APPROVED');
      if (!isObject(approved)) throw new UntoldError('The channel has no approved publisher.');
      return {
        publisher_remote_id: String(approved['publisher_remote_id']),
        brand_name: String(approved['brand_name']),
      };
    },
    async undoing(name, undo, work) {
      // An earlier one that failed knows what was there before the run.
      const first = undone.get(name) ?? undo;
      undone.set(name, first);
      try {
        await work();
      } finally {
        await first().then(
          () => undone.delete(name),
          () => undefined,
        );
      }
    },
    async cleanUp() {
      const left: string[] = [];
      for (const [name, undo] of undone) {
        try {
          await undo();
        } catch {
          left.push(name);
        }
      }
      // The interface has no call that withdraws a request.
      return [
        ...left,
        ...(people > 0 ? [`${people} sessions, whose events the reports count`] : []),
        ...added.map(({ brand_name }) => `the pending request of "${brand_name}", which staff can reject`),
      ];
    },
  };
}

/** The offers of a response with their places, in its groups' order, or in the map's own where there are no groups. */
export function readPlaced(json: unknown): Placed[] {
  const offers = own(json, 'recommendations');
  const groups = own(json, 'recommendation_groups');
  const lists = Array.isArray(groups)
    ? groups.map((group) => own(group, 'items') ?? group)
    : isObject(groups)
      ? Object.values(groups)
      : [];
  const items = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  if (items.length === 0 && isObject(offers))
    return Object.entries(offers).map(([offer_id, each]) => ({
      offer_id,
      insertion_id: offer_id,
      advertiser_id: String(own(own(each, 'advertiser'), 'id')),
    }));
  return items
    .toSorted((one, other) => Number(own(one, 'insertion_order')) - Number(own(other, 'insertion_order')))
    .map((item) => ({
      offer_id: String(own(item, 'offer_id')),
      insertion_id: String(own(item, 'insertion_id')),
      advertiser_id: String(own(item, 'advertiser_id')),
    }));
}

import {
  always,
  bodies,
  bodyOf,
  type BrokenNetwork,
  eachRow,
  headersOf,
  json,
  type Json,
  queries,
  statusOf,
} from './wrappers.ts';

const LIST = /^\/adnet\/publishers\/list\/$/;
const DETAILS = /^\/adnet\/publishers\/details\//;
const EXCLUSIONS = '/adnet/channel/exclusions/';

export const BROKEN_CHANNELS: readonly BrokenNetwork[] = [
  {
    does: 'an exclusion adds to those before',
    only: ['channel'],
    fails: ['C5.replace', 'C6.nothing'],
    wrapper() {
      let all: string[] = [];
      return async (call, send) => {
        const ids = json(call)?.subcategory_ids;
        if (call.path !== EXCLUSIONS || !Array.isArray(ids)) return send(call);
        const both = [...new Set([...all, ...ids])];
        const response = await send({ ...call, body: JSON.stringify({ ...json(call), subcategory_ids: both }) });
        if (response.ok) all = both;
        return response;
      };
    },
  },
  {
    does: 'exclusions are stored, but not applied',
    only: ['channel', 'channel-and-offers'],
    fails: ['C8.applies'],
    wrapper: always(
      bodies(/^\/adnet\/channel\/exclusions\/$/, ({ subcategory_ids: ids }) =>
        ids?.length > 5 ? { subcategory_ids: [] } : undefined,
      ),
    ),
  },
  {
    does: 'the list with one unknown subcategory is stored without it',
    only: ['channel'],
    fails: ['C6.nothing', 'C6.unknown', 'C7.replace'],
    wrapper: always(
      bodies(/exclusions\/$/, (body) => {
        if (Array.isArray(body.subcategory_ids))
          body.subcategory_ids = body.subcategory_ids.filter((id: unknown) => !String(id).startsWith('0000'));
      }),
    ),
  },
  {
    does: 'categories come in any order',
    only: ['channel'],
    fails: ['C4.sorted'],
    wrapper: always(bodyOf(/categories\/$/, ({ categories }) => ({ categories: categories.toReversed() }))),
  },
  {
    does: 'a page that is too large is cut',
    only: ['channel'],
    fails: ['C11.size-201'],
    wrapper: always(queries(LIST, (query) => query.get('page_size') === '201' && query.set('page_size', '200'))),
  },
  {
    does: 'a page repeats the last publisher of the page before',
    only: ['channel'],
    fails: ['C12.walk'],
    wrapper() {
      let last: Json;
      return bodyOf(LIST, (body, { query }) => {
        const isNext = Number(query.get('page')) > 1 && query.get('page_size') !== '2' && body.publishers.length > 0;
        const publishers = isNext ? [last, ...body.publishers.slice(1)] : body.publishers;
        last = body.publishers.at(-1);
        return { ...body, publishers };
      });
    },
  },
  {
    does: 'the second page misses what moved there',
    only: ['channel'],
    fails: ['C12.insertion'],
    wrapper() {
      let isRead = false;
      let isAdded = false;
      return async (call, send) => {
        isAdded ||= isRead && call.path === '/adnet/publishers/add/';
        if (!LIST.test(call.path) || call.query.get('page_size') !== '2') return send(call);
        isRead = true;
        return send(isAdded ? { ...call, query: new URLSearchParams('page=3&page_size=2') } : call);
      };
    },
  },
  {
    does: 'the next page forgets what was searched',
    only: ['channel'],
    fails: ['C12.keeps'],
    wrapper: always(bodyOf(LIST, (body) => ({ ...body, next: body.next?.replace(/&q=[^&]*/, '') ?? null }))),
  },
  {
    does: 'a percent sign is a wildcard',
    only: ['channel'],
    fails: ['C13.literal'],
    wrapper: always(queries(LIST, (query) => query.get('q') === '%' && query.set('q', 'a'))),
  },
  {
    does: 'the list has keys',
    only: ['channel'],
    fails: ['C14.no-key'],
    wrapper: always(bodyOf(LIST, ({ publishers }) => eachRow(publishers, (each) => (each.api_key = 'secret')))),
  },
  {
    does: 'a publisher that is not known is a 403',
    only: ['channel'],
    fails: ['C16.text', 'C2.reads', 'C3.details'],
    wrapper: always(statusOf(DETAILS, 404, 403)),
  },
  {
    does: 'a publisher that is there can be added under a URL',
    only: ['channel'],
    fails: ['C21.normalized'],
    wrapper: always(
      bodies(/\/add\/$/, ({ items }) => {
        if (Array.isArray(items))
          eachRow(items, (item) => {
            if (item.domain?.startsWith('https:')) item.domain = `${crypto.randomUUID()}.example`;
          });
      }),
    ),
  },
  {
    does: 'a body that is not JSON is a 500',
    only: ['channel'],
    fails: ['C25.not-json'],
    wrapper: always(async (call, send) =>
      call.path === EXCLUSIONS &&
      call.body.includes('ids":') &&
      json(call) === undefined &&
      call.headers.has('x-api-key')
        ? new Response('oops', { status: 500 })
        : send(call),
    ),
  },
  {
    does: 'a path without its last slash is a redirect',
    only: ['channel', 'channel-report', 'publisher-report'],
    fails: ['C25.slash', 'R58.slash'],
    wrapper: always(async (call, send) => {
      const isShort = /^\/(adnet|api)\/.*[^/]$/.test(call.path);
      return isShort ? new Response(null, { status: 301, headers: { location: `${call.path}/` } }) : send(call);
    }),
  },
  {
    does: 'the environment of a key is not looked at',
    only: ['A1', 'C1', 'R4'],
    fails: ['A1.environment', 'C1.environment', 'R4.environment'],
    wrapper: always(
      headersOf(/./, (given) => given.set('x-api-key', (given.get('x-api-key') ?? '').replace('_live_', '_test_'))),
    ),
  },
  {
    does: 'the key of one report opens the other',
    only: ['both-reports'],
    fails: ['R4.publisher-report'],
    wrapper:
      ({ management, reporting = '' }) =>
      async (call, send) => {
        const headers = new Headers(call.headers);
        if (call.path.startsWith('/api/') && headers.get('x-api-key') === management)
          headers.set('x-api-key', reporting);
        return send({ ...call, headers });
      },
  },
];

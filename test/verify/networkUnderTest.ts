import { createNetwork, type Network } from '../../src/network.ts';
import { verify, type Verification, type VerifyOptions } from '../../src/verify/verify.ts';

export const URL_OF = 'http://127.0.0.1:4600';

/** A call on its way to the network. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

/** What stands before a network: it may change a call, a response, or both. */
export type Wrapper = (call: Call, send: (call: Call) => Promise<Response>) => Promise<Response>;

/** A network of the demo in this process, with a key of each kind. */
export interface UnderTest {
  readonly network: Network;
  readonly keys: VerifyOptions['keys'];
  /** Runs rules on it, through a wrapper. */
  run(options?: Partial<VerifyOptions>, wrapper?: Wrapper): Promise<Verification>;
  close(): Promise<void>;
}

export async function openUnderTest(databaseUrl?: string): Promise<UnderTest> {
  const network = await createNetwork({
    ...(databaseUrl === undefined ? { memory: true } : { databaseUrl }),
    networkUrl: URL_OF,
    log: () => undefined,
  });
  const { integration = '', management = '', publisher_reporting = '' } = network.describe().keys;
  const issued = (await control('POST', '/sandbox/keys', { kind: 'management' })) as { id: string; key: string };
  await control('DELETE', `/sandbox/keys/${issued.id}`);
  // Amounts below a cent: rounded one by one, the parts do not make the whole.
  const hour = new Date(Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000).toISOString();
  const money = { channel_payout: 0.012, revenue_with_email: 0.006, revenue_without_email: 0.006 };
  const { publisher_remote_id } = network.describe().publisher;
  const rows = ['CHECKOUT', 'THANK_YOU', 'ORDER_STATUS', 'POST_ORDER'].flatMap((page_type) =>
    ['A', 'B', 'C'].map((widget_type) => ({
      hour,
      publisher_remote_id,
      page_type,
      widget_type,
      widget_id: 'cents',
      impressions: 1,
      ...money,
    })),
  );
  await control('POST', '/sandbox/activity', { rows });
  const get = await network.fetch(
    new Request(`${URL_OF}/adnet/adconfig/categories/`, { headers: { 'x-api-key': management } }),
  );
  const { categories } = await get.json();
  const external = [categories[0].subcategories[0].remote_id];
  await control('PUT', `/sandbox/publishers/${publisher_remote_id}/external-exclusions`, { subcategory_ids: external });
  const keys = { integration, management, reporting: publisher_reporting, revoked: issued.key };

  async function control(method: string, path: string, body?: object): Promise<unknown> {
    const response = await network.fetch(
      new Request(URL_OF + path, { method, body: body ? JSON.stringify(body) : null }),
    );
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }

  async function send({ method, path, query, headers, body }: Call): Promise<Response> {
    const search = query.size > 0 ? `?${query}` : '';
    return network.fetch(new Request(URL_OF + path + search, { method, headers, body: body === '' ? null : body }));
  }

  return {
    network,
    keys,
    run: (options = {}, wrapper = (call) => send(call)) =>
      verify({
        url: URL_OF,
        version: '1.0.0',
        keys,
        paceMs: 0,
        lookMs: 1,
        fetch: async (input, init) => {
          const request = new Request(input, init);
          const { pathname, searchParams } = new URL(request.url);
          const { method, headers } = request;
          return wrapper({ method, path: pathname, query: searchParams, headers, body: await request.text() }, send);
        },
        ...options,
      }),
    close: () => network.close(),
  };
}

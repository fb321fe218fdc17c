import { RecommendationsClient, type RecommendationsClientOptions } from '../../src/client.ts';

/** Uses the client once, and responds with what became of it. */
async function useClient(options: RecommendationsClientOptions): Promise<Response> {
  const client = new RecommendationsClient({ ...options, maxRetries: 0 });
  const { session_id, offers, report } = await client.recommend({
    user_details: { email: 'ada@example.com' },
    placement_details: { view: 'POST_ORDER', display_mode: 'INLINE' },
  });
  const [insertion] = offers;
  if (!insertion) throw new Error('There is no offer.');
  const reports = [
    ...(await client.reportAll([report.load, insertion.report.click])),
    await client.reportConversion({ session_id, insertion, conversion_id: 's-1' }, { deadline: Infinity }),
  ];
  const error: unknown = await client.report(report.display).catch((reason: unknown) => reason);
  return Response.json([reports.map(({ status }) => status), String(error)]);
}

// As the mounts of demo/mounts, for the same servers.
export const mountOnDeno = (options: RecommendationsClientOptions) => (): Promise<Response> => useClient(options);
export const mountOnBun = (options: RecommendationsClientOptions): object => ({ fetch: mountOnDeno(options) });
export const worker = {
  fetch: (_: Request, env: { OFFERLET_API_KEY: string; OFFERLET_NETWORK: string }): Promise<Response> =>
    useClient({ apiKey: env.OFFERLET_API_KEY, networkUrl: env.OFFERLET_NETWORK, version: '1.0.0' }),
};

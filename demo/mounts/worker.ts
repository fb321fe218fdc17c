import { createRelay, type Relay } from 'offerlet/relay';

/** The bindings of the worker. The key is a secret, never part of the code. */
export interface Env {
  OFFERLET_API_KEY: string;
  OFFERLET_NETWORK: string;
}

/** Created with the first request, which brings the bindings. */
let relay: Relay | undefined;

/** A Cloudflare-Worker-style module with the relay at /offers: `export default worker`. */
export const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    relay ??= createRelay({
      apiKey: env.OFFERLET_API_KEY,
      version: '1.0.0',
      networkUrl: env.OFFERLET_NETWORK,
      basePath: '/offers',
    });
    // The platform sets this header itself; clients cannot.
    return relay(request, { ip: request.headers.get('cf-connecting-ip') ?? undefined });
  },
};

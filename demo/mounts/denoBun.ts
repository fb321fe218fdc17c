import { createRelay, type RelayOptions } from 'offerlet/relay';

/** For Deno: `Deno.serve(mountOnDeno({…}))`. */
export function mountOnDeno(
  options: RelayOptions,
): (request: Request, info: { remoteAddr: { hostname: string } }) => Promise<Response> {
  const relay = createRelay({ ...options, basePath: '/offers' });
  return (request, info) => relay(request, { ip: info.remoteAddr.hostname });
}

/** For Bun: `Bun.serve(mountOnBun({…}))`. */
export function mountOnBun(options: RelayOptions): {
  fetch(request: Request, server: { requestIP(request: Request): { address: string } | null }): Promise<Response>;
} {
  const relay = createRelay({ ...options, basePath: '/offers' });
  return {
    fetch(request, server) {
      return relay(request, { ip: server.requestIP(request)?.address });
    },
  };
}

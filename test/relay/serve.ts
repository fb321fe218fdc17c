import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of this test on a free port of 127.0.0.1. */
export interface Served {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Listens with a node:http listener, or with a server that is there already. */
export async function serve(what: RequestListener | Server): Promise<Served> {
  const server = typeof what === 'function' ? createServer(what) : what;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

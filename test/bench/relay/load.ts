import { connect, type Socket } from 'node:net';

/** What a run of requests came to. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99: number;
  readonly failed: number;
}

interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  /** When to stop: after a time or after a number of requests, whatever comes first. */
  readonly seconds?: number;
  readonly requests?: number;
  /** The body of the next request. */
  body(): string;
}

/** Posts over raw keep-alive sockets, one request at a time on each: the generator must cost less than what it measures. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const times: number[] = [];
  let failed = 0;
  const started = performance.now();
  const end = started + (options.seconds ?? Infinity) * 1_000;
  let left = options.requests ?? Infinity;
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(options.port)));
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < end && left-- > 0) {
        const sent = performance.now();
        const status = await exchange(socket, requestText(options));
        times.push(performance.now() - sent);
        if (status < 200 || status > 299) failed += 1;
      }
      socket.destroy();
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { requests: times.length, perSecond: times.length / seconds, p99: at(0.99), failed };
}

/** Opens a connection. */
function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function requestText({ path, body }: LoadOptions): string {
  const text = body();
  return `POST ${path} HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nAccept-Language: de-CH,de;q=0.9\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Sends one request and resolves with the status when the whole response has arrived. */
function exchange(socket: Socket, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let got = '';
    const done = (status: number): void => {
      socket.off('data', read);
      socket.off('error', reject);
      resolve(status);
    };
    const read = (chunk: Buffer): void => {
      got += chunk.toString('latin1');
      const head = got.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /content-length: (\d+)/i.exec(got.slice(0, head))?.[1];
      const isWhole = length === undefined ? got.endsWith('0\r\n\r\n') : got.length >= head + 4 + Number(length);
      if (isWhole) done(Number(got.slice(9, 12)));
    };
    socket.on('data', read);
    socket.once('error', reject);
    socket.write(text);
  });
}

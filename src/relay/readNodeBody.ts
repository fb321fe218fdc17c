import { joinBytes } from './readStream.ts';

/** What is used of a node stream that carries a request's body, and what body parsers leave on it. */
export interface NodeBody {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
  pause?(): unknown;
  removeAllListeners?(event: string): unknown;
}

/** `huge`: more than any route takes, so reading stopped at `length`. `late`: it did not arrive in time. `gone`: the client left. */
export type ReadNodeBody =
  | { readonly state: 'read'; readonly content: string | Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly state: 'huge'; readonly length: number }
  | { readonly state: 'late' }
  | { readonly state: 'gone' };

/** Bytes read at most; the relay's own limits are below that. */
const READ_MAX_BYTES = 256 * 1024;
const READ_TIMEOUT_MS = 10_000;

/** The body of a node request: from the stream, or as a body parser has left it. */
export async function readNodeBody(incoming: NodeBody): Promise<ReadNodeBody> {
  if (incoming.readableEnded || incoming.readableDidRead) return parsed(incoming.rawBody ?? incoming.body);
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > READ_MAX_BYTES) return { state: 'huge', length: announced };
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const timer = setTimeout(() => finish({ state: 'late' }), READ_TIMEOUT_MS);
    function finish(result: ReadNodeBody): void {
      clearTimeout(timer);
      resolve(result);
    }
    incoming.on('data', (chunk) => {
      length += chunk.byteLength;
      if (length <= READ_MAX_BYTES) {
        chunks.push(chunk);
        return;
      }
      incoming.pause?.();
      finish({ state: 'huge', length });
    });
    incoming.on('end', () => finish({ state: 'read', content: joinBytes(chunks, length), length }));
    incoming.on('error', () => finish({ state: 'gone' }));
    incoming.on('close', () => finish({ state: 'gone' }));
  });
}

function parsed(body: unknown): ReadNodeBody {
  const content =
    body instanceof Uint8Array
      ? joinBytes([body], body.byteLength)
      : typeof body === 'string'
        ? body
        : body === undefined
          ? ''
          : JSON.stringify(body);
  return {
    state: 'read',
    content,
    length: typeof content === 'string' ? new TextEncoder().encode(content).byteLength : content.byteLength,
  };
}

import { decodeBody, tooLarge, tooSlow, unreadable, type BodyLimits } from './readBody.ts';
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
}

/** The text of a node request's body: from the stream, or as a body parser has left it. Throws a `RelayError`. */
export async function readNodeBody(incoming: NodeBody, { maxBytes, timeoutMs }: BodyLimits): Promise<string> {
  if (incoming.readableEnded || incoming.readableDidRead) return textOf(incoming.rawBody ?? incoming.body, maxBytes);
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(tooSlow()), timeoutMs);
      incoming.on('data', (chunk) => {
        length += chunk.byteLength;
        if (length <= maxBytes) chunks.push(chunk);
        // What follows is passed over by whoever answers.
        else reject(tooLarge(maxBytes));
      });
      incoming.on('end', resolve);
      incoming.on('error', () => reject(unreadable()));
      incoming.on('close', () => {
        if (!incoming.readableEnded) reject(unreadable());
      });
    });
  } finally {
    clearTimeout(timer);
  }
  const [first] = chunks;
  return decodeBody(first && chunks.length === 1 ? first : joinBytes(chunks, length));
}

function textOf(parsed: unknown, maxBytes: number): string {
  if (parsed instanceof Uint8Array && parsed.byteLength > maxBytes) throw tooLarge(maxBytes);
  if (parsed instanceof Uint8Array) return decodeBody(parsed);
  const text = typeof parsed === 'string' ? parsed : (JSON.stringify(parsed) ?? '');
  // Every character is at least one byte, so the cheap look comes first.
  if (text.length > maxBytes || new TextEncoder().encode(text).byteLength > maxBytes) throw tooLarge(maxBytes);
  return text;
}

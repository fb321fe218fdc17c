import { RelayError } from '../errors.ts';
import { withDeadline } from '../../http/withDeadline.ts';
import { joinBytes, readCapped } from '../../wire/readCapped.ts';
import type { BodyLimits } from './request.ts';

/** The text of a Web request's body. Refuses one that is larger than `maxBytes` as soon as that is known. */
export async function readBody(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<string> {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  try {
    // With an announced length the server's own parser stops at it; reading in one go is several times faster.
    const whole = announced === null ? readCapped(request.body, maxBytes) : request.arrayBuffer();
    const bytes = await withDeadline<ArrayBuffer | Uint8Array | undefined>(whole, { ms: timeoutMs, late: tooSlow });
    if (!bytes || bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
    return decode(bytes);
  } catch (error) {
    throw error instanceof RelayError ? error : unreadable(error);
  }
}

/** What is used of a node:http stream that carries a request's body, and what body parsers leave on it. */
export interface NodeBody {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
}

/** The text of a node:http request's body: from the stream, or as a body parser has left it. */
export async function readNodeBody(incoming: NodeBody, { maxBytes, timeoutMs }: BodyLimits): Promise<string> {
  if (incoming.readableEnded || incoming.readableDidRead) return textOf(incoming.rawBody ?? incoming.body, maxBytes);
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const whole = new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow()), timeoutMs);
    incoming.on('data', (chunk) => {
      length += chunk.byteLength;
      if (length <= maxBytes) chunks.push(chunk);
      // Whoever responds reads the rest and drops it.
      else reject(tooLarge(maxBytes));
    });
    incoming.on('end', resolve);
    incoming.on('error', () => reject(unreadable()));
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(unreadable());
    });
  });
  try {
    await whole;
  } finally {
    clearTimeout(timer);
  }
  const [first] = chunks;
  return decode(first && chunks.length === 1 ? first : joinBytes(chunks, length));
}

function textOf(parsed: unknown, maxBytes: number): string {
  if (parsed instanceof Uint8Array && parsed.byteLength > maxBytes) throw tooLarge(maxBytes);
  if (parsed instanceof Uint8Array) return decode(parsed);
  const text = typeof parsed === 'string' ? parsed : (JSON.stringify(parsed) ?? '');
  // Every character is at least one byte, so the cheap check comes first.
  if (text.length > maxBytes || new TextEncoder().encode(text).byteLength > maxBytes) throw tooLarge(maxBytes);
  return text;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw unreadable(error);
  }
}

function tooLarge(maxBytes: number): RelayError {
  return new RelayError(`The request body is larger than ${maxBytes} bytes.`, { status: 413, code: 'body_too_large' });
}

function tooSlow(): RelayError {
  return new RelayError('The request took too long to arrive.', { status: 408, code: 'request_timeout' });
}

function unreadable(cause?: unknown): RelayError {
  return new RelayError('The request body could not be read.', { status: 400, code: 'unreadable_body', cause });
}

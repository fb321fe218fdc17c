/** A body to read, as a `Request` or a `Response` has it. */
export interface Body {
  readonly body?: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** Resolves to the bytes of a stream, or to undefined as soon as there are more than `maxBytes`. The rest is not read. */
export async function readCapped(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!stream) return new Uint8Array();
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value } = await reader.read();
    if (!value) return joinBytes(chunks, length);
    length += value.byteLength;
    if (length > maxBytes) {
      void reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

/** Resolves to a body as text, or to undefined if it is longer than `maxBytes`. */
export async function readCappedText(body: Body, maxBytes: number): Promise<string | undefined> {
  if (body.body) {
    const bytes = await readCapped(body.body, maxBytes);
    return bytes && new TextDecoder().decode(bytes);
  }
  // React Native has no streams, and a custom `fetch` may return less than a whole response.
  const text = await body.text();
  return text.length > maxBytes ? undefined : text;
}

/** Joins chunks that are `length` bytes long together. */
export function joinBytes(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

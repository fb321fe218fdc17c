/** Maximum nesting of lists and objects: more than any caller needs, and well below what overflows a stack. */
const MAX_DEPTH = 100;

/** A body's JSON value, or the error status and message. */
export type JsonBody =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** Reads a JSON body of at most `maxBytes`, and stops reading above that. */
export async function readJson(request: Request, maxBytes: number): Promise<JsonBody> {
  const tooLarge = { ok: false, status: 413, message: `The body is larger than ${maxBytes} bytes.` } as const;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge;
  const bytes = await readAtMost(request, maxBytes);
  if (!bytes) return tooLarge;
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
    if (!isDeep(json)) return { ok: true, json };
    return { ok: false, status: 400, message: `The body is nested more than ${MAX_DEPTH} levels deep.` };
  } catch {
    return { ok: false, status: 400, message: 'The body is not valid JSON in UTF-8.' };
  }
}

/** Works level by level: recursion could itself overflow the stack. */
function isDeep(json: unknown): boolean {
  let level = [json];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const child of Object.values(value)) below.push(child);
    }
    if (below.length === 0) return false;
    level = below;
  }
  return true;
}

async function readAtMost(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

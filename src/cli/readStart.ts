/** Returns the beginning of a response's text, and cancels the rest: a hostile server may send without end. */
export async function readStart(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.byteLength;
    if (left <= 0) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

import { readStream } from '../runtime/readStream.ts';

/** The text of the network's answer, read no further than `maxBytes`. */
export async function readAnswer(response: Response, maxBytes: number): Promise<string> {
  const announced = response.headers.get('content-length');
  // The announced length of an encoded body says nothing about what comes out of it.
  const isSmall = announced !== null && Number(announced) <= maxBytes && !response.headers.has('content-encoding');
  if (isSmall) return response.text();
  const bytes = await readStream(response.body, maxBytes);
  if (!bytes) throw new Error(`The network's answer is larger than ${maxBytes} bytes.`);
  return new TextDecoder().decode(bytes);
}

/** How a file is written, beside UTF-8. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The text of a file. */
export interface DecodedList {
  readonly text: string;
  readonly encoding: Encoding;
  /** Whether nothing in the file says that it is written so: a person has to look at the names. */
  readonly isGuessed: boolean;
  /** A word with a letter that another encoding would show differently, to look at. */
  readonly example?: string | undefined;
}

/**
 * Decodes a list. UTF-8 is read strictly: with a replacement character in place of a letter, a name would be damaged for
 * good. UTF-16 is recognized by its mark or its zeros; anything else is Windows-1252 if people agree, as spreadsheets write.
 */
export function decodeList(bytes: Uint8Array, encoding: Encoding = detect(bytes)): DecodedList {
  const text = new TextDecoder(encoding).decode(bytes);
  const isGuessed = encoding === 'windows-1252';
  return {
    text,
    encoding,
    isGuessed,
    example: isGuessed ? /[\w'’-]*[^\0-\x7f][\p{L}'’-]*/u.exec(text)?.[0] : undefined,
  };
}

function detect(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Half of the bytes of Latin text are zero in UTF-16.
  const start = bytes.subarray(0, 1_000);
  const zeros = (odd: 0 | 1): number => start.filter((byte, index) => byte === 0 && index % 2 === odd).length;
  if (zeros(1) > start.length / 4) return 'utf-16le';
  if (zeros(0) > start.length / 4) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

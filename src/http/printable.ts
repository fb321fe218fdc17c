// What may be passed on or printed: no key, no personal data, nothing that controls a terminal or a CI system.

/** Knows the key, to find it in what the network returns and to keep it and personal data out of logs. */
export interface Secrets {
  /**
   * Whether the key occurs in a text, in any letter case, with invisible characters inside, and however it is escaped or
   * encoded: JSON, URL and HTML escapes, hexadecimal, base64, and one inside another. Also `true` for a text that would
   * take too long to search. See docs/reference/relay.md#guarantees.
   */
  isIn(text: string): boolean;
  /** The text as a log line may show it: without keys, email addresses and hashes, however they are escaped. */
  redact(text: string): string;
}

/** Escapes within escapes that are decoded. */
const ESCAPE_LEVELS = 5;
/** Encodings within encodings that are decoded. */
const ENCODING_LEVELS = 3;
/** Shortest encoded text that is decoded: with a shorter key, every word would be. */
const ENCODED_MIN = 16;
/** Characters that are searched for one text, those of every decoded form included: a third of a second. */
const WORK_MAX = 32 * 1024 * 1024;

/** Returns the `Secrets` of a relay. */
export function createSecrets(apiKey: string): Secrets {
  const pattern = apiKey.replaceAll(/\W/g, String.raw`\$&`);
  const key = new RegExp(pattern, 'i');
  const everyKey = new RegExp(pattern, 'gi');
  const hexMin = apiKey.length * 2;
  const base64Min = Math.max(ENCODED_MIN, Math.floor((apiKey.length * 4) / 3));

  /** `done`: the encoded texts that have been decoded, and how many characters were searched. */
  function search(text: string, levels: number, done: { texts: Set<string>; work: number }): boolean {
    let plain = text;
    for (let level = 0; level <= ESCAPE_LEVELS; level++) {
      done.work += plain.length;
      if (done.work > WORK_MAX) return true;
      if (key.test(plain)) return true;
      // What was escaped may be the bytes of UTF-8.
      const isOdd = NOT_ASCII.test(plain) && (level > 0 || UNUSUAL.test(plain));
      const visible = isOdd ? toVisible(plain) : plain;
      if (isOdd && key.test(visible)) return true;
      if (levels > 0)
        for (const encoded of encodedTexts(visible, base64Min)) {
          if (done.texts.has(encoded)) continue;
          done.texts.add(encoded);
          for (const { text, isText } of decodings(encoded, { hexMin, least: apiKey.length }))
            if (isText ? search(text, levels - 1, done) : key.test(text)) return true;
        }
      plain = unescape(visible);
      if (plain === visible) return false;
    }
    return false;
  }

  const isIn = (text: string): boolean => apiKey !== '' && search(text, ENCODING_LEVELS, { texts: new Set(), work: 0 });

  return {
    isIn,
    redact(text) {
      // A key that the cut leaves half of would no longer be found.
      const kept = text.length > LINE_MAX ? Math.max(0, LINE_MAX - apiKey.length * LONGEST_ESCAPE) : LINE_MAX;
      const line = apiKey === '' ? text.slice(0, kept) : text.slice(0, kept).replace(everyKey, '[key]');
      if (isIn(line)) return WITHHELD;
      let plain = line;
      for (let level = 0, last = ''; level < ESCAPE_LEVELS && plain !== last; level++) {
        last = plain;
        plain = unescape(plain).normalize('NFKC');
      }
      const clean = hidePersonal(plain);
      return (clean === plain ? line : clean).replace(NOT_ON_A_LINE, ' ').slice(0, SHOWN_MAX);
    },
  };
}

/** Characters of a log text that are looked at, and that are shown. */
const LINE_MAX = 1_200;
const SHOWN_MAX = 300;
/** Characters of the longest escape of one character, such as `\u0041` or `&#x41;`. */
const LONGEST_ESCAPE = 6;
const WITHHELD = '[withheld: it contained the key]';
/** Would end the line, or write the rest of it from right to left. */
const NOT_ON_A_LINE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

const EMAIL = /[^\s"'<>@,;:]{1,64}@[^\s"'<>@,;:]{1,255}/g;
/** SHA-1 and longer. */
const HASH = /[0-9a-f]{40,}/gi;
const PHONE = /\+\d(?:[\s().-]?\d){6,14}/g;
/** Shortest email address that is looked for in base64: `a@b.example`. */
const EMAIL_MIN = 10;

function hidePersonal(text: string): string {
  let clean = hideKeys(text).replace(EMAIL, '[email]').replace(HASH, '[hash]').replace(PHONE, '[phone]');
  for (const encoded of encodedTexts(clean, ENCODED_MIN)) {
    const decoded = decodings(encoded, { hexMin: EMAIL_MIN * 2, least: EMAIL_MIN });
    if (decoded.some(({ text }) => /[\w.+-]{2,}@[\w-]{2,}\.[a-z]{2,}/i.test(text)))
      clean = clean.replace(encoded, '[email]');
  }
  return clean;
}

/** Hides everything that looks like a key which must never reach a browser or a log. */
export function hideKeys(text: string): string {
  return text.replace(/adnet_(sk|rk|rp)_[\w-]+/gi, '[key]');
}

/** What may be invisible, wide or no text at all: everything but ASCII and the letters of most European languages. */
const UNUSUAL = /[^\x20-\x7E\xA1-\xAC\xAE-\u02FF]/;
const NOT_ASCII = /[^\x20-\x7E]/;

/** The text without all that is not ASCII, which a key never has, and with wide characters as ordinary ones. */
function toVisible(text: string): string {
  return text
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfe_e0))
    .replace(/[^\x20-\x7e]+/g, '');
}

/** JSON and JavaScript; URLs; HTML, where a number needs no semicolon unless what follows may be a part of it. */
const ESCAPE =
  /\\(?:u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|[^ux%&])|%(?:u[\da-f]{4}|[\da-f]{2})|&(?:#(?:x[\da-f]{1,6}|\d{1,7})(?:;|(?![\w%\\]))|(?:amp|lt|gt|quot)\b;?|\w{2,31};)/gi;

/** Replaces each escape by its character. An escaped byte of UTF-8 that is not ASCII comes out as another character. */
function unescape(text: string): string {
  const isEscaped = text.includes('\\') || text.includes('%') || text.includes('&');
  return isEscaped ? text.replace(ESCAPE, characterOf) : text;
}

function characterOf(escape: string): string {
  const second = escape.charAt(1);
  if (escape.length === 2) return 'bfnrtv0'.includes(second) ? '' : second;
  if (escape.startsWith('&')) {
    // Other characters with a name are not part of a key; the invisible ones must be removed.
    if (second !== '#') return ENTITIES.get(escape.slice(1).replace(';', '').toLowerCase()) ?? '';
    return fromCode(
      /x/i.test(escape.charAt(2)) ? Number.parseInt(escape.slice(3), 16) : Number.parseInt(escape.slice(2)),
    );
  }
  if (escape.startsWith('%')) return fromCode(Number.parseInt(escape.slice(/u/i.test(second) ? 2 : 1), 16));
  return fromCode(Number.parseInt(escape.slice(2).replace('{', ''), 16));
}

function fromCode(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}

/** The names of HTML for characters that keys have or that escape others. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  'amp& lt< gt> quot" apos\' lowbar_ underbar_ hyphen- dash- period. plus+ sol/ equals= colon: commat@ percnt% bsol\\ num#'
    .split(' ')
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)]),
);

interface Encoding {
  readonly bits: number;
  /** The value of each digit, by its character code. */
  readonly values: Uint8Array;
}

const NO_DIGIT = 255;
/** Standard base64 and that for URLs. */
const BASE64 = encoding(6, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', '+-', '/_');
const HEX = encoding(4, '0123456789', 'aA', 'bB', 'cC', 'dD', 'eE', 'fF');

/** Each digit after the first ones may be written in two ways. */
function encoding(bits: number, digits: string, ...others: readonly string[]): Encoding {
  const values = new Uint8Array(128).fill(NO_DIGIT);
  for (const [value, written] of [...digits, ...others].entries())
    for (const digit of written) values[digit.charCodeAt(0)] = value;
  return { bits, values };
}

/** The parts of a text that are at least `least` digits of base64, or of hexadecimal, which are a part of those. */
function encodedTexts(text: string, least: number): readonly string[] {
  const found: string[] = [];
  const isDigit = (at: number): boolean => (BASE64.values[text.charCodeAt(at)] ?? NO_DIGIT) !== NO_DIGIT;
  // A long enough part has a digit at one of every `least` positions, so most of the text is skipped.
  for (let at = least - 1; at < text.length; at += least) {
    if (!isDigit(at)) continue;
    let start = at;
    while (start > 0 && isDigit(start - 1)) start -= 1;
    while (at < text.length && isDigit(at)) at += 1;
    if (at - start >= least) found.push(text.slice(start, at));
  }
  return found;
}

/** What an encoded text may stand for. */
interface Decoded {
  /** Its ASCII characters. */
  readonly text: string;
  /** Whether most of it consists of such characters. Otherwise it is binary data, or the encoding begins elsewhere. */
  readonly isText: boolean;
}

/** Decodes from each position at which the first encoded byte may begin. Leaves out what has fewer than `least` characters. */
function decodings(encoded: string, { hexMin, least }: { hexMin: number; least: number }): readonly Decoded[] {
  const found: Decoded[] = [];
  const bytes = new Uint8Array(encoded.length);
  // Most text that looks encoded is an id: decoding stops as soon as too few characters can be left.
  const decode = (digits: string, start: number, { values, bits }: Encoding): void => {
    let count = 0;
    let others = 0;
    let held = 0;
    let heldBits = 0;
    const othersMax = (digits.length * bits) / 8 - least;
    for (let at = start; at < digits.length && others <= othersMax; at++) {
      held = (held << bits) | (values[digits.charCodeAt(at)] ?? 0);
      heldBits += bits;
      if (heldBits < 8) continue;
      heldBits -= 8;
      const byte = (held >> heldBits) & 0xff;
      if (byte >= 0x20 && byte < 0x7f) bytes[count++] = byte;
      // Zeros are between the characters of UTF-16.
      else if (byte !== 0 && byte !== LINE_FEED && byte !== RETURN) others += 1;
    }
    if (count >= least) found.push({ text: decoder.decode(bytes.subarray(0, count)), isText: count >= others });
  };
  for (let start = 0; start < 4; start++) decode(encoded, start, BASE64);
  if (encoded.length >= hexMin)
    for (const digits of encoded.match(/[\da-f]+/gi) ?? [])
      for (let start = 0; start < 2 && digits.length >= hexMin; start++) decode(digits, start, HEX);
  return found;
}

const LINE_FEED = 10;
const RETURN = 13;
const decoder = new TextDecoder();

/**
 * Changes text so that no line of it is a command of a CI system. In a log, GitHub takes lines that begin with `::` and any
 * `##[…]` for commands, Azure any `##vso[…]`: a page or a brand name could set the environment of the next step.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^((?:[^\S\n\r\u2028\u2029]|\u0085)*):(?=:)/gm, '$1: ').replace(/#(?=#\w*\[)/g, '# ');
}

/**
 * Returns a value as JSON that a terminal and a CI log can show: what controls, hides or reorders text is escaped, and so is
 * what begins a command. Parsed, it is the same value.
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent)
    .replace(/[^\n]+/gu, escapeControls)
    .replace(/#(?=#\w*\[)/g, escaped);
}

/** Escapes what controls, hides or reorders text, line breaks included, as JSON does. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

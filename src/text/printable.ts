// What may be passed on or printed: no key, no personal data, nothing that controls a terminal or a CI system.

/** Knows the key, to find it in what the network returns and to keep it and personal data out of logs. */
export interface Secrets {
  /**
   * Whether the key occurs in a text, in any letter case: as it is, in the escapes of JSON or of URLs, or between characters
   * that are removed before a text is shown. What else a network might do to it is its own doing: it knows the key.
   */
  isIn(text: string): boolean;
  /** The text as a log line may show it: without keys, email addresses, phone numbers and hashes. */
  redact(text: string): string;
}

/** Returns the `Secrets` of a relay. */
export function createSecrets(apiKey: string): Secrets {
  const pattern = apiKey.replaceAll(/\W/g, String.raw`\$&`);
  const key = new RegExp(pattern, 'i');
  const everyKey = new RegExp(pattern, 'gi');
  const encodedKey = new RegExp(base64Forms(apiKey).join('|'), 'g');

  function isIn(text: string): boolean {
    if (apiKey === '') return false;
    if (key.test(text)) return true;
    const plain = unescape(text).replace(NOT_SHOWN, '');
    return plain !== text && key.test(plain);
  }

  return {
    isIn,
    redact(text) {
      // A key that the cut leaves half of would no longer be found.
      const kept = text.length > LINE_MAX ? Math.max(0, LINE_MAX - apiKey.length * LONGEST_ESCAPE) : LINE_MAX;
      const line =
        apiKey === ''
          ? text.slice(0, kept)
          : text.slice(0, kept).replace(everyKey, '[key]').replace(encodedKey, '[key]');
      if (isIn(line)) return WITHHELD;
      const plain = unescape(line);
      const clean = hidePersonal(plain);
      return (clean === plain ? line : clean).replace(NOT_ON_A_LINE, ' ').slice(0, SHOWN_MAX);
    },
  };
}

/** The key as it is inside of Base64, as in an Authorization header: by where it begins in a group of three bytes. */
function base64Forms(key: string): string[] {
  return [0, 1, 2].map((at) => {
    const encoded = btoa(' '.repeat(at) + key).slice(Math.ceil((at * 4) / 3), Math.floor(((at + key.length) * 4) / 3));
    return encoded.replaceAll('+', '[+-]').replaceAll('/', '[/_]') || '(?!)';
  });
}

/** Characters of a log text that are looked at, and that are shown. */
const LINE_MAX = 1_200;
const SHOWN_MAX = 300;
/** Characters of the longest escape of one character: `\u0041`. */
const LONGEST_ESCAPE = 6;
const WITHHELD = '[withheld: it contained the key]';
/** What `plainText` and the terminal's `withoutControls` remove, at the least. */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Cs}]/gu;
/** Would end the line, or write the rest of it from right to left. */
const NOT_ON_A_LINE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** With the at signs of East Asian keyboards too. */
const EMAIL = /[^\s"'<>@\uFE6B\uFF20,;:]{1,64}[@\uFE6B\uFF20][^\s"'<>@\uFE6B\uFF20,;:]{1,255}/g;
/** SHA-1 and longer. */
const HASH = /[0-9a-f]{40,}/gi;
const PHONE = /\+\d(?:[\s().-]?\d){6,14}/g;

function hidePersonal(text: string): string {
  return hideKeys(text).replace(EMAIL, '[email]').replace(HASH, '[hash]').replace(PHONE, '[phone]');
}

/** Hides everything that looks like a key which must never reach a browser or a log. */
export function hideKeys(text: string): string {
  return text.replace(/adnet_(sk|rk|rp)_[\w-]+/gi, '[key]');
}

/** The escapes of JSON and of URLs, each of one character. */
const ESCAPE = /\\u[\da-f]{4}|\\["\\/]|%[\da-f]{2}/gi;

function unescape(text: string): string {
  if (!text.includes('\\') && !text.includes('%')) return text;
  return text.replace(ESCAPE, (escape) =>
    escape.length === 2 ? escape.charAt(1) : String.fromCharCode(Number.parseInt(escape.replace(/^\W+u?/i, ''), 16)),
  );
}

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

/** Escapes every unit of a text as JSON does: `\u003c`. */
export function escaped(text: string): string {
  return text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

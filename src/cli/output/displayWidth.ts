/** Columns that a text takes in a terminal: East Asian letters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Cuts a text to a number of columns; the last one shows that something is missing. */
export function cutTo(text: string, width: number, mark = '…'): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  let cut = '';
  let left = width - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    cut += segment;
  }
  return cut.trimEnd() + mark;
}

/** Makes text from the network safe for a terminal: no escape sequences, no reordering, one line. */
export function safeText(text: string): string {
  return withoutControls(text.replace(/\s+/gu, ' ')).trim();
}

/** Removes what would control a terminal, line breaks and tabs included. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu, '');
}

/** Removes the same from a document of several lines. What follows a single carriage return would hide what is before it. */
export function documentWithoutControls(text: string): string {
  return text.replace(/\r(?!\n)/g, '').replace(/[^\r\n\t]+/gu, withoutControls);
}

const GRAPHEMES = new Intl.Segmenter();
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}

/** Returns a text as lines of at most `width` characters, broken at spaces. A longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** How a text stands out. */
export type Tone = 'strong' | 'dim' | 'good' | 'bad' | 'accent';

const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  strong: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  accent: [36, 39],
};

/** Returns a text in a tone, where the terminal has colour. */
export function inTone(text: string, tone: Tone | undefined, hasColor: boolean): string {
  if (!hasColor || tone === undefined || text === '') return text;
  const [on, off] = CODES[tone];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

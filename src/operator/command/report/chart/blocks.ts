// Bars of block characters, an eighth of a cell exact; whole cells of ASCII where a terminal has no Unicode.

const RISING = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const GROWING = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/** Which character fills a bar: solid, for the value itself; shaded, for what it is compared with or is not complete. */
export type Fill = 'solid' | 'shade' | 'light';
const FULL: Readonly<Record<Fill, readonly [unicode: string, ascii: string]>> = {
  solid: ['█', '#'],
  shade: ['▒', '='],
  light: ['░', ':'],
};

/** Returns the cells of an upright bar from the bottom up; `share` of the height is filled. */
export function uprightBar(
  share: number,
  height: number,
  { fill, hasUnicode }: { fill: Fill; hasUnicode: boolean },
): string[] {
  const [unicode, ascii] = FULL[fill];
  const isExact = hasUnicode && fill === 'solid';
  const eighths = Math.round(clamp(share) * height * 8);
  // Something is never drawn as nothing.
  const drawn = share > 0 ? Math.max(eighths, isExact ? 1 : 8) : 0;
  return Array.from({ length: height }, (_, row) => {
    const left = Math.min(8, Math.max(0, drawn - row * 8));
    if (isExact) return RISING[left] ?? ' ';
    return left >= 4 ? (hasUnicode ? unicode : ascii) : ' ';
  });
}

/** Returns a bar from left to right, padded to `width`. */
export function lyingBar(share: number, width: number, hasUnicode: boolean): string {
  const eighths = Math.round(clamp(share) * width * 8);
  const drawn = share > 0 ? Math.max(eighths, 1) : 0;
  const [full, rest] = [Math.floor(drawn / 8), drawn % 8];
  const bar = hasUnicode ? '█'.repeat(full) + (GROWING[rest] ?? '') : '#'.repeat(Math.max(full, drawn > 0 ? 1 : 0));
  return bar.padEnd(width);
}

/** Returns one character for each value; a gap where data is missing. */
export function sparkline(values: readonly (number | null)[], max: number, hasUnicode: boolean): string {
  const levels = hasUnicode ? RISING.slice(1) : ['_', '.', '-', '=', '#'];
  return values
    .map((value) => {
      if (value === null) return ' ';
      const level = max > 0 ? Math.round((value / max) * (levels.length - 1)) : 0;
      return levels[value > 0 ? Math.max(1, level) : 0] ?? '';
    })
    .join('');
}

/** Returns a round number that is not below a value, for the top of an axis. Its half is whole where only whole numbers count. */
export function niceCeiling(value: number, isWhole: boolean): number {
  if (!(value > 0)) return isWhole ? 2 : 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const tops = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10, 12].map((step) => Number((step * power).toPrecision(3)));
  return tops.find((top) => top >= value * 0.999999 && (!isWhole || top % 2 === 0)) ?? value;
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Where values are drawn. */
export interface Scale {
  x(index: number): number;
  y(value: number): number;
}

/** Returns the SVG path through the values; gaps where a value is missing. */
export function linePath(values: readonly (number | null)[], { x, y }: Scale): string {
  let path = '';
  let isDown = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${isDown ? 'L' : 'M'}${round(x(index))} ${round(y(value))}`;
    isDown = value !== null;
  }
  return path;
}

/** Returns the path of the area below the values. */
export function areaPath(values: readonly (number | null)[], scale: Scale): string {
  const last = values.findLastIndex((value) => value !== null);
  const line = linePath(values, scale);
  if (last < 1 || line === '') return '';
  const floor = round(scale.y(0));
  return `${line}L${round(scale.x(last))} ${floor}L${round(scale.x(values.findIndex((value) => value !== null)))} ${floor}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

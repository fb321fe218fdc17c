import type { Check, CheckInput } from './check.ts';

/** Milliseconds around the rendering of the offers in which a layout shift is attributed to them. */
const ATTRIBUTED_MS = 500;

/** Reports offers that the page or an ad blocker hides. */
export function hiddenChecks(hosts: readonly Element[]): Check[] {
  return hosts.flatMap((host) => {
    const { width, height } = host.getBoundingClientRect();
    const isLayer = host.localName === 'offer-let-layer';
    if (isLayer || (width > 0 && height > 0)) return [];
    const id = host.parentElement?.getAttribute('id');
    const name = id ? `#${id}` : host.localName;
    const size = `${Math.round(width)} × ${Math.round(height)}`;
    return [
      {
        state: 'bad' as const,
        title: 'Place',
        text: `The offers have a box of ${size} pixels: the page or an ad blocker hides ${name}.`,
      },
    ];
  });
}

/** Checks that the page did not move when the offers were rendered. */
export function shiftCheck({ mount, shifts }: CheckInput, hosts: readonly Element[]): Check {
  const title = 'Layout shift';
  if (mount.mode !== 'INLINE')
    return { state: 'good', title, text: `${mount.mode} offers are above the page and move nothing.` };
  if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift'))
    return { state: 'note', title, text: 'This browser does not measure layout shifts. Use Chromium.' };
  const renderedAt = mount.renderedAt ?? Infinity;
  const attributed = shifts.filter(({ at }) => Math.abs(at - renderedAt) <= ATTRIBUTED_MS);
  const height = Math.round(hosts[0]?.getBoundingClientRect().height ?? 0);
  const pixels = Math.round(Math.max(0, ...attributed.map((shift) => shift.pixels)));
  return pixels < 1
    ? { state: 'good', title, text: `Nothing moved when the offers were rendered. They are ${height} px high.` }
    : {
        state: 'bad',
        title,
        text: `Content below moved by ${pixels} px when the offers were rendered. Reserve ${height} px before the script: min-block-size: ${height}px.`,
      };
}

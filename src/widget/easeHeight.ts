/** Makes a change to the content of `box` and eases its height to the new one, unless reduced motion is preferred. */
export function easeHeight(box: HTMLElement, change: () => void): void {
  const before = box.offsetHeight;
  change();
  const after = box.offsetHeight;
  if (before === after || !matchMedia('(prefers-reduced-motion: no-preference)').matches) return;
  box.animate?.(
    { blockSize: [`${before}px`, `${after}px`], overflow: ['clip', 'clip'] },
    { duration: 200, easing: 'ease' },
  );
}

import { createElement, StrictMode, useEffect, useRef } from 'react';
// @ts-expect-error react-dom's types are not installed: only this page would use them
import { createRoot } from 'react-dom/client';
import { showOffers, type Offers, type ShowOptions } from '../../src/index.ts';

/** A shop's own component, as its developers would write it. */
function Thanks({ options }: { options: ShowOptions }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const offers = showOffers({ ...options, target: place.current ?? '' });
    (window as unknown as { mounts: Offers[] }).mounts.push(offers);
    return () => offers.destroy();
  }, [options]);
  return createElement('div', { ref: place, id: 'react' });
}

/** Draws it the way React does during development: each effect runs, is undone, and runs again. */
export function draw(options: ShowOptions): void {
  Object.assign(window, { mounts: [] });
  const root = document.createElement('div');
  document.body.append(root);
  createRoot(root).render(createElement(StrictMode, null, createElement(Thanks, { options })));
}

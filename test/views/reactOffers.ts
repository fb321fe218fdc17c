import { createElement, StrictMode, useState, type ReactElement } from 'react';
// @ts-expect-error react-dom's types are not installed: only tests would use them
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Offers, type OffersProps } from '../../src/react.ts';

/** What a test reads: every call of the component, and a way to render it with other properties, or not at all. */
interface Seen {
  outcomes: string[];
  events: string[];
  render(props: Partial<OffersProps> | undefined): void;
}

/** Renders `<Offers>` under StrictMode during development: each effect runs, is undone, and runs again. */
export function draw(first: OffersProps, hydrated?: Element): void {
  const seen: Seen = { outcomes: [], events: [], render: () => {} };
  Object.assign(window, { seen });

  function Thanks(): ReactElement | null {
    const [props, setProps] = useState<Partial<OffersProps> | undefined>({});
    seen.render = setProps;
    if (!props) return null;
    // As most code has it: every render makes new functions and new objects of the same values.
    return createElement(Offers, {
      ...(JSON.parse(JSON.stringify(first)) as OffersProps),
      onEvent: (event) => seen.events.push(event.type),
      onOutcome: ({ code }) => seen.outcomes.push(code),
      ...props,
    });
  }

  const tree = createElement(StrictMode, null, createElement(Thanks));
  if (hydrated) return void hydrateRoot(hydrated, tree);
  const root = document.createElement('div');
  document.body.append(root);
  createRoot(root).render(tree);
}

import { render, type RefCallback } from 'preact';
import { copyCode } from './card/copyCode.ts';
import { createGestures } from './createGestures.ts';
import { openLayer } from './layers/openLayer.ts';
import type { Subject, WidgetProps } from './props.ts';
import { claimed, FRESH, isFinished, passed, returned, type WidgetState } from './state.ts';
import { sharedStyles } from './styles/sharedStyles.ts';
import type { View } from './widgetView.ts';
import { Widget } from './Widget.tsx';

/** Offers of a list that are drawn at once: what a screen can show, so that nothing in it moves when the others come. */
const DRAWN_FIRST = 9;
/** Offers that are added between two paints: more would be felt on a slow phone. */
const ADDED_AT_ONCE = 2;

/** A widget on the page. */
export interface MountedWidget {
  /** Ends it without a word to `on`; a layer fades away first where the reader likes motion. Resolves once the host is empty. */
  close(): Promise<void>;
  /** Leaves the host as empty as it was, at once. */
  unmount(): void;
}

/** Shows the widget in the host's open shadow root; a layer opens at once. */
export function mountWidget(host: HTMLElement, props: WidgetProps): MountedWidget {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sharedStyles()];
  const gestures = createGestures(props.mode !== 'INLINE');
  const refs = new Map<object, RefCallback<Element>>();
  let state: WidgetState = FRESH;
  let isOpen = true;
  let room = DRAWN_FIRST;

  const view: Omit<View, 'props' | 'state' | 'room'> = {
    seen,
    accept(event, offer, asset) {
      if (event.type === 'auxclick' && event.button !== 1) return;
      if (gestures.isDeaf() || gestures.isRepeated(asset ?? offer)) return event.preventDefault();
      if (!asset || asset.should_trigger_claim_flow) draw(claimed(state, offer));
      if (asset?.asset_type === 'PRODUCT') props.on({ type: 'product', offer, asset });
      props.on(asset ? { type: 'accept', offer, asset } : { type: 'accept', offer });
    },
    pass(event, offer) {
      if (event.detail > 1) return;
      const next = passed(state, offer);
      props.on({ type: state.claimed.includes(offer) ? 'next' : 'decline', offer });
      if (isFinished(next, props.groups)) dismiss('finished');
      else step(event, next);
    },
    back(event, offer, to) {
      step(event, returned(state, to));
      props.on({ type: 'back', offer });
    },
    copy(event, offer) {
      void copyCode(event.currentTarget as Element, offer).then(
        (isCopied) => isCopied && draw({ ...state, copied: offer }),
      );
      props.on({ type: 'copy', offer });
    },
    dismiss,
  };

  draw(state);
  const element = root.firstElementChild as HTMLElement;
  const closeLayer = openLayer({ element, mode: props.mode, isDeaf: gestures.isDeaf, dismiss });
  addMore();

  return { close, unmount: clear };

  function draw(next: WidgetState): void {
    state = next;
    if (isOpen) render(<Widget view={{ ...view, props, state, room }} />, root);
  }

  /** After each paint, until all offers are drawn. */
  function addMore(): void {
    if (!isOpen || room >= props.groups.reduce((sum, { offers }) => sum + offers.length, 0)) return;
    requestAnimationFrame(() =>
      setTimeout(() => {
        room += ADDED_AT_ONCE;
        draw(state);
        addMore();
      }),
    );
  }

  function seen(key: object, subject: Subject): RefCallback<Element> {
    const known = refs.get(key) ?? ((element: Element | null) => props.watch(subject, element));
    refs.set(key, known);
    return known;
  }

  /** Shows another offer and takes the reader there. */
  function step(event: MouseEvent, next: WidgetState): void {
    const group = (event.currentTarget as Element).closest('.group');
    draw(next);
    const place = group?.isConnected ? group : root;
    place.querySelector<HTMLElement>('article:not([inert]) [part=heading]')?.focus();
  }

  function dismiss(by: Parameters<View['dismiss']>[0]): void {
    if (!isOpen) return;
    void close();
    props.on({ type: 'dismiss', by });
  }

  async function close(): Promise<void> {
    end();
    // Out of the top layer by now, and out of reach; what is left of it can be seen going.
    element.inert = true;
    const animations = props.mode === 'INLINE' ? [] : (element.getAnimations?.() ?? []);
    if (animations.length > 0) await Promise.allSettled(animations.map(({ finished }) => finished));
    clear();
  }

  function end(): void {
    if (isOpen) closeLayer();
    isOpen = false;
  }

  function clear(): void {
    end();
    render(null, root);
  }
}

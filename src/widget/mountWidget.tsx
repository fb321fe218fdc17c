import { render, type RefCallback } from 'preact';
import { copyCode, watchClamped } from './OfferCard.tsx';
import { lockScroll, openLayer } from './openLayer.ts';
import { DOUBLE_CLICK_MS } from '../wire/limits.ts';
import { CARD_ATTRIBUTE } from '../wire/offers/prefetched.ts';
import type { PlacedOffer } from '../wire/offers/response.ts';
import { INITIAL_LIMIT, LAYERS, type Viewable, type WidgetProps, type WidgetState, type WidgetView } from './props.ts';
import css from './styles/widget.css?inline';
import { shownOffers, Widget } from './Widget.tsx';
import { dom, withOwnerDocument } from '../dom/dom.ts';

/** Milliseconds after which an accepted offer is said to be open in a new tab: "Opening …" must not look stuck. */
const OPENED_MS = 1000;
/** Offers added between two paints: more would be noticeable on a slow phone. */
const LIMIT_STEP = 2;

/** A widget that is mounted on the page. */
export interface MountedWidget {
  /** Opens the layer and follows the shopper's input. Not in the task that renders, so that neither is long. */
  open(): void;
  /** Closes the widget without calling `on`. A layer fades out first, unless reduced motion is preferred. Resolves once it is removed. */
  close(): Promise<void>;
  /** Closes the widget and empties the host, at once. */
  remove(): void;
}

/** Renders the widget into the host's open shadow root. A layer is not visible before `open()`. */
export function mountWidget(host: HTMLElement, props: WidgetProps): MountedWidget {
  const root = withOwnerDocument(host.shadowRoot ?? host.attachShadow({ mode: 'open' }));
  root.adoptedStyleSheets = [sharedStyles()];
  const layer = LAYERS[props.mode];
  const gestures = createGestures(Boolean(layer));
  const clamped = watchClamped();
  const refs = new Map<object, RefCallback<Element>>();
  let state: WidgetState = { passed: [], claimed: [], opened: [] };
  let isOpen = true;
  let unlock: (() => void) | undefined;
  let closeLayer: (() => void) | undefined;
  let limit = INITIAL_LIMIT;

  const view: Omit<WidgetView, 'props' | 'state' | 'limit'> = {
    seen,
    accept(event, offer, asset) {
      if (event.type === 'auxclick' && event.button !== 1) return;
      if (!asset || asset.should_trigger_claim_flow) claim(event, offer);
      if (asset?.asset_type === 'PRODUCT') props.on({ type: 'product', offer, asset });
      props.on({ type: 'accept', offer, asset });
    },
    pass(event, offer) {
      const next = { ...state, passed: [...state.passed, offer] };
      props.on({ type: state.claimed.includes(offer) ? 'next' : 'decline', offer });
      if (props.groups.every((group) => !shownOffers(next, group)[0])) dismiss('finished');
      else step(event, next);
    },
    back(event, offer, to) {
      step(event, { ...state, passed: state.passed.filter((other) => other !== to) });
      props.on({ type: 'back', offer });
    },
    copy(event, offer) {
      void copyCode(event.currentTarget as Element, offer).then(
        (isCopied) => isCopied && draw({ ...state, copied: offer }),
      );
      props.on({ type: 'copy', offer });
    },
    clamp(texts) {
      if (texts) clamped.observe(texts);
    },
    more({ currentTarget }) {
      const button = currentTarget as Element;
      const isExpanded = button.getAttribute('aria-expanded') === 'true';
      ease(() => button.setAttribute('aria-expanded', `${!isExpanded}`));
    },
    dismiss,
  };

  const isCard = host.hasAttribute(CARD_ATTRIBUTE);
  host.removeAttribute(CARD_ATTRIBUTE);
  try {
    if (isCard && isAsRendered()) {
      // It stands in the page's HTML: the same nodes become the widget's, in this task.
      root.firstElementChild?.remove();
      root.querySelectorAll('*').forEach(withOwnerDocument);
    } else {
      // The host may have been used before, or come from a server with content.
      render(null, root);
      root.replaceChildren();
    }
    draw(state);
  } catch (error) {
    render(null, root);
    throw error;
  }
  const element = root.firstElementChild as HTMLElement;
  for (const type of ['click', 'auxclick'] as const) element.addEventListener(type, gestures.filter, true);

  return { open, close, remove };

  function open(): void {
    if (!isOpen) return;
    if (layer) {
      // Measures the page, so it comes before the widget changes it.
      if (layer === 'dialog') unlock = lockScroll();
      gestures.ignoreInput('a');
      closeLayer = openLayer(layer, { element, ignoresInput: gestures.ignoresInput, dismiss });
    }
    afterPaint(addMore);
  }

  /** Whether what the server has rendered, below its style sheet, is what would be rendered here: nothing else is taken over. */
  function isAsRendered(): boolean {
    // Without a window: nothing is loaded there.
    const { body } = dom.implementation.createHTMLDocument();
    const [rendered, found] = [body.cloneNode(), body.cloneNode()] as [HTMLElement, HTMLElement];
    const inert = { ...view, seen: () => () => {}, clamp: () => {} };
    render(<Widget view={{ ...inert, props, state, limit }} />, rendered);
    const nodes = [...root.childNodes].filter((node) => node !== root.firstElementChild);
    found.append(...nodes.map((node) => body.ownerDocument.importNode(node, true)));
    (found.firstElementChild as HTMLElement | null)?.removeAttribute('hidden');
    for (const copy of [rendered, found]) {
      // What is otherwise before the script, or may be: an image as it loads, a text that is opened.
      for (const each of copy.querySelectorAll('img,details,.words'))
        for (const name of each.localName === 'img'
          ? ['class', 'aria-label', 'alt', 'loading']
          : ['open', 'data-whole'])
          each.removeAttribute(name);
      copy.normalize();
    }
    const isSame = rendered.isEqualNode(found);
    render(null, rendered);
    return isSame;
  }

  /** Shows an offer as accepted. Its buttons stay where they are, but for what a code needs more room for than the text. */
  function claim({ currentTarget }: MouseEvent, offer: PlacedOffer): void {
    if (state.claimed.includes(offer)) return;
    const article = (currentTarget as Element).closest('article') as HTMLElement;
    // What moves under the pointer then ignores a second tap. A peek has no room for it.
    gestures.ignoreInput('a');
    element.querySelector<HTMLElement>('[data-peek] > * > .handle')?.click();
    draw({ ...state, claimed: [...state.claimed, offer] });
    // Buttons that are stuck to the bottom of a window may cover it.
    const claimed = layer && article.querySelector('.hero .claim');
    const accept = article.querySelector('[part=accept]') as Element;
    const covered = claimed ? claimed.getBoundingClientRect().bottom + 8 - accept.getBoundingClientRect().top : 0;
    if (covered > 0) (layer === 'sheet' ? element.firstElementChild : element)?.scrollBy(0, covered);
    setTimeout(() => draw({ ...state, opened: [...state.opened, offer] }), OPENED_MS);
  }

  function draw(next: WidgetState): void {
    state = next;
    if (isOpen) render(<Widget view={{ ...view, props, state, limit }} />, root);
  }

  /** Renders more offers after each paint, until all are rendered. */
  function addMore(): void {
    if (!isOpen || limit >= props.groups.reduce((sum, { offers }) => sum + offers.length, 0)) return;
    limit += LIMIT_STEP;
    draw(state);
    afterPaint(addMore);
  }

  function seen(key: object, subject: Viewable): RefCallback<Element> {
    const ref = refs.get(key) ?? ((element: Element | null) => props.watch(subject, element));
    refs.set(key, ref);
    return ref;
  }

  /** Shows another offer, moves the focus to its heading and keeps its badge in view. */
  function step(event: MouseEvent, next: WidgetState): void {
    const before = (event.currentTarget as Element).closest('article') as Element;
    const index = [...root.querySelectorAll('article')].indexOf(before as HTMLElement);
    ease(() => draw(next));
    gestures.ignoreInput();
    const all = root.querySelectorAll('article');
    // In its place, if only because the list goes on there.
    const article = all[index] ?? all[all.length - 1];
    article?.querySelector<HTMLElement>('[part=heading]')?.focus({ preventScroll: true });
    article?.firstElementChild?.scrollIntoView({ block: 'nearest' });
  }

  /** Makes a change and eases the height of the card to the new one, unless reduced motion is preferred. */
  function ease(change: () => void): void {
    const box = element.querySelector('.surface') as HTMLElement;
    const before = box.offsetHeight;
    change();
    const after = box.offsetHeight;
    if (before === after || !matchMedia('(prefers-reduced-motion: no-preference)').matches) return;
    box.animate?.(
      { blockSize: [`${before}px`, `${after}px`], overflow: ['clip', 'clip'] },
      { duration: 200, easing: 'ease' },
    );
  }

  function dismiss(by: Parameters<WidgetView['dismiss']>[0]): void {
    if (!isOpen) return;
    // First, so that the page can still measure what is about to go.
    props.on({ type: 'dismiss', by });
    void close();
  }

  async function close(): Promise<void> {
    shut();
    // It has left the top layer and cannot be reached any more; only its exit animation is still visible.
    element.inert = true;
    const animations = layer ? (element.getAnimations?.() ?? []) : [];
    if (animations.length > 0) await Promise.allSettled(animations.map(({ finished }) => finished));
    remove();
  }

  function remove(): void {
    shut();
    clamped.disconnect();
    render(null, root);
  }

  function shut(): void {
    if (isOpen) {
      unlock?.();
      closeLayer?.();
    }
    isOpen = false;
  }
}

/** Milliseconds after a layer opens or an offer follows another during which input is ignored: it was meant for what was there before. */
const SETTLE_MS = 400;

/** Cancels clicks that do not count, before a link is opened twice. The session counts double clicks once, widget or not. */
interface Gestures {
  /** Whether the backdrop and the handle ignore input now. */
  ignoresInput(): boolean;
  /** Ignores input on `controls`, by default the whole offer, from now on until things have settled. */
  ignoreInput(controls?: string): void;
  /** Listens for clicks that do not count, cancels them and hides them from everybody else. */
  filter(event: MouseEvent): void;
}

/** Creates the click filter of one mounted widget. */
export function createGestures(isLayer: boolean, now: () => number = () => performance.now()): Gestures {
  const clickedAt = new WeakMap<Element, number>();
  let changedAt = isLayer ? now() : -SETTLE_MS;
  /** The controls that ignore input: links in a layer that has just opened, the whole offer after a step. */
  let early = 'a';

  function ignoresInput(): boolean {
    return now() - changedAt < SETTLE_MS;
  }

  function isDoubleClick(control: Element): boolean {
    const before = clickedAt.get(control) ?? -DOUBLE_CLICK_MS;
    clickedAt.set(control, now());
    return now() - before < DOUBLE_CLICK_MS;
  }

  return {
    ignoresInput,
    ignoreInput(controls = '.offer *') {
      changedAt = now();
      early = controls;
    },
    filter(event) {
      // What opens and closes in place may be clicked as fast as the shopper likes.
      const control = (event.target as Element).closest('a,button:not([aria-expanded])');
      if (!control || event.button > 1) return;
      const isEarly = control.matches(early) && ignoresInput();
      // After a step the second click of a double click hits another control: only `detail` tells.
      if (!isEarly && event.detail < 2 && !isDoubleClick(control)) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

/** Calls `work` in a separate task after the next paint. */
function afterPaint(work: () => void): void {
  requestAnimationFrame(() => setTimeout(work));
}

let shared: CSSStyleSheet | undefined;

/** Returns the one stylesheet that every shadow root adopts. It is created on first use, so that importing this module has no effect. */
function sharedStyles(): CSSStyleSheet {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(css);
  }
  return shared;
}

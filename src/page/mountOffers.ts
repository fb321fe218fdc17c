import { dom, unclobbered } from '../dom/dom.ts';
import type { DismissEvent } from '../session/openTrace.ts';
import type { LoadedOffers } from '../session/findOffers.ts';
import { createLayerHost } from '../widget/openLayer.ts';
import { CARD_ATTRIBUTE } from '../wire/offers/prefetched.ts';
import { messagesFor } from '../widget/messages.ts';
import { mountWidget, type MountedWidget } from '../widget/mountWidget.tsx';
import { takeCard } from './prefetched.ts';
import { watchSeen } from './watchSeen.ts';
import type { ShowOptions } from './showOptions.ts';

/** Offers, and where and how to show them. */
interface MountOptions extends Pick<LoadedOffers, 'response' | 'groups' | 'reporter'> {
  readonly options: ShowOptions;
  readonly locale: string;
  readonly target: Element | undefined;
  readonly signal: AbortSignal;
  /** Called when the shopper closes the offers. */
  onDismiss(by: DismissEvent['by']): void;
}

/** Offers on the page. What is seen and done goes to the reporter. */
export interface MountedOffers {
  /** The element that their DOM events start at. */
  readonly place: Element;
  /** Opens the layer, in a task after the one that rendered it. */
  open(): void;
  /** Closes the offers. A layer fades out. */
  close(): void;
}

/** Puts offers on the page until they are closed or `signal` aborts. */
export function mountOffers({
  options,
  locale,
  response,
  groups,
  reporter,
  target,
  signal,
  onDismiss,
}: MountOptions): MountedOffers {
  const mode = options.request.placement_details.display_mode;
  const element = target instanceof HTMLElement && target.localName === 'offer-let' ? target : undefined;
  const card = mode === 'INLINE' && target && takeCard(target, response.session_id);
  const host = card || (mode === 'INLINE' ? (element ?? dom.createElement('div')) : createLayerHost());
  if (!host.isConnected && target) unclobbered(target).append(host);
  const watcher = watchSeen();
  let widget: MountedWidget | undefined;
  // What cannot be shown, and what does not open, ends in this as well.
  signal.addEventListener('abort', remove);
  widget = mountWidget(host, {
    mode,
    groups,
    footer: response.footer,
    sandbox: response.sandbox,
    theme: options.theme ?? 'auto',
    locale,
    messages: messagesFor(locale, options.messages),
    watch: (subject, element) =>
      watcher.watch(subject, element, (what) => reporter.seen(what, subject.offer, subject.asset)),
    on: (action) => (action.type === 'dismiss' ? onDismiss(action.by) : reporter.acted(action)),
  });
  // So that `takeCard` finds a copy of it.
  if (mode === 'INLINE' && !element && !card) host.setAttribute(CARD_ATTRIBUTE, '');
  return { place: element ?? host, open: widget.open, close };

  function close(): void {
    watcher.close();
    void widget?.close().then(remove);
  }

  function remove(): void {
    watcher.close();
    widget?.remove();
    if (host !== element) host.remove();
  }
}

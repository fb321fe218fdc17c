import { dom, unclobbered } from '../dom/dom.ts';
import { createLayerHost } from '../widget/layers/createLayerHost.ts';
import { messagesFor } from '../widget/messages/messagesFor.ts';
import { mountWidget } from '../widget/mountWidget.tsx';
import type { Viewable } from '../widget/props.ts';
import type { DisplayMode } from '../wire/offers/request.ts';
import type { SafeResponse, PlacedGroup } from '../wire/offers/response.ts';
import type { Memory } from './memory.ts';
import type { DismissEvent } from './pageEvent.ts';
import type { ShowOptions } from './options.ts';
import type { Report } from './report.ts';
import { watchSeen } from './seen/watchSeen.ts';
import type { Story } from './story.ts';

/** Where offers come to stand: what is shown, how, and who hears of it. */
export interface Standing {
  readonly options: ShowOptions;
  readonly mode: DisplayMode;
  readonly answer: SafeResponse;
  readonly groups: readonly PlacedGroup[];
  readonly target: Element | undefined;
  readonly report: Report;
  readonly story: Story;
  readonly memory: Memory;
  readonly signal: AbortSignal;
}

/**
 * Puts the offers on the page and watches what is seen of them, until the shopper closes them or `signal` ends it.
 * Answers how the page closes them as the shopper would.
 */
export function mountOffers({
  options,
  mode,
  answer,
  groups,
  target,
  report,
  story,
  memory,
  signal,
}: Standing): () => void {
  const isLayer = mode !== 'INLINE';
  const element = target instanceof HTMLElement && target.localName === 'offer-let' ? target : undefined;
  const host = isLayer ? createLayerHost() : (element ?? dom.createElement('div'));
  if (!host.isConnected && target) unclobbered(target).append(host);
  story.place = element ?? host;
  const locale = options.locale ?? (dom.documentElement.lang || navigator.language);
  const watcher = watchSeen();
  let isOver = false;

  const widget = mountWidget(host, {
    mode,
    groups,
    footer: answer.footer,
    sandbox: answer.sandbox,
    theme: options.theme ?? 'auto',
    locale,
    messages: messagesFor(locale, options.messages),
    watch: (subject, seen) => watcher.watch(nameOf(subject), seen, (what) => report.seen(subject, what)),
    on: (action) => (action.type === 'dismiss' ? dismiss(action.by) : report.acted(action)),
  });
  signal.addEventListener('abort', end);

  function dismiss(by: DismissEvent['by']): void {
    if (isOver) return;
    if (isLayer) memory.once('closed');
    isOver = true;
    watcher.close();
    story.emit({ type: 'dismiss', by });
    void widget.close().then(end);
  }

  function end(): void {
    isOver = true;
    signal.removeEventListener('abort', end);
    watcher.close();
    widget.unmount();
    if (host !== element) host.remove();
  }

  return () => dismiss('page');
}

function nameOf(subject: Viewable): string {
  return [subject.kind, 'offer' in subject && subject.offer.insertion_id, 'asset' in subject && subject.asset.id].join(
    ' ',
  );
}

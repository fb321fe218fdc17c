import type { PageQueue } from '../queue/openPageQueue.ts';
import { buildRequest } from './buildRequest.ts';
import { wrong, type Settings } from './checkOptions.ts';
import { findOffers } from './findOffers.ts';
import { findPlace } from './findPlace.ts';
import { firstOffers } from './firstOffers.ts';
import type { Exchange } from './inspection.ts';
import { isBot } from './isBot.ts';
import { openMemory } from './memory.ts';
import { mountOffers } from './mountOffers.ts';
import { nextTask } from './nextTask.ts';
import type { ShowOptions } from './options.ts';
import { orderKey } from './orderKey.ts';
import { outcome, type Outcome } from './outcome.ts';
import { createReport } from './report.ts';
import type { Story } from './story.ts';
import { whenNoModal } from './whenNoModal.ts';

/** One mount that may ask: its options, where it asks, tells and tracks, and what ends it. */
export interface Opening {
  readonly options: ShowOptions;
  readonly settings: Settings;
  readonly story: Story;
  readonly signal: AbortSignal;
  /** The mount's queue, while it has one. */
  queue(): PageQueue | undefined;
  /** Told of an answer that says sandbox. */
  inspect(exchange: Exchange): Promise<unknown>;
  /** Told how to close the offers once they stand. */
  onMount(close: () => void): void;
}

/** Asks for offers, shows and watches them. Everything it sets up ends with `signal`, after which it goes no further. */
export async function openOffers({
  options,
  settings,
  story,
  signal,
  queue,
  inspect,
  onMount,
}: Opening): Promise<Outcome> {
  const { relay, mode, view } = settings;
  const isLayer = mode !== 'INLINE';
  const target = findPlace(options.target);
  if (!isLayer && !target) return wrong('target', '"#offers", a selector of what is on the loaded page');

  const body = await buildRequest(options);
  const key = await orderKey(relay, body);
  const memory = openMemory({ key, notes: () => queue()?.notes });
  const isSandbox = options.sandbox === true;
  const user_details = Object.keys(body.user_details ?? {});
  if (isLayer && (await memory.has('closed'))) return alreadyShown();
  story.asked = { relay, view, display_mode: mode, user_details, isSandbox, isRemembering: key !== undefined };

  signal.throwIfAborted();
  const found = await findOffers({ relay, body, key, memory, signal });
  signal.throwIfAborted();
  if ('code' in found) return found;
  if (found.answer.sandbox) {
    await inspect({ body, json: found.json });
    signal.throwIfAborted();
  }
  const { answer, isRemembered } = found;
  const { session_id, left_out, sandbox } = answer;
  const groups = firstOffers(answer.groups, options.maxOffers);
  const offers = groups.reduce((sum, group) => sum + group.offers.length, 0);
  const isCounted = sandbox || !isBot(navigator.userAgent);
  story.answered = { session_id, offers, isSandbox: sandbox, isRemembered, isCounted };
  for (const { offer_id, reason } of left_out) story.emit({ type: 'left_out', offer_id, reason });

  const report = createReport({
    session_id,
    emit: story.emit,
    // Other sessions of this order count for themselves.
    once: (name) => memory.once(`${session_id} ${name}`),
    track(event) {
      if (isCounted)
        queue()
          ?.track(event)
          .catch((error: unknown) => story.emit({ type: 'error', reason: String(error) }));
    },
  });
  // A remembered answer was counted by the page that asked for it.
  if (!isRemembered) report.loaded();
  if (offers === 0) {
    return outcome(
      'no_offers',
      'No offer came that can be shown',
      left_out[0] && `${left_out.length} left out; the first because ${left_out[0].reason}`,
    );
  }
  await nextTask();
  if (isLayer) await whenNoModal(signal);
  signal.throwIfAborted();
  // The shopper may have closed them in another tab meanwhile.
  if (isLayer && (await memory.has('closed'))) return alreadyShown();
  onMount(mountOffers({ options, mode, answer, groups, target, report, story, memory, signal }));
  return outcome('rendered', `${offers} ${offers === 1 ? 'offer is' : 'offers are'} on the page`);
}

function alreadyShown(): Outcome {
  return outcome(
    'already_shown',
    'The shopper has closed the offers of this order',
    'use another order_id to see them again',
  );
}

import { afterEach, beforeEach, vi } from 'vitest';
import {
  RecommendationsClient,
  type EventReport,
  type RecommendationsClientOptions,
  type ReportableEvent,
} from '../../src/client.ts';
import type { ModelNetwork } from './modelNetwork.ts';

export const KEY = 'adnet_rk_live_canary0123456789';
export const SESSION = '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10';
export const INSERTION = { offer_id: 'o-1', advertiser_id: 'a-1', insertion_id: 'i-1' };
export const REQUEST = {
  user_details: { email: ' Jane.Doe@Example.com ' },
  placement_details: { view: 'POST_ORDER', display_mode: 'INLINE' },
} as const;

/** A client of a model network. */
export function openClient(
  network: ModelNetwork,
  options: Partial<RecommendationsClientOptions> = {},
): RecommendationsClient {
  return new RecommendationsClient({
    networkUrl: 'https://partner.example',
    apiKey: KEY,
    version: '1.0.0',
    fetch: network.fetch,
    ...options,
  });
}

export function clicks(count: number): ReportableEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    event_id: `event-${at}`,
    event_name: 'BRAND_CLICK',
    session_id: SESSION,
    initiating_target: 'INLINE_ACTION_BUTTON',
    brand_properties: INSERTION,
  }));
}

/** In each test of this file no time passes but what `hurried` lets pass. */
export function useHurry(): void {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
}

/** Resolves as a promise does, without the waits between attempts. Needs `useHurry`. */
export async function hurried<T>(work: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  done.catch(() => undefined);
  while (!state.isDone) await vi.advanceTimersByTimeAsync(60_000);
  return done;
}

/** The error of a promise. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  return hurried(work).then(
    () => new Error('It succeeded.'),
    (error: unknown) => error as Error,
  );
}

export function statusesOf(reports: readonly Pick<EventReport, 'status'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of reports) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

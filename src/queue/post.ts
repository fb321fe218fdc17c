import { toJson } from '../wire/toJson.ts';
import type { Send } from './events.ts';

/** The built-in `send`: a POST of the batch as JSON. */
export function post(endpoint: string): Send {
  // Taken now: what the host page makes of `fetch` later is not ours.
  const { fetch } = globalThis;
  return (events, how) =>
    fetch(endpoint, {
      ...how,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toJson({ events }),
      redirect: 'error',
    });
}

import type { Environment } from '../wire/keys.ts';
import type { NetworkContext, NetworkControls } from './context.ts';
import type { Database } from './database/database.ts';
import { applyFault, replacesResponse, takeFault } from './faults/applyFault.ts';
import type { RouteCall } from './http/createFetch.ts';
import { createProcessCache } from './http/processCache.ts';
import { createEventStore } from './eventStore/createEventStore.ts';
import { keyOf } from './keys/authenticate.ts';
import { hashKey } from './keys/storedKeys.ts';
import { readState, type NetworkState } from './settings/readState.ts';

/** What every request shares. */
export interface RunOptions {
  readonly db: Database;
  readonly environment: Environment;
  /** Where callers reach the network; by default each request's own origin. */
  readonly baseUrl?: string | (() => string) | undefined;
  /** Maximum offers in one response. */
  readonly maxOffers?: number | undefined;
  readonly controls: NetworkControls;
}

/** Runs routes: gives each its context, keeps the process's cache true, and lets scripted faults interfere in staging. */
export function createRunner(options: RunOptions): (call: RouteCall<NetworkContext>) => Promise<Response> {
  const { db, environment } = options;
  const shared = { cache: createProcessCache(db.kind === 'pglite'), store: createEventStore(db) };
  const { cache } = shared;

  async function run(call: RouteCall<NetworkContext>): Promise<Response> {
    const { request, route, params, path } = call;
    const context = createContext(call, options, shared);
    const mayFail = environment === 'staging' && route.surface !== 'sandbox' && (await context.state()).isFaulty;
    const fault = mayFail ? await takeFault(db, path) : undefined;
    if (mayFail) cache.clear();
    if (!fault) return route.handler(request, context, params);
    const copy = replacesResponse(fault) && fault.after_commit !== true ? request.clone() : request;
    return applyFault(fault, {
      surface: route.surface,
      drop: call.caller.drop,
      serve: () => route.handler(request, { ...context, fault }, params),
      async refuse() {
        await route.recordRefused?.(copy, context);
      },
    });
  }

  return async (call) => {
    // The Recommendations API changes nothing that is cached; any other request may.
    if (call.route.surface === 'partner') return run(call);
    cache.clear();
    try {
      return await run(call);
    } finally {
      cache.clear();
    }
  };
}

/** What a route gets. The clock, the settings, the faults and the key are read in one statement, when first needed. */
function createContext(
  { request, path, requestId, caller }: RouteCall<NetworkContext>,
  { db, environment, controls, maxOffers, ...options }: RunOptions,
  { cache, store }: Pick<NetworkContext, 'cache' | 'store'>,
): NetworkContext & { state(): Promise<NetworkState> } {
  const baseUrl = typeof options.baseUrl === 'function' ? options.baseUrl() : options.baseUrl;
  const started = new Date();
  const key = keyOf(request);
  const hash = key ? hashKey(key) : undefined;
  let reading: Promise<NetworkState> | undefined;
  const state = (): Promise<NetworkState> =>
    (reading ??= cache.untilCleared(`state ${hash} ${path}`, () => readState(db, path, hash)));
  return {
    db,
    environment,
    maxOffers,
    cache,
    store,
    requestId,
    baseUrl: (baseUrl ?? new URL(request.url).origin).replace(/\/+$/, ''),
    ip: caller.ip,
    state,
    // The clock is a staging control: production ignores one that a staging network set in the same database.
    now: async () => (environment === 'staging' ? (await state()).clock : undefined) ?? started,
    settings: async () => (await state()).settings,
    caller: async () => (await state()).key,
    controls: environment === 'staging' ? controls : undefined,
  };
}

/* oxlint-disable typescript/consistent-type-imports -- the comment on a type survives in the declarations, the one on an import does not */
import { warnWithoutWidget } from './environment.ts';
import { EXAMPLE_HOST, exampleResponse } from './exampleOffers.ts';
import { type FakeRelay, type FakeRelayOptions, fakeRelay, isForRelay } from './fakeRelay.ts';

/** @ts-ignore MSW is an optional peer: where it is not installed this type is any, and nobody needs it. */
type MswHandler = import('msw').RequestHandler;

/** Handlers for MSW, and the relay behind them, which knows what was delivered. */
export type OfferletHandlers = MswHandler[] & { readonly relay: FakeRelay };

/** Under MSW 3, happy-dom checks them, and the relay cannot know the page's origin: the request that MSW hands over lacks it. */
const FOR_ANY_ORIGIN = ['origin', 'headers'].map((of) => [`access-control-allow-${of}`, '*'] as const);

interface Run {
  readonly request: Request;
  readonly requestId: string;
}

/**
 * Returns handlers for MSW 2 and later: `setupServer(...offerletHandlers())`. They respond to requests of offerlet on any
 * path and origin, and leave every other request to your own handlers.
 */
export function offerletHandlers(options: FakeRelayOptions = {}): OfferletHandlers {
  warnWithoutWidget();
  const relay = fakeRelay(options);
  const handlers = [
    handlerFor('offerlet relay', async (request) => {
      if (!(await isForRelay(request.clone()))) return undefined;
      const response = await relay(request);
      for (const [name, value] of FOR_ANY_ORIGIN) response.headers.set(name, value);
      return response;
    }),
    handlerFor(`GET https://${EXAMPLE_HOST}/*`, (request) => exampleResponse(request.url)),
  ];
  return Object.assign(handlers as unknown as MswHandler[], { relay });
}

/**
 * Creates a handler. MSW calls `run` of each handler and never checks its class; importing MSW for `http.all()` would make
 * it a dependency of everybody who uses the fake relay alone.
 */
function handlerFor(
  header: string,
  respond: (request: Request) => Response | undefined | Promise<Response | undefined>,
) {
  const handler = {
    kind: 'request', // MSW from 2.13
    __kind: 'RequestHandler', // MSW before that
    info: { header },
    isUsed: false,
    async run({ request, requestId }: Run) {
      const response = await respond(request);
      if (!response) return null;
      handler.isUsed = true;
      return { handler, request, requestId, response, parsedResult: {} };
    },
    parse: () => Promise.resolve({}),
    predicate: ({ request }: Run) => isForRelay(request.clone()),
    test: ({ request }: Run) => isForRelay(request.clone()),
    log: () => undefined,
    reset: () => undefined,
    restore: () => undefined,
    dispose: () => undefined,
  };
  return handler;
}

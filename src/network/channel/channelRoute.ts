import type { NetworkContext, NetworkRoute } from '../context.ts';
import type { RouteParams } from '../http/route.ts';
import { authenticate } from '../keys/authenticate.ts';

/** A request to the Channel API. The channel is that of the key. */
export interface ChannelCall {
  readonly request: Request;
  readonly context: NetworkContext;
  readonly params: RouteParams;
  readonly channelId: string;
}

/** Returns a route of the Channel API. The key is checked first; a publishable key can only read. */
export function channelRoute(
  method: string,
  pattern: string,
  handle: (call: ChannelCall) => Promise<Response>,
): NetworkRoute {
  return {
    methods: [method],
    pattern,
    surface: 'channel',
    async handler(request, context, params) {
      const caller = await authenticate(request, context, ['management', 'publishable']);
      if (!caller.ok) return Response.json({ detail: caller.message }, { status: 401 });
      if (caller.key.kind === 'publishable' && method !== 'GET')
        return Response.json({ detail: READ_ONLY }, { status: 403 });
      return handle({ request, context, params, channelId: caller.key.channel_id });
    },
  };
}

const READ_ONLY = 'A publishable key can only read. Use the secret management key for changes.';

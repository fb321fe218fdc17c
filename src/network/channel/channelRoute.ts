import type { NetworkContext, NetworkRoute } from '../context.ts';
import type { RouteParams } from '../http/route.ts';
import { authenticate } from '../keys/authenticate.ts';

/** What a route of the Channel API needs to answer: the channel is that of the key. */
export interface ChannelCall {
  readonly request: Request;
  readonly context: NetworkContext;
  readonly params: RouteParams;
  readonly channelId: string;
}

/** A route of the Channel API: the key is judged before anything else (C1), and a publishable one only reads (C2). */
export function channelRoute(
  method: string,
  pattern: string,
  answer: (call: ChannelCall) => Promise<Response>,
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
      return answer({ request, context, params, channelId: caller.key.channel_id });
    },
  };
}

const READ_ONLY = 'A publishable key only reads; changes need the secret management key.';

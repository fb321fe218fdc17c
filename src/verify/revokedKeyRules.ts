import { CHANNEL, PUBLISHER } from './report.ts';
import { of, refused, type Rule } from './rule.ts';
import { PLACEMENT } from './world.ts';

const BODY = { user_details: { external_guid: 'verify' }, placement_details: PLACEMENT };
const CHANNEL_DETAILS = '/adnet/channel/details/';

/** What a key that was revoked, or has expired, still opens. The interfaces can revoke none, so a run needs one that is. */
export const REVOKED_KEY_RULES: readonly Rule[] = of('revoked-key', [
  refused('A1.revoked', 'It gets no offers.', { path: '/recommendations', key: 'revoked', body: BODY }, [
    401,
    'partner',
  ]),
  refused('C1.revoked', 'It reads nothing of a channel.', { path: CHANNEL_DETAILS, key: 'revoked' }, [401, 'detail']),
  refused('R3.revoked-channel', 'It gets no channel report.', { path: CHANNEL.path, key: 'revoked' }, [401, 'detail']),
  refused('R3.revoked-publisher', 'It gets no publisher report.', { path: PUBLISHER.path, key: 'revoked' }, [
    401,
    'detail',
  ]),
]);

import { CHANNEL_PATHS } from '../wire/channel.ts';
import { CHANNEL, PUBLISHER } from './report.ts';
import { denied, of, type Rule } from './rule.ts';
import { PLACEMENT } from './world.ts';

const BODY = { user_details: { external_guid: 'verify' }, placement_details: PLACEMENT };
const [OFFERS, EVENTS, EVENT] = ['/recommendations', '/events', { event_name: 'WIDGET_LOAD', session_id: 'verify' }];
const [channel, publisher] = [CHANNEL.path, PUBLISHER.path];
const details = CHANNEL_PATHS.channelDetails;

/** What a key does not open: that of another interface, or one that was revoked or has expired. No interface revokes keys, so a run needs one that is. */
export const KEY_RULES: readonly Rule[] = [
  ...of('channel-and-offers', [
    denied('C1.kind', 'The integration key does not open the Channel API.', { path: details, key: 'integration' }),
    denied('A1.kind', 'The management key gets no offers.', { path: OFFERS, key: 'management', body: BODY }),
    denied('E1.kind', 'The management key reports no events.', { path: EVENTS, key: 'management', body: EVENT }),
  ]),
  ...of('both-reports', [
    denied('R4.channel-report', 'The reporting key opens no channel report.', { path: channel, key: 'reporting' }),
    denied('R4.publisher-report', 'The management key opens none of a publisher.', {
      path: publisher,
      key: 'management',
    }),
    denied('C1.reporting', 'The reporting key does not open the Channel API.', { path: details, key: 'reporting' }),
  ]),
  ...of('revoked-key', [
    denied('A1.revoked', 'It gets no offers.', { path: OFFERS, key: 'revoked', body: BODY }),
    denied('C1.revoked', 'It reads nothing of a channel.', { path: details, key: 'revoked' }),
    denied('R3.revoked-channel', 'It gets no channel report.', { path: channel, key: 'revoked' }),
    denied('R3.revoked-publisher', 'It gets no publisher report.', { path: publisher, key: 'revoked' }),
  ]),
];

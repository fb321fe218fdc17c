import { CHANNEL_PATHS } from '../wire/channel.ts';
import { CHANNEL, PUBLISHER } from './report.ts';
import { of, refused, type Rule } from './rule.ts';
import { PLACEMENT } from './world.ts';

const BODY = { user_details: { external_guid: 'verify' }, placement_details: PLACEMENT };
const [OFFERS, EVENTS, EVENT] = ['/recommendations', '/events', { event_name: 'WIDGET_LOAD', session_id: 'verify' }];
const [channel, publisher] = [CHANNEL.path, PUBLISHER.path];
const details = CHANNEL_PATHS.channelDetails;

/** What a key does not open: that of another interface, or one that was revoked or has expired. No interface revokes keys, so a run needs one that is. */
export const KEY_RULES: readonly Rule[] = [
  ...of('channel-and-offers', [
    refused(
      'C1.kind',
      'The integration key does not open the Channel API.',
      { path: details, key: 'integration' },
      401,
    ),
    refused('A1.kind', 'The management key gets no offers.', { path: OFFERS, key: 'management', body: BODY }, 401),
    refused('E1.kind', 'The management key reports no events.', { path: EVENTS, key: 'management', body: EVENT }, 401),
  ]),
  ...of('both-reports', [
    refused(
      'R4.channel-report',
      'The reporting key opens no channel report.',
      { path: channel, key: 'reporting' },
      401,
    ),
    refused(
      'R4.publisher-report',
      'The management key opens none of a publisher.',
      { path: publisher, key: 'management' },
      401,
    ),
    refused(
      'C1.reporting',
      'The reporting key does not open the Channel API.',
      { path: details, key: 'reporting' },
      401,
    ),
  ]),
  ...of('revoked-key', [
    refused('A1.revoked', 'It gets no offers.', { path: OFFERS, key: 'revoked', body: BODY }, 401),
    refused('C1.revoked', 'It reads nothing of a channel.', { path: details, key: 'revoked' }, 401),
    refused('R3.revoked-channel', 'It gets no channel report.', { path: channel, key: 'revoked' }, 401),
    refused('R3.revoked-publisher', 'It gets no publisher report.', { path: publisher, key: 'revoked' }, 401),
  ]),
];

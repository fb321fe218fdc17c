import { CHANNEL_PATHS } from '../../wire/channel.ts';
import type { Route } from '../context.ts';
import { addPublishers } from './addPublishers.ts';
import { getCategories } from './categories.ts';
import { getChannelDetails } from './channelDetails.ts';
import { putChannelExclusions } from './channelExclusions.ts';
import { channelRoute } from './guard.ts';
import { listPublishers } from './listPublishers.ts';
import { getPublisher } from './publisherDetails.ts';
import { putPublisherExclusions } from './publisherExclusions.ts';
import { removePublisher } from './removePublisher.ts';

/** The eight endpoints of the Channel API. */
export const channelRoutes: readonly Route[] = [
  channelRoute('GET', CHANNEL_PATHS.categories, getCategories),
  channelRoute('PUT', CHANNEL_PATHS.channelExclusions, putChannelExclusions),
  channelRoute('PUT', '/adnet/publishers/{id}/exclusions/', putPublisherExclusions),
  channelRoute('GET', CHANNEL_PATHS.channelDetails, getChannelDetails),
  channelRoute('GET', CHANNEL_PATHS.publishers, listPublishers),
  channelRoute('GET', '/adnet/publishers/details/{id}/', getPublisher),
  channelRoute('POST', CHANNEL_PATHS.add, addPublishers),
  channelRoute('DELETE', '/adnet/publishers/{id}/remove/', removePublisher),
];

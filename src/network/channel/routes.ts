import { CHANNEL_PATHS } from '../../wire/channel.ts';
import type { NetworkRoute } from '../context.ts';
import { addPublishers } from './publishers/addPublishers.ts';
import { getCategories } from './categories.ts';
import { getChannelDetails } from './getChannelDetails.ts';
import { putChannelExclusions } from './exclusions/putChannelExclusions.ts';
import { channelRoute } from './channelRoute.ts';
import { listPublishers } from './publishers/listPublishers.ts';
import { getPublisher } from './publishers/getPublisher.ts';
import { putPublisherExclusions } from './exclusions/putPublisherExclusions.ts';
import { removePublisher } from './publishers/removePublisher.ts';

/** The eight endpoints of the Channel API. */
export const channelRoutes: readonly NetworkRoute[] = [
  channelRoute('GET', CHANNEL_PATHS.categories, getCategories),
  channelRoute('PUT', CHANNEL_PATHS.channelExclusions, putChannelExclusions),
  channelRoute('PUT', '/adnet/publishers/{id}/exclusions/', putPublisherExclusions),
  channelRoute('GET', CHANNEL_PATHS.channelDetails, getChannelDetails),
  channelRoute('GET', CHANNEL_PATHS.publishers, listPublishers),
  channelRoute('GET', '/adnet/publishers/details/{id}/', getPublisher),
  channelRoute('POST', CHANNEL_PATHS.add, addPublishers),
  channelRoute('DELETE', '/adnet/publishers/{id}/remove/', removePublisher),
];

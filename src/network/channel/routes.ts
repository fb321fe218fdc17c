import { CHANNEL_PATHS } from '../../wire/channel.ts';
import type { Route } from '../context.ts';
import { addPublishers } from './add-publishers.ts';
import { getCategories } from './categories.ts';
import { getChannelDetails } from './channel-details.ts';
import { putChannelExclusions } from './channel-exclusions.ts';
import { channelRoute } from './guard.ts';
import { listPublishers } from './list-publishers.ts';
import { getPublisher } from './publisher-details.ts';
import { putPublisherExclusions } from './publisher-exclusions.ts';
import { removePublisher } from './remove-publisher.ts';

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

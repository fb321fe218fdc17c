import { CHANNEL_PATHS, type PublisherList } from '../../../wire/channel.ts';
import { badFields } from '../badFields.ts';
import type { ChannelCall } from '../channelRoute.ts';
import { type ListQuery, readListQuery } from './readListQuery.ts';
import { type PublisherRow, SELECT_PUBLISHERS, listItem } from './publisherRow.ts';

/** GET publishers list: publishers and requests, newest first. */
export async function listPublishers({ request, context, channelId }: ChannelCall): Promise<Response> {
  const read = readListQuery(new URL(request.url).searchParams);
  if (!read.ok) return badFields(read.fields);
  const { page, page_size, words } = read.query;
  const matching = [channelId, JSON.stringify(words)];
  const [row] = await context.db.query<{ count: number }>(
    `SELECT count(*) AS count FROM publishers WHERE removed_at IS NULL ${MATCHING}`,
    matching,
  );
  const count = row?.count ?? 0;
  const start = (page - 1) * page_size;
  const isPast = start >= count;
  const rows = isPast
    ? []
    : await context.db.query<PublisherRow>(
        `${SELECT_PUBLISHERS} ${MATCHING} ORDER BY created_at DESC, pending_publisher_id DESC LIMIT $3 OFFSET $4`,
        [...matching, page_size, start],
      );
  const pages = Math.max(1, Math.ceil(count / page_size));
  const list: PublisherList = {
    count,
    next: page < pages ? pageUrl(context.baseUrl, read.query, page + 1) : null,
    previous: page > 1 ? pageUrl(context.baseUrl, read.query, Math.min(page - 1, pages)) : null,
    publishers: rows.map(listItem),
  };
  return Response.json(list);
}

/** Any word may match, anywhere in the name. `%` and `_` have no special meaning. */
const MATCHING = `AND channel_id = $1 AND ($2::jsonb = '[]'
  OR EXISTS (SELECT 1 FROM jsonb_array_elements_text($2::jsonb) AS word WHERE strpos(brand_key, word) > 0))`;

function pageUrl(baseUrl: string, { q, page_size }: ListQuery, page: number): string {
  const parameters = new URLSearchParams({ page: String(page), page_size: String(page_size), ...(q ? { q } : {}) });
  return `${baseUrl}${CHANNEL_PATHS.publishers}?${parameters}`;
}

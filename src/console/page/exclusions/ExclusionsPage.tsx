import type { JSX } from 'preact';
import type { Publisher } from '../../../wire/channel.ts';
import type { ConsoleCategories, ConsolePublisher, ConsolePublishers } from '../../protocol.ts';
import { call } from '../app/call.ts';
import { go, type Place } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { FailurePanel } from '../parts/FailurePanel.tsx';
import { ExclusionTree } from './ExclusionTree.tsx';

/** What is excluded, for the whole channel or for one publisher. */
export function ExclusionsPage({ place }: { readonly place: Place }): JSX.Element {
  const publisher = place.params.get('publisher') || undefined;
  const { data, failure, retryIn, reload } = useResource({
    key: publisher ?? '',
    load: async (signal) => {
      const [{ categories }, channel, one, { publishers }] = await Promise.all([
        call<ConsoleCategories>('categories', { signal }),
        call<{ channel: readonly string[] }>('exclusions', { signal }),
        publisher === undefined
          ? undefined
          : call<ConsolePublisher>(`publishers/${encodeURIComponent(publisher)}`, { signal }),
        call<ConsolePublishers>('publishers?status=APPROVED', { signal }),
      ]);
      return { categories, channel: channel.channel, publisher: one?.publisher, publishers, scope: publisher };
    },
  });
  const name = data?.publisher?.brand_name;
  return (
    <>
      <header class="page-head">
        <h1>Exclusions</h1>
        <label class="select scope">
          <span class="quiet">For</span>
          <select
            value={publisher ?? ''}
            onChange={(event) => {
              const id = event.currentTarget.value;
              go(id === '' ? 'exclusions' : `exclusions?publisher=${encodeURIComponent(id)}`);
            }}
          >
            <option value="">The whole channel</option>
            {optionsOf(data?.publishers ?? [], data?.publisher).map(({ publisher_remote_id: id, brand_name }) => (
              <option key={id} value={id ?? ''}>
                {brand_name}
              </option>
            ))}
          </select>
        </label>
      </header>
      {data && data.scope === publisher ? (
        <ExclusionTree
          key={`${publisher ?? ''} ${data.channel.length}`}
          categories={data.categories}
          publisher={publisher}
          name={name}
          own={data.publisher ? data.publisher.exclusions.subcategories.publisher : data.channel}
          channel={data.publisher ? data.channel : []}
          external={data.publisher?.exclusions.subcategories.external ?? []}
          reload={reload}
        />
      ) : failure ? (
        <FailurePanel failure={failure} retryIn={retryIn} retry={reload} />
      ) : (
        <p class="starting" role="status">
          Loading …
        </p>
      )}
    </>
  );
}

/** The approved publishers of the first page, and the one that is shown. */
function optionsOf(publishers: readonly Publisher[], shown: Publisher | undefined): readonly Publisher[] {
  const isListed = publishers.some(({ publisher_remote_id: id }) => id === shown?.publisher_remote_id);
  const all = shown && !isListed ? [...publishers, shown] : publishers;
  return all.toSorted((a, b) => a.brand_name.localeCompare(b.brand_name));
}

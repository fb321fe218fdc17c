import type { JSX } from 'preact';
import { call } from '../app/call.ts';
import { Link, useTitle, type Place } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { ExclusionTree } from './ExclusionTree.tsx';
import { Pending } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/Popover.tsx';
import { PublisherSearch } from '../parts/PublisherSearch.tsx';
import type { ConsoleCategories, ConsolePublisher } from '../../protocol.ts';

/** What is excluded, for the whole channel or for one publisher. */
export function ExclusionsPage({ place }: { readonly place: Place }): JSX.Element {
  const publisher = place.params.get('publisher') || undefined;
  const resource = useResource({
    key: publisher ?? '',
    load: async (signal) => {
      const [{ categories }, channel, one] = await Promise.all([
        call<ConsoleCategories>('categories', { signal }),
        call<{ channel: readonly string[] }>('exclusions', { signal }),
        publisher === undefined
          ? undefined
          : call<ConsolePublisher>(`publishers/${encodeURIComponent(publisher)}`, { signal }),
      ]);
      return { categories, channel: channel.channel, publisher: one?.publisher, scope: publisher };
    },
  });
  const { data, reload } = resource;
  const name = data?.scope === publisher ? data?.publisher?.brand_name : undefined;
  useTitle(name === undefined ? 'Exclusions' : `Exclusions for ${name}`);
  return (
    <>
      <header class="page-head">
        <h1 tabindex={-1}>Exclusions</h1>
        <div class="scope">
          <span class="quiet">For</span>
          <Scope publisher={publisher} name={name} />
        </div>
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
      ) : (
        <Pending resource={resource} />
      )}
    </>
  );
}

/** Chooses the whole channel or one of its publishers. */
function Scope({
  publisher,
  name,
}: {
  readonly publisher: string | undefined;
  readonly name: string | undefined;
}): JSX.Element {
  const shown = publisher === undefined ? 'The whole channel' : (name ?? publisher.slice(0, 8));
  const place = (id: string | undefined): string =>
    id === undefined ? 'exclusions' : `exclusions?publisher=${encodeURIComponent(id)}`;
  return (
    <Popover
      name={`Exclusions for: ${shown}`}
      label={
        <>
          <span>{shown}</span>
          <Icon name="chevron" />
        </>
      }
    >
      {(close) => {
        const option = (id: string | undefined, text: string): JSX.Element => (
          <Link key={id} to={place(id)} onClick={close} aria-current={id === publisher ? 'true' : undefined}>
            {text}
          </Link>
        );
        return (
          <div class="menu">
            <PublisherSearch first={option(undefined, 'The whole channel')}>
              {({ id, name: text }) => option(id, text)}
            </PublisherSearch>
          </div>
        );
      }}
    </Popover>
  );
}

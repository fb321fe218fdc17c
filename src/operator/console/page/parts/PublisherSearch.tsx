import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FoundPublishers } from '../../protocol.ts';
import { isSameName } from '../../../publishers/hasAllWords.ts';
import { useCall } from '../app/useResource.ts';
import { Button } from './controls.tsx';
import { ProblemNote } from './FailurePanel.tsx';

interface PublisherSearchProps {
  /** Shown above the publishers while nothing is searched. */
  readonly first?: ComponentChildren;
  /** Renders one publisher. */
  children(publisher: FoundPublishers['publishers'][number]): ComponentChildren;
}

/** Milliseconds after the last key before the search begins. */
const PAUSE_MS = 150;
/** Publishers that are shown first, and more with each press of the button below them. */
const STEP = 50;

/** Finds approved publishers by name, among all of the channel. */
export function PublisherSearch({ first, children }: PublisherSearchProps): JSX.Element {
  const [words, setWords] = useState('');
  const [search, setSearch] = useState({ words, most: STEP });
  useEffect(() => {
    if (words === search.words) return undefined;
    const timer = setTimeout(() => setSearch({ words, most: STEP }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words, search]);
  const { data, failure, isLoading } = useCall<FoundPublishers>(
    `find-publishers?q=${encodeURIComponent(search.words)}&most=${search.most}`,
  );
  return (
    <>
      <input
        type="search"
        placeholder="Find a publisher"
        aria-label="Find a publisher"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <div class="found" aria-busy={isLoading}>
        {search.words === '' && first}
        {data?.publishers.map(({ id, name }, _, all) => {
          const isAlone = all.every((other) => other.id === id || !isSameName(other.name, name));
          return children({ id, name: isAlone ? name : `${name} (…${id.slice(-4)})` });
        })}
        {data?.publishers.length === 0 && <p class="quiet">No approved publisher matches.</p>}
        {failure && <ProblemNote>{failure.message}</ProblemNote>}
        {data?.hasMore && (
          <Button kind="small" disabled={isLoading} onClick={() => setSearch({ ...search, most: search.most + STEP })}>
            Show more
          </Button>
        )}
      </div>
    </>
  );
}

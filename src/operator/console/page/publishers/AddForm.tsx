import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../app/call.ts';
import { addPublishers, type AddOutcome } from '../../../publishers/addPublishers.ts';
import type { ConsoleAdded } from '../../protocol.ts';
import type { AddResult, Category, PublisherItem } from '../../../../wire/channel.ts';

/** Requests one publisher. */
export function AddForm({ categories }: { readonly categories: readonly Category[] }): JSX.Element {
  const [brand, setBrand] = useState('');
  const [domain, setDomain] = useState('');
  const [categoryId, setCategoryId] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<{ readonly name: string; readonly outcome: AddOutcome }>();
  const category = categories.find(({ remote_id }) => remote_id === categoryId);
  const isReady = brand.trim() !== '' && domain.trim() !== '' && category !== undefined && chosen.length > 0;

  async function send(): Promise<void> {
    if (!isReady || isBusy) return;
    setBusy(true);
    const item = {
      brand_name: brand.trim(),
      domain: domain.trim(),
      primary_category_id: categoryId,
      subcategory_ids: chosen,
    };
    await addPublishers({
      send: postPublishers,
      items: [item],
      onOutcome(_, outcome) {
        setDone({ name: item.brand_name, outcome });
        if (outcome.status !== 'added') return;
        setBrand('');
        setDomain('');
        setChosen([]);
      },
    }).catch(() => undefined); // the outcome says it
    setBusy(false);
  }

  return (
    <form
      class="card pad add-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="fields">
        <label class="field">
          <span>Brand</span>
          <input
            required
            autocomplete="off"
            maxlength={255}
            value={brand}
            onInput={(event) => setBrand(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Domain of its website</span>
          <input
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="shop.example"
            maxlength={255}
            value={domain}
            onInput={(event) => setDomain(event.currentTarget.value)}
          />
        </label>
      </div>
      <label class="field">
        <span>Category</span>
        <select
          required
          value={categoryId}
          onChange={(event) => {
            setCategoryId(event.currentTarget.value);
            setChosen([]);
          }}
        >
          <option value="">Choose …</option>
          {categories.map(({ remote_id, name }) => (
            <option key={remote_id} value={remote_id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {category && (
        <fieldset class="choices inline">
          <legend>Subcategories, at least one</legend>
          {category.subcategories.map(({ remote_id: id, name }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={() =>
                  setChosen(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id])
                }
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      )}
      <p class="dialog-foot">
        <span role="status">
          {done && (
            <>
              <b>{done.name}</b> <ItemStatus outcome={done.outcome} />
            </>
          )}
        </span>
        <button class="button primary" disabled={!isReady || isBusy}>
          {isBusy ? 'Requesting …' : 'Request'}
        </button>
      </p>
    </form>
  );
}

/** What became of an item, in the words of the command. */
export function ItemStatus({ outcome }: { readonly outcome: AddOutcome }): JSX.Element {
  if (outcome.status === 'added') return <span class="good">added, pending</span>;
  return (
    <span class={outcome.status === 'duplicate' ? '' : 'bad'}>
      {outcome.status}: {outcome.reason}
    </span>
  );
}

/** Sends a batch through the console's process. */
export async function postPublishers(items: readonly PublisherItem[]): Promise<readonly AddResult[]> {
  return (await call<ConsoleAdded>('publishers', { method: 'POST', body: { items } })).results;
}

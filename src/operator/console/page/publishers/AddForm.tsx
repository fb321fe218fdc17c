import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, failureOf } from '../app/call.ts';
import { useWork } from '../app/useResource.ts';
import { Button, Check, Select, toggled } from '../parts/controls.tsx';
import { addPublishers, type AddOutcome } from '../../../publishers/addPublishers.ts';
import type { AddResult, Category, PublisherItem } from '../../../../wire/channel.ts';

/** Requests one publisher. */
export function AddForm({ categories }: { readonly categories: readonly Category[] }): JSX.Element {
  const [brand, setBrand] = useState('');
  const [domain, setDomain] = useState('');
  const [categoryId, setCategoryId] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { isBusy, run } = useWork();
  const [done, setDone] = useState<{ readonly name: string; readonly outcome: AddOutcome }>();
  const category = categories.find(({ remote_id }) => remote_id === categoryId);
  const missing = [
    brand.trim() === '' && 'a brand',
    domain.trim() === '' && 'a domain',
    category === undefined ? 'a category' : chosen.length === 0 && 'a subcategory',
  ].filter((one) => one !== false);
  const isReady = missing.length === 0;

  async function send(): Promise<void> {
    if (!isReady || isBusy) return;
    const item = {
      brand_name: brand.trim(),
      domain: domain.trim(),
      primary_category_id: categoryId,
      subcategory_ids: chosen,
    };
    // Why it failed, the outcome says.
    await run(() => requestPublishers([item], (_, outcome) => take(item, outcome)));
  }

  function take(item: PublisherItem, outcome: AddOutcome): void {
    setDone({ name: item.brand_name, outcome });
    if (outcome.status !== 'added') return;
    setBrand('');
    setDomain('');
    setChosen([]);
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
      <Select
        label="Category"
        kind="field"
        isRequired
        options={[['', 'Choose …'], ...categories.map(({ remote_id: id, name }) => [id, name] as const)]}
        value={categoryId}
        choose={(id) => {
          setCategoryId(id);
          setChosen([]);
        }}
      >
        <span>Category</span>
      </Select>
      {category && (
        <fieldset class="choices inline">
          <legend>Subcategories, at least one</legend>
          {category.subcategories.map(({ remote_id: id, name }) => (
            <Check key={id} isOn={chosen.includes(id)} toggle={() => setChosen(toggled(chosen, id))}>
              {name}
            </Check>
          ))}
        </fieldset>
      )}
      <p class="dialog-foot">
        <span role="status">
          {done ? (
            <>
              <b>{done.name}</b> <ItemStatus outcome={done.outcome} />
            </>
          ) : (
            !isReady && <span class="quiet">Still required: {missing.join(', ')}.</span>
          )}
        </span>
        <Button type="submit" kind="primary" disabled={!isReady || isBusy}>
          {isBusy ? 'Requesting …' : 'Request'}
        </Button>
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

/** Requests publishers through the console's process. */
export function requestPublishers(
  items: readonly PublisherItem[],
  onOutcome: (index: number, outcome: AddOutcome) => void,
): Promise<void> {
  const send = (batch: readonly PublisherItem[]): Promise<readonly AddResult[]> =>
    call('publishers', { method: 'POST', body: { items: batch } });
  return addPublishers({ items, onOutcome, send, failureOf });
}

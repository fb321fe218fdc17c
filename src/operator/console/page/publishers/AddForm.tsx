import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Category } from '../../../../wire/channel.ts';
import { addItems, type Outcome } from './addItems.ts';
import { Said } from './Said.tsx';

/** Requests one publisher. */
export function AddForm({ categories }: { readonly categories: readonly Category[] }): JSX.Element {
  const [brand, setBrand] = useState('');
  const [domain, setDomain] = useState('');
  const [categoryId, setCategoryId] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<{ readonly name: string; readonly outcome: Outcome }>();
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
    await addItems([item], (_, outcome) => {
      setDone({ name: item.brand_name, outcome });
      if (outcome.status !== 'created') return;
      setBrand('');
      setDomain('');
      setChosen([]);
    });
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
              <b>{done.name}</b> <Said outcome={done.outcome} />
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

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, failureOf } from '../app/call.ts';
import { Link } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Pending } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { addPublishers, type AddOutcome } from '../../../publishers/addPublishers.ts';
import type { ConsoleAdded, ConsoleCategories, Failure } from '../../protocol.ts';
import { checkPublishers, type CheckedPublisher } from '../../../publishers/checkPublishers.ts';
import { decodeList, type DecodedList } from '../../../publishers/decodeList.ts';
import { PublisherListError, readPublisherList } from '../../../publishers/readPublisherList.ts';
import { createTaxonomy } from '../../../publishers/taxonomy.ts';
import { plural } from '../../../reports/format.ts';
import type { AddResult, Category, PublisherItem } from '../../../../wire/channel.ts';

/** Adds publishers: one with a form, or many from CSV with a preview. */
export function AddPage(): JSX.Element {
  const [isCsv, setCsv] = useState(false);
  const resource = useResource({
    key: 'categories',
    load: (signal) => call<ConsoleCategories>('categories', { signal }),
  });
  const { data } = resource;
  return (
    <>
      <p class="crumb">
        <Link to="publishers">
          <Icon name="back" /> Publishers
        </Link>
      </p>
      <header class="page-head">
        <h1>Add publishers</h1>
        <fieldset class="segments">
          <legend class="hidden">How</legend>
          {[false, true].map((value) => (
            <label key={String(value)}>
              <input type="radio" name="how" checked={isCsv === value} onChange={() => setCsv(value)} />
              <span>{value ? 'Many from CSV' : 'One'}</span>
            </label>
          ))}
        </fieldset>
      </header>
      <p class="lead quiet">The network’s staff look at each request and approve it; until then it is pending.</p>
      {data ? (
        isCsv ? (
          <AddCsv categories={data.categories} />
        ) : (
          <AddForm categories={data.categories} />
        )
      ) : (
        <Pending resource={resource} />
      )}
    </>
  );
}

const EXAMPLE = `brand_name,domain,primary_category,subcategories
Juniper & Co,juniper.example,Home & Garden,Candles;Kitchen`;

function AddCsv({ categories }: { readonly categories: readonly Category[] }): JSX.Element {
  const [text, setText] = useState('');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, AddOutcome>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [decoded, setDecoded] = useState<DecodedList>();
  const { publishers, problem } = previewList(text, categories);
  const ready = publishers.flatMap((one) => ('item' in one && !isDone(outcomes.get(one.line)) ? [one] : []));
  const wrong = publishers.filter((one) => 'problem' in one);

  async function send(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    await addPublishers({
      send: postPublishers,
      items: ready.map(({ item }) => item),
      onOutcome: (index, outcome) => setOutcomes((known) => new Map(known).set(ready[index]?.line ?? 0, outcome)),
    }).catch((error: unknown) => setFailure(failureOf(error)));
    setBusy(false);
  }

  function read(csv: string, from?: DecodedList): void {
    setText(csv);
    setDecoded(from);
    setOutcomes(new Map());
    setFailure(undefined);
  }

  return (
    <div class="add">
      <section class="card pad">
        <label class="field">
          <span>
            CSV with the columns brand_name, domain, primary_category and subcategories (separated by semicolons)
          </span>
          <textarea
            rows={7}
            spellcheck={false}
            placeholder={EXAMPLE}
            value={text}
            disabled={isBusy}
            onInput={(event) => read(event.currentTarget.value)}
          />
        </label>
        <label class="file button">
          Choose a file …
          <input
            class="hidden"
            type="file"
            accept=".csv,text/csv,text/plain"
            disabled={isBusy}
            onChange={(event) =>
              void event.currentTarget.files?.[0]?.arrayBuffer().then((bytes) => {
                const list = decodeList(new Uint8Array(bytes));
                read(list.text, list);
              })
            }
          />
        </label>
      </section>
      {decoded?.isGuessed && (
        <p class="problem" role="alert">
          The file is not UTF-8. It was read as Windows-1252, which spreadsheets write: “{decoded.example}”. If a name
          below is damaged, save the file as UTF-8 and choose it again.
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {publishers.length > 0 && (
        <section class="card list" aria-label="Preview">
          <header>
            <p role="status">
              <b>{plural(ready.length, 'publisher')}</b> will be requested
              {wrong.length > 0 && (
                <span class="bad"> · {plural(wrong.length, 'row')} will not, because of a mistake</span>
              )}
              {outcomes.size > 0 && <span class="quiet"> · {plural(outcomes.size, 'result')} so far</span>}
            </p>
            <button
              type="button"
              class="button primary"
              disabled={ready.length === 0 || isBusy}
              onClick={() => void send()}
            >
              {isBusy ? 'Requesting …' : `Request ${ready.length}`}
            </button>
          </header>
          {failure && (
            <p class="problem" role="alert">
              {failure.message} What was not sent can be sent again; nothing is requested twice.
            </p>
          )}
          <div class="scroller" tabindex={0} role="region" aria-label="Rows">
            <table class="publishers">
              <thead>
                <tr>
                  <th scope="col">Line</th>
                  <th scope="col">Brand</th>
                  <th scope="col">Domain</th>
                  <th scope="col">What will happen</th>
                </tr>
              </thead>
              <tbody>
                {publishers.map((one) => (
                  <PreviewRow key={one.line} publisher={one} outcome={outcomes.get(one.line)} />
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </div>
  );
}

function isDone(outcome: AddOutcome | undefined): boolean {
  return outcome !== undefined && outcome.status !== 'not sent' && outcome.status !== 'unknown';
}

function PreviewRow({
  publisher,
  outcome,
}: {
  readonly publisher: CheckedPublisher;
  readonly outcome: AddOutcome | undefined;
}): JSX.Element {
  return (
    <tr>
      <td class="quiet">{publisher.line}</td>
      <th scope="row">{publisher.brand_name || '—'}</th>
      <td>{publisher.domain || '—'}</td>
      <td>
        {outcome ? (
          <ItemStatus outcome={outcome} />
        ) : 'problem' in publisher ? (
          <span class="bad">{publisher.problem}</span>
        ) : (
          'will be requested'
        )}
      </td>
    </tr>
  );
}

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
function ItemStatus({ outcome }: { readonly outcome: AddOutcome }): JSX.Element {
  if (outcome.status === 'added') return <span class="good">added, pending</span>;
  return (
    <span class={outcome.status === 'duplicate' ? '' : 'bad'}>
      {outcome.status}: {outcome.reason}
    </span>
  );
}

/** Sends a batch through the console's process. */
async function postPublishers(items: readonly PublisherItem[]): Promise<readonly AddResult[]> {
  return (await call<ConsoleAdded>('publishers', { method: 'POST', body: { items } })).results;
}

/** The publishers of a list, and what is wrong with the list itself. */
export interface ListPreview {
  readonly publishers: readonly CheckedPublisher[];
  readonly problem?: string;
}

/** Reads and checks a list of publishers before anything is sent, as `offerlet-operator publishers add` does. */
export function previewList(text: string, categories: readonly Category[]): ListPreview {
  if (text.trim() === '') return { publishers: [] };
  try {
    const publishers = checkPublishers(readPublisherList(text), createTaxonomy(categories));
    return { publishers };
  } catch (error) {
    if (error instanceof PublisherListError) return { publishers: [], problem: error.message };
    throw error;
  }
}

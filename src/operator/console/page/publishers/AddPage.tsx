import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckedPublisher } from '../../../publishers/checkPublisher.ts';
import type { Category } from '../../../../wire/channel.ts';
import type { ConsoleCategories, Failure } from '../../protocol.ts';
import { call } from '../app/call.ts';
import { Link } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Pending } from '../parts/Pending.tsx';
import { Icon } from '../parts/icons.tsx';
import { plural } from '../parts/format.ts';
import { AddForm } from './AddForm.tsx';
import { addItems, type Outcome } from './addItems.ts';
import { previewList } from './previewList.ts';
import { Said } from './Said.tsx';

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
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { publishers, problem } = previewList(text, categories);
  const ready = publishers.flatMap((one) => ('item' in one && !isDone(outcomes.get(one.line)) ? [one] : []));
  const wrong = publishers.filter((one) => 'problem' in one);

  async function send(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    const stopped = await addItems(
      ready.map(({ item }) => item),
      (index, outcome) => setOutcomes((known) => new Map(known).set(ready[index]?.line ?? 0, outcome)),
    );
    setFailure(stopped);
    setBusy(false);
  }

  function read(csv: string): void {
    setText(csv);
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
            onChange={(event) => void event.currentTarget.files?.[0]?.text().then(read)}
          />
        </label>
      </section>
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

function isDone(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && outcome.status !== 'unsent';
}

function PreviewRow({
  publisher,
  outcome,
}: {
  readonly publisher: CheckedPublisher;
  readonly outcome: Outcome | undefined;
}): JSX.Element {
  return (
    <tr>
      <td class="quiet">{publisher.line}</td>
      <th scope="row">{publisher.brand_name || '—'}</th>
      <td>{publisher.domain || '—'}</td>
      <td>
        {outcome ? (
          <Said outcome={outcome} />
        ) : 'problem' in publisher ? (
          <span class="bad">{publisher.problem}</span>
        ) : (
          'will be requested'
        )}
      </td>
    </tr>
  );
}

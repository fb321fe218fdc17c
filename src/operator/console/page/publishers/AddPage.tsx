import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, failureOf } from '../app/call.ts';
import { Link, useTitle } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Pending } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import type { ConsoleCategories, Failure } from '../../protocol.ts';
import { AddForm, ItemStatus, postPublishers } from './AddForm.tsx';
import { download } from '../parts/download.ts';
import { type AddOutcome, addPublishers } from '../../../publishers/addPublishers.ts';
import { type CheckedPublisher, checkPublishers } from '../../../publishers/checkPublishers.ts';
import {
  type DecodedList,
  decodeList,
  PublisherListError,
  readPublisherList,
} from '../../../publishers/readPublisherList.ts';
import { createTaxonomy } from '../../../publishers/taxonomy.ts';
import { plural } from '../../../reports/format.ts';
import type { Category } from '../../../../wire/channel.ts';
import { toCsv } from '../../../../wire/toCsv.ts';

/** Adds publishers: one with a form, or many from CSV with a preview. */
export function AddPage(): JSX.Element {
  useTitle('Add publishers');
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
        <h1 tabindex={-1}>Add publishers</h1>
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

/** Requests many publishers from CSV, after a preview of what will happen. */
function AddCsv({ categories }: { readonly categories: readonly Category[] }): JSX.Element {
  const [text, setText] = useState('');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, AddOutcome>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [decoded, setDecoded] = useState<DecodedList>();
  const { publishers, problem } = previewList(text, categories);
  const ready = publishers.flatMap((one) => ('item' in one && !isDone(outcomes.get(one.line)) ? [one] : []));
  const wrong = publishers.filter((one) => 'problem' in one);
  const [isFailures, setFailures] = useState(false);
  const shown = isFailures ? publishers.filter((one) => isFailed(one, outcomes.get(one.line))) : publishers;

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
              {outcomes.size > 0 && <span class="quiet"> · {countsOf([...outcomes.values()])}</span>}
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
          {(outcomes.size > 0 || wrong.length > 0) && (
            <p class="row results">
              <label class="check">
                <input type="checkbox" checked={isFailures} onChange={() => setFailures(!isFailures)} />
                <span>Failures only</span>
              </label>
              <button
                type="button"
                class="button small"
                onClick={() => download(resultsCsv(shown, outcomes), 'results.csv')}
              >
                <Icon name="download" /> Results as CSV
              </button>
            </p>
          )}
          <div class="scroller" tabindex={0} role="region" aria-label="Rows">
            <table class="publishers">
              <thead>
                <tr>
                  <th scope="col" class="wide-only">
                    Line
                  </th>
                  <th scope="col">Brand</th>
                  <th scope="col" class="wide-only">
                    Domain
                  </th>
                  <th scope="col">What will happen</th>
                </tr>
              </thead>
              <tbody>
                {shown.map((one) => (
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

/** Whether nothing says that it was added, now or before. */
function isFailed(one: CheckedPublisher, outcome: AddOutcome | undefined): boolean {
  return outcome ? outcome.status !== 'added' && outcome.status !== 'duplicate' : 'problem' in one;
}

/** How many there are of each outcome: `12 added, 1 duplicate`. */
function countsOf(outcomes: readonly AddOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** The same columns as those of `offerlet-operator publishers add --csv`. */
function resultsCsv(publishers: readonly CheckedPublisher[], outcomes: ReadonlyMap<number, AddOutcome>): string {
  const rows = publishers.map((one) => {
    const outcome = outcomes.get(one.line);
    const problem = 'problem' in one ? one.problem : null;
    return {
      line: one.line,
      status: outcome?.status ?? (problem === null ? 'not sent' : 'invalid'),
      brand_name: one.brand_name,
      domain: one.domain,
      pending_publisher_id: outcome?.status === 'added' ? outcome.pending_publisher_id : null,
      reason: outcome && outcome.status !== 'added' ? outcome.reason : problem,
    };
  });
  return toCsv(rows, { columns: ['line', 'status', 'brand_name', 'domain', 'pending_publisher_id', 'reason'] });
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
      <td class="quiet wide-only">{publisher.line}</td>
      <th scope="row">
        {publisher.brand_name || '—'}
        <span class="under quiet">
          Line {publisher.line}, {publisher.domain || '—'}
        </span>
      </th>
      <td class="wide-only">{publisher.domain || '—'}</td>
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

/** The publishers of a list, and what is wrong with the list itself. */
interface ListPreview {
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

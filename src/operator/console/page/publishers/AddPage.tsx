import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useCall, useWork } from '../app/useResource.ts';
import { Button, Check, CsvButton, Segments } from '../parts/controls.tsx';
import { Pending, ProblemNote } from '../parts/FailurePanel.tsx';
import { Crumb, PageHead, Table } from '../parts/layout.tsx';
import { AddForm, ItemStatus, requestPublishers } from './AddForm.tsx';
import type { AddOutcome } from '../../../publishers/addPublishers.ts';
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
import { toCsv } from '../../../../text/toCsv.ts';

const WAYS = [
  ['one', 'One'],
  ['csv', 'Many from CSV'],
] as const;

/** Adds publishers: one with a form, or many from CSV with a preview. */
export function AddPage(): JSX.Element {
  const [way, setWay] = useState<(typeof WAYS)[number][0]>('one');
  const resource = useCall<readonly Category[]>('categories');
  const { data } = resource;
  return (
    <>
      <Crumb to="publishers">Publishers</Crumb>
      <PageHead title="Add publishers">
        <Segments label="How" options={WAYS} value={way} choose={(next) => setWay(next)} />
      </PageHead>
      <p class="lead quiet">The network’s staff look at each request and approve it; until then it is pending.</p>
      {data ? (
        way === 'csv' ? (
          <AddCsv categories={data} />
        ) : (
          <AddForm categories={data} />
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
  const { isBusy, failure, run, forget } = useWork();
  const [decoded, setDecoded] = useState<DecodedList>();
  const { publishers, problem } = previewList(text, categories);
  const ready = publishers.flatMap((one) => ('item' in one && !isDone(outcomes.get(one.line)) ? [one] : []));
  const wrong = publishers.filter((one) => 'problem' in one);
  const [isFailures, setFailures] = useState(false);
  const shown = isFailures ? publishers.filter((one) => isFailed(one, outcomes.get(one.line))) : publishers;

  const send = (): Promise<unknown> =>
    requestPublishers(
      ready.map(({ item }) => item),
      (index, outcome) => setOutcomes((known) => new Map(known).set(ready[index]?.line ?? 0, outcome)),
    );

  function read(csv: string, from?: DecodedList): void {
    setText(csv);
    setDecoded(from);
    setOutcomes(new Map());
    forget();
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
            // The same file again, with its mistakes corrected, is a change only then.
            onClick={(event) => (event.currentTarget.value = '')}
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
        <ProblemNote>
          The file is not UTF-8. It was read as Windows-1252, which spreadsheets write: “{decoded.example}”. If a name
          below is damaged, save the file as UTF-8 and choose it again.
        </ProblemNote>
      )}
      {problem !== undefined && <ProblemNote>{problem}</ProblemNote>}
      {publishers.length > 0 && (
        <section class="card list" aria-label="Preview">
          <header>
            <p role="status">
              <b>{plural(ready.length, 'publisher')}</b> will be requested
              {wrong.length > 0 && (
                <span class="bad"> · {plural(wrong.length, 'row')} will not, because of a mistake</span>
              )}
              {outcomes.size > 0 && <span class="quiet"> · {countText([...outcomes.values()])}</span>}
            </p>
            <Button kind="primary" disabled={ready.length === 0 || isBusy} onClick={() => void run(send)}>
              {isBusy ? 'Requesting …' : `Request ${ready.length}`}
            </Button>
          </header>
          {failure && (
            <ProblemNote>
              {failure.message} What was not sent can be sent again; nothing is requested twice.
            </ProblemNote>
          )}
          {(outcomes.size > 0 || wrong.length > 0) && (
            <p class="row results">
              <Check isOn={isFailures} toggle={setFailures}>
                Failures only
              </Check>
              <CsvButton
                name="failures"
                label="Failures as CSV, to correct"
                make={() => failuresCsv(publishers, outcomes)}
              />
            </p>
          )}
          <Table
            class="publishers"
            columns={[
              { text: 'Line', class: 'wide-only' },
              'Brand',
              { text: 'Domain', class: 'wide-only' },
              'What will happen',
            ]}
          >
            {shown.map((one) => (
              <tr key={one.line}>
                <td class="quiet wide-only">{one.line}</td>
                <th scope="row">
                  {one.brand_name || '—'}
                  <span class="under quiet">
                    Line {one.line}, {one.domain || '—'}
                  </span>
                </th>
                <td class="wide-only">{one.domain || '—'}</td>
                <td>
                  <RowStatus one={one} outcome={outcomes.get(one.line)} />
                </td>
              </tr>
            ))}
          </Table>
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
function countText(outcomes: readonly AddOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** The failures as a list that can be corrected and sent again, as `publishers add --failures --csv` prints it. */
function failuresCsv(publishers: readonly CheckedPublisher[], outcomes: ReadonlyMap<number, AddOutcome>): string {
  const text = (field: unknown): string =>
    Array.isArray(field) ? field.join('; ') : typeof field === 'string' ? field : '';
  const rows = publishers
    .map((one) => ({ one, outcome: outcomes.get(one.line) }))
    .filter(({ one, outcome }) => isFailed(one, outcome))
    .map(({ one, outcome }) => ({
      brand_name: one.brand_name,
      domain: one.domain,
      primary_category_id: text(one.fields['primary_category_id']),
      subcategory_ids: text(one.fields['subcategory_ids']),
      reason: outcome && 'reason' in outcome ? outcome.reason : 'problem' in one ? one.problem : '',
    }));
  return toCsv(rows, { columns: ['brand_name', 'domain', 'primary_category_id', 'subcategory_ids', 'reason'] });
}

function isDone(outcome: AddOutcome | undefined): boolean {
  return outcome !== undefined && outcome.status !== 'not sent' && outcome.status !== 'unknown';
}

/** What became of a row, or would. */
function RowStatus({
  one,
  outcome,
}: {
  readonly one: CheckedPublisher;
  readonly outcome: AddOutcome | undefined;
}): JSX.Element {
  if (outcome) return <ItemStatus outcome={outcome} />;
  return 'problem' in one ? <span class="bad">{one.problem}</span> : <>will be requested</>;
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

import type { ComponentChildren, JSX } from 'preact';
import { useState, useRef } from 'preact/hooks';
import { call } from '../app/call.ts';
import { Link, go, useTitle } from '../app/router.tsx';
import { useResource, useWork } from '../app/useResource.ts';
import { ChartCard, ChartOutline } from '../report/ReportChart.tsx';
import { Button, CopyButton } from '../parts/controls.tsx';
import { FailurePanel, Pending, ProblemNote } from '../parts/FailurePanel.tsx';
import { Card, Crumb } from '../parts/layout.tsx';
import { defaultState, queryOfState, type ReportState } from '../../../reports/reportState.ts';
import { Funnel } from '../report/Funnel.tsx';
import { Tiles } from '../report/Tiles.tsx';
import { useReport } from '../report/useReport.ts';
import type { ConsolePublisher, ConsoleContext } from '../../protocol.ts';
import { dayText, inWords } from '../../../reports/format.ts';
import type { Category } from '../../../../wire/channel.ts';

interface PublisherProps {
  readonly id: string;
  readonly session: ConsoleContext;
}

/** One publisher: who it is, what it does not show, and how it did in the last 28 days. */
export function PublisherPage({ id, session }: PublisherProps): JSX.Element {
  const path = `publishers/${encodeURIComponent(id)}`;
  const resource = useResource({
    key: path,
    load: async (signal) => {
      const [detail, categories] = await Promise.all([
        call<ConsolePublisher>(path, { signal }),
        call<readonly Category[]>('categories', { signal }),
      ]);
      return { ...detail, categories };
    },
  });
  const { data } = resource;
  const { metrics, chart } = defaultState('channel', session.metrics);
  useTitle(data?.publisher.brand_name ?? 'Publisher');
  return (
    <>
      <Crumb to="publishers">Publishers</Crumb>
      {data ? (
        <Detail {...data} session={session} />
      ) : (
        <Pending resource={resource} label="Loading the publisher …">
          <i class="bone name" />
          <Tiles metrics={metrics} chart={chart} totals={undefined} />
          <ChartOutline />
        </Pending>
      )}
    </>
  );
}

interface DetailProps extends ConsolePublisher {
  readonly categories: readonly Category[];
  readonly session: ConsoleContext;
}

function Detail({ publisher, channel_exclusions, categories, session }: DetailProps): JSX.Element {
  const remote = publisher.publisher_remote_id;
  const { external, publisher: own } = publisher.exclusions.subcategories;
  return (
    <>
      <header class="page-head">
        <h1 tabindex={-1}>
          {publisher.brand_name} <span class={`badge ${publisher.status}`}>{inWords(publisher.status)}</span>
        </h1>
        {remote !== null && <RemoveButton id={remote} name={publisher.brand_name} />}
      </header>
      {remote === null && <p class="lead quiet">{PENDING[publisher.status] ?? ''}</p>}
      {remote !== null && <LastDays id={remote} session={session} />}
      <div class="two">
        <Card title="Details" class="facts">
          <dl>
            <Fact name="Category">{publisher.primary_category}</Fact>
            <Fact name="Added">{dayText(publisher.created_at)}</Fact>
            {remote !== null && <Id name="Publisher ID" id={remote} />}
            {publisher.pending_publisher_id !== null && <Id name="Request ID" id={publisher.pending_publisher_id} />}
          </dl>
        </Card>
        <Card
          title="Exclusions"
          class="facts"
          beside={
            remote !== null && (
              <Link to={`exclusions?publisher=${encodeURIComponent(remote)}`} class="button small">
                Change
              </Link>
            )
          }
        >
          <Excluded title="For the whole channel" ids={channel_exclusions} categories={categories} />
          <Excluded title="By you, for this publisher" ids={own} categories={categories} />
          <Excluded title="By the publisher itself" ids={external} categories={categories} />
        </Card>
      </div>
    </>
  );
}

const PENDING: Readonly<Record<string, string>> = {
  PENDING: 'The network’s staff have not looked at this request yet. Reports and exclusions begin with the approval.',
  NEEDS_INFO: 'The network’s staff need more information about this request.',
  REJECTED: 'The network’s staff have rejected this request.',
};

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="split">{children}</dd>
    </div>
  );
}

function Id({ name, id }: { readonly name: string; readonly id: string }): JSX.Element {
  return (
    <Fact name={name}>
      <code>{id}</code> <CopyButton text={id} name={`Copy the ${name.toLowerCase()}`} />
    </Fact>
  );
}

interface ExcludedProps extends Pick<DetailProps, 'categories'> {
  readonly title: string;
  readonly ids: readonly string[];
}

function Excluded({ title, ids, categories }: ExcludedProps): JSX.Element {
  const names = categories.flatMap(({ subcategories }) =>
    subcategories.filter(({ remote_id }) => ids.includes(remote_id)),
  );
  return (
    <div class="excluded">
      <h3>
        {title} <span class="count">{ids.length}</span>
      </h3>
      {names.length > 0 && (
        <ul class="row tags">
          {names.map(({ remote_id, name }) => (
            <li key={remote_id}>{name}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function LastDays({ id, session }: PublisherProps): JSX.Element {
  const start = defaultState('channel', session.metrics);
  const [chart, setChart] = useState(start.chart);
  const state: ReportState = {
    ...start,
    chart,
    filters: { ...start.filters, publisher: [id] },
  };
  const resource = useReport(state, session);
  const { data, failure } = resource;
  return (
    <section aria-labelledby="last-days">
      <header class="section-head">
        <h2 id="last-days">Last 28 days</h2>
        <Link to={`?${queryOfState(state)}`}>Open the report</Link>
      </header>
      {failure && !data ? (
        <FailurePanel failure={failure} resource={resource} />
      ) : (
        <>
          <Tiles totals={data?.totals} metrics={state.metrics} chart={state.chart} choose={setChart} />
          {data ? (
            <ChartCard report={data}>
              <p class="empty">There was no activity in these days.</p>
            </ChartCard>
          ) : (
            <ChartOutline />
          )}
          {data && data.total > 0 && <Funnel state={state} session={session} />}
        </>
      )}
    </section>
  );
}

/** Removes a publisher, after its name was typed. */
function RemoveButton({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const { isBusy, failure, run, forget } = useWork();
  const isRight = typed.trim() === name.trim();

  async function remove(): Promise<void> {
    if (!isRight || isBusy) return;
    if (await run(() => call(`publishers/${encodeURIComponent(id)}`, { method: 'DELETE' }))) go('publishers');
  }

  return (
    <>
      <Button kind="danger" onClick={() => dialog.current?.showModal()}>
        Remove …
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby="remove-title"
        onClose={() => {
          setTyped('');
          forget();
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void remove();
          }}
        >
          <h2 id="remove-title">Remove {name} from the channel?</h2>
          <p>
            It no longer shows offers or earns through this channel. This can’t be undone here: it has to be added and
            approved again.
          </p>
          <label class="field">
            <span>
              Type <b>{name}</b> to confirm
            </span>
            <input autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
          {failure && <ProblemNote>{failure.message}</ProblemNote>}
          <p class="dialog-foot">
            <Button onClick={() => dialog.current?.close()}>Keep it</Button>
            <Button type="submit" kind="danger" disabled={!isRight || isBusy}>
              {isBusy ? 'Removing …' : 'Remove'}
            </Button>
          </p>
        </form>
      </dialog>
    </>
  );
}

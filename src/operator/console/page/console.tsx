import { render, type JSX } from 'preact';
import { BASE } from './app/call.ts';
import { ChannelName, Link, useFocusAtHeading, usePlace, useTitle, type PageProps } from './app/router.tsx';
import { useCall } from './app/useResource.ts';
import { AuditPage } from './audit/AuditPage.tsx';
import { ChangesPage } from './changes/ChangesPage.tsx';
import './console.css';
import { ExclusionsPage } from './exclusions/ExclusionsPage.tsx';
import { Pending } from './parts/FailurePanel.tsx';
import { Select, type SelectOption } from './parts/controls.tsx';
import { Popover } from './parts/Popover.tsx';
import { AddPage } from './publishers/AddPage.tsx';
import { PublisherPage } from './publishers/PublisherPage.tsx';
import { PublishersPage } from './publishers/PublishersPage.tsx';
import { ReportPage } from './report/ReportPage.tsx';
import { StatementsPage } from './statements/StatementsPage.tsx';
import { WatchPage } from './watch/WatchPage.tsx';
import type { ConsoleContext } from '../protocol.ts';
import { wordOf } from '../../reports/format.ts';

// The console's page: loaded by the process that holds the key, and calls nothing else.

interface Room {
  /** The first part of its path. */
  readonly path: string;
  readonly name: string;
  readonly Page: (props: PageProps) => JSX.Element;
  /** Whether it is in the navigation; by default, unless the key is a publisher's, which opens no channel. */
  isListed?(session: ConsoleContext | undefined): boolean;
}

// Without a ledger or a log there is nothing to show.
const ROOMS: readonly Room[] = [
  { path: '', name: 'Report', Page: ReportPage, isListed: () => true },
  { path: 'publishers', name: 'Publishers', Page: PublishersRoom },
  { path: 'exclusions', name: 'Exclusions', Page: ExclusionsPage },
  { path: 'audit', name: 'Audit', Page: AuditPage, isListed: (session) => session?.audit != null },
  { path: 'watch', name: 'Watch', Page: WatchPage },
  { path: 'statements', name: 'Statements', Page: StatementsPage },
  { path: 'changes', name: 'Changes', Page: ChangesPage, isListed: (session) => session?.hasChanges === true },
];

function roomsOf(session: ConsoleContext | undefined): readonly Room[] {
  return ROOMS.filter(({ isListed }) => (isListed ? isListed(session) : session?.variant !== 'publisher'));
}

/** The whole console. */
function App(): JSX.Element {
  const place = usePlace();
  const resource = useCall<ConsoleContext>('session');
  const { data: session } = resource;
  const room = place.path.split('/')[0] ?? '';
  const rooms = roomsOf(session);
  // Without a ledger, the page Audit says what it would show.
  const { Page } = (room === 'audit' ? ROOMS : rooms).find(({ path }) => path === room) ?? { Page: NotFound };
  useFocusAtHeading(place.path);

  return (
    <ChannelName.Provider value={session?.channel ?? session?.network ?? 'offerlet'}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class={`masthead ${session?.environment ?? ''}`}>
        <p class="brand">
          <Mark /> <b>{session?.channel ?? 'offerlet console'}</b>
          {session?.environment && <span class={`badge ${session.environment}`}>{wordOf(session.environment)}</span>}
        </p>
        {rooms.length > 1 && <Navigation rooms={rooms} room={room} />}
        {session && session.profiles.length > 1 && (
          <Select
            label="Profile"
            options={session.profiles.map(profileOption)}
            value={BASE}
            choose={(path) => location.assign(path)}
          />
        )}
        <p class="network quiet" title={session?.network_url}>
          {session?.network}
        </p>
      </header>
      <main id="main" tabindex={-1}>
        {session ? (
          <Page place={place} session={session} />
        ) : (
          <Pending resource={resource} label="Opening the console …" />
        )}
      </main>
    </ChannelName.Provider>
  );
}

function PublishersRoom(props: PageProps): JSX.Element {
  const [, id] = props.place.path.split('/');
  if (id === undefined) return <PublishersPage {...props} />;
  return id === 'add' ? <AddPage /> : <PublisherPage key={id} id={decodeURIComponent(id)} session={props.session} />;
}

/** The rooms side by side; in a window that is too narrow for them, behind a button. */
function Navigation({ rooms, room }: { readonly rooms: readonly Room[]; readonly room: string }): JSX.Element {
  const links = (close?: () => void): JSX.Element[] =>
    rooms.map(({ path, name }) => (
      <Link key={path} to={path} {...(close && { onClick: close })} aria-current={room === path ? 'page' : undefined}>
        {name}
      </Link>
    ));
  return (
    <>
      <nav class="rooms" aria-label="Console">
        {links()}
      </nav>
      <Popover
        class="pages"
        name="Pages"
        hasArrow
        label={<span>{rooms.find(({ path }) => path === room)?.name ?? 'Pages'}</span>}
      >
        {(close) => (
          <nav class="menu" aria-label="Console">
            {links(close)}
          </nav>
        )}
      </Popover>
    </>
  );
}

function profileOption({ name, path, environment }: ConsoleContext['profiles'][number]): SelectOption<string> {
  return [path, `${name}${environment === 'production' ? ' · PRODUCTION' : ''}`];
}

function NotFound(): JSX.Element {
  useTitle('Not found');
  return (
    <section class="failure">
      <h1 tabindex={-1}>There is no such page</h1>
      <p>
        <Link to="">Open the report</Link>
      </p>
    </section>
  );
}

function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M8 21.5 13.5 15l4 3.5L24 11" />
    </svg>
  );
}

const root = document.getElementById('console');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}

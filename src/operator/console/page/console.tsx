import { render, type JSX } from 'preact';
import { BASE, call } from './app/call.ts';
import { ChannelName, Link, useFocusAtHeading, usePlace, useTitle, type Place } from './app/router.tsx';
import { useResource } from './app/useResource.ts';
import { AuditPage } from './audit/AuditPage.tsx';
import { ChangesPage } from './changes/ChangesPage.tsx';
import './console.css';
import { ExclusionsPage } from './exclusions/ExclusionsPage.tsx';
import { Pending } from './parts/FailurePanel.tsx';
import { Icon } from './parts/icons.tsx';
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

const ROOMS = [
  ['', 'Report'],
  ['publishers', 'Publishers'],
  ['exclusions', 'Exclusions'],
  ['audit', 'Audit'],
  ['watch', 'Watch'],
  ['statements', 'Statements'],
  ['changes', 'Changes'],
] as const;
type Room = (typeof ROOMS)[number];

/** The rooms in the navigation. A publisher's key opens no channel, and without a ledger or a log there is nothing to show. */
function roomsOf(session: ConsoleContext | undefined): readonly Room[] {
  return ROOMS.filter(([path]) => {
    if (path === 'audit') return session?.audit != null;
    if (path === 'changes') return session?.hasChanges === true;
    return path === '' || session?.variant !== 'publisher';
  });
}

/** The whole console. */
function App(): JSX.Element {
  const place = usePlace();
  const resource = useResource({
    key: 'session',
    load: (signal) => call<ConsoleContext>('session', { signal }),
  });
  const { data: session } = resource;
  const room = place.path.split('/')[0] ?? '';
  const rooms = roomsOf(session);
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
        {session && session.profiles.length > 1 && <ProfileSwitch profiles={session.profiles} />}
        <p class="network quiet" title={session?.network_url}>
          {session?.network}
        </p>
      </header>
      <main id="main" tabindex={-1}>
        {session ? (
          <Room place={place} session={session} />
        ) : (
          <Pending resource={resource} label="Opening the console …" />
        )}
      </main>
    </ChannelName.Provider>
  );
}

function Room({ place, session }: { readonly place: Place; readonly session: ConsoleContext }): JSX.Element {
  const [room = '', id] = place.path.split('/');
  if (room === '') return <ReportPage place={place} session={session} />;
  if (room === 'audit') return <AuditPage place={place} session={session} />;
  if (session.variant === 'channel') {
    if (room === 'publishers' && id === 'add') return <AddPage />;
    if (room === 'publishers' && id !== undefined)
      return <PublisherPage key={id} id={decodeURIComponent(id)} session={session} />;
    if (room === 'publishers') return <PublishersPage place={place} />;
    if (room === 'exclusions') return <ExclusionsPage place={place} />;
    if (room === 'watch') return <WatchPage place={place} />;
    if (room === 'changes' && session.hasChanges) return <ChangesPage />;
    if (room === 'statements') return <StatementsPage place={place} session={session} />;
  }
  return <NotFound />;
}

/** The rooms side by side; in a window that is too narrow for them, behind a button. */
function Navigation({ rooms, room }: { readonly rooms: readonly Room[]; readonly room: string }): JSX.Element {
  const links = (close?: () => void): JSX.Element[] =>
    rooms.map(([path, name]) => (
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
        label={
          <>
            <span>{rooms.find(([path]) => path === room)?.[1] ?? 'Pages'}</span>
            <Icon name="chevron" />
          </>
        }
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

/** Opens the console of another profile. */
function ProfileSwitch({ profiles }: Pick<ConsoleContext, 'profiles'>): JSX.Element {
  return (
    <label class="select">
      <select aria-label="Profile" value={BASE} onChange={(event) => location.assign(event.currentTarget.value)}>
        {profiles.map(({ name, path, environment }) => (
          <option key={path} value={path}>
            {name}
            {environment === 'production' ? ' · PRODUCTION' : ''}
          </option>
        ))}
      </select>
    </label>
  );
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

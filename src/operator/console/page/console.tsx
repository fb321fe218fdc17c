import { render, type JSX } from 'preact';
import { ChannelName, Currency, Link, useFocusAtHeading, usePlace, useTitle, type PageProps } from './app/router.tsx';
import { useCall } from './app/useResource.ts';
import './console.css';
import { ExclusionsPage } from './exclusions/ExclusionsPage.tsx';
import { Pending } from './parts/FailurePanel.tsx';
import { Popover } from './parts/Popover.tsx';
import { AddPage } from './publishers/AddPage.tsx';
import { PublisherPage } from './publishers/PublisherPage.tsx';
import { PublishersPage } from './publishers/PublishersPage.tsx';
import { ReportPage } from './report/ReportPage.tsx';
import { StatementPage } from './statement/StatementPage.tsx';
import { WatchPage } from './watch/WatchPage.tsx';
import type { ConsoleContext } from '../protocol.ts';
import { inWords } from '../../reports/format.ts';

// The console's page: loaded by the process that holds the key, and calls nothing else.

interface Room {
  /** The first part of its path. */
  readonly path: string;
  readonly name: string;
  readonly Page: (props: PageProps) => JSX.Element;
}

const ROOMS: readonly Room[] = [
  { path: '', name: 'Report', Page: ReportPage },
  { path: 'publishers', name: 'Publishers', Page: PublishersRoom },
  { path: 'exclusions', name: 'Exclusions', Page: ExclusionsPage },
  { path: 'statement', name: 'Statement', Page: StatementPage },
  { path: 'watch', name: 'Watch', Page: WatchPage },
];

/** The whole console. */
function App(): JSX.Element {
  const place = usePlace();
  const resource = useCall<ConsoleContext>('session');
  const { data: session } = resource;
  const room = place.path.split('/')[0] ?? '';
  // A publisher's key opens no channel.
  const rooms = session?.variant === 'publisher' ? ROOMS.slice(0, 1) : ROOMS;
  const { Page } = rooms.find(({ path }) => path === room) ?? { Page: NotFound };
  useFocusAtHeading(place.path);

  return (
    <ChannelName.Provider value={session?.channel ?? session?.network ?? 'offerlet'}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class={`masthead ${session?.environment ?? ''}`}>
        <p class="brand">
          <Mark /> <b>{session?.channel ?? 'offerlet console'}</b>
          {session?.environment && <span class={`badge ${session.environment}`}>{inWords(session.environment)}</span>}
        </p>
        {rooms.length > 1 && <Navigation rooms={rooms} room={room} />}
        <p class="network quiet" title={session?.network_url}>
          {session?.network}
        </p>
      </header>
      <main id="main" tabindex={-1}>
        {session ? (
          <Currency.Provider value={session.currency}>
            <Page place={place} session={session} />
          </Currency.Provider>
        ) : (
          <Pending resource={resource} label="Opening the console …" />
        )}
      </main>
    </ChannelName.Provider>
  );
}

function PublishersRoom(props: PageProps): JSX.Element {
  const [, part] = props.place.path.split('/');
  if (part === undefined) return <PublishersPage {...props} />;
  if (part === 'add') return <AddPage />;
  const id = decoded(part);
  return id === undefined ? <NotFound /> : <PublisherPage key={id} id={id} session={props.session} />;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
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

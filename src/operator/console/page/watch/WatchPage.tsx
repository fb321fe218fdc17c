import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../app/call.ts';
import { go, Link, type PageProps } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Segments } from '../parts/controls.tsx';
import { Pending, StaleBanner } from '../parts/FailurePanel.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import type { ConsoleWatch, WatchProgress } from '../../protocol.ts';
import { inWords, plural, rangeText } from '../../../reports/format.ts';
import type { Cause } from '../../../watch/evaluate.ts';

/** Milliseconds until the rules are evaluated again: a day is judged once it is complete. */
const REFRESH_MS = 600_000;

/** What needs attention by the rules, and what they would have said on the days before. */
export function WatchPage({ place }: PageProps): JSX.Element {
  const days = Number(place.params.get('days')) === 90 ? 90 : 30;
  const [progress, setProgress] = useState('');
  const key = `watch?days=${days}`;
  const load = async (signal: AbortSignal): Promise<ConsoleWatch> => {
    setProgress('');
    for (;;) {
      const read = await call<ConsoleWatch | WatchProgress>(key, { signal });
      if (!('progress' in read)) return read;
      setProgress(read.progress);
    }
  };
  const resource = useResource({ key, load, refresh: REFRESH_MS });
  const { data, isCurrent, isLoading } = resource;
  return (
    <>
      <PageHead title="Watch">
        <Segments
          label="How far to look back"
          options={[30, 90].map((length) => [length, `${length} days`] as const)}
          value={days}
          choose={(length) => go(length === 30 ? 'watch' : `watch?days=${length}`)}
        />
      </PageHead>
      <StaleBanner resource={resource} />
      {isLoading && !isCurrent && (
        <p class="lead quiet" role="status">
          {progress || 'Judging the last days …'}
        </p>
      )}
      {data ? (
        <div class={`watch content ${isLoading ? 'loading' : ''}`} aria-busy={isLoading}>
          <Found watch={data} />
        </div>
      ) : (
        <Pending resource={resource} cards={[3, 3, 10]} shape="watch" />
      )}
    </>
  );
}

function Found({ watch }: { readonly watch: ConsoleWatch }): JSX.Element {
  const { open, turns, judged, rules, skipped, unjudged, file } = watch;
  const on = (cause: Cause): ComponentChildren =>
    watch.publisherRules.includes(cause.rule) ||
    rules.some((rule) => rule.name === cause.rule && rule.kind === 'pending') ? (
      <Link to={`publishers/${encodeURIComponent(cause.id)}`}>{cause.name}</Link>
    ) : (
      cause.name
    );
  // What it says today stands above.
  const isOpen = ({ rule, id }: Cause): boolean => open.some((one) => one.rule === rule && one.id === id);
  return (
    <>
      <p class="lead quiet" role="status">
        {judged.from === null || judged.to === null
          ? 'There is no complete day of data to look at yet.'
          : whole(
              `${dayOf(judged.to)} (UTC) is the last complete day. ${open.length === 0 ? 'Nothing needs attention.' : `${plural(open.length, 'thing needs', 'things need')} attention.`}`,
            )}
      </p>
      {open.length > 0 && (
        <Card title="Needs attention" class="list">
          <ul>
            {open.map((cause) => (
              <li key={`${cause.rule}/${cause.id}`}>
                <p>
                  <b>{on(cause)}</b> <span class="quiet">{nameOf(cause.rule)}</span>
                </p>
                <p>{whole(cause.text)}</p>
                <p class="quiet">{whole(`Found on ${dayOf(cause.since)}`)}</p>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title={judged.days > 0 ? `In the last ${plural(judged.days, 'day')}` : 'Until now'} class="list">
        {turns.length === 0 ? (
          <p class="none quiet">Nothing needed attention.</p>
        ) : (
          <ol>
            {turns.map(({ event, day, cause }) => (
              <li key={`${day}${event}${cause.rule}/${cause.id}`}>
                <p class="quiet">
                  {whole(dayOf(day))}: {event === 'began' ? 'needs attention' : 'is over'}
                </p>
                <p>
                  <b>{on(cause)}</b> <span class="quiet">{nameOf(cause.rule)}</span>
                </p>
                {!isOpen(cause) && <p>{whole(cause.text)}</p>}
              </li>
            ))}
          </ol>
        )}
      </Card>
      <Card title="Rules" class="list rules">
        <ul>
          {rules.map(({ name, text }) => (
            <li key={name}>
              <p>
                <b>{nameOf(name)}</b>
              </p>
              <p>{text}</p>
              {[...skipped, ...unjudged]
                .filter(({ rule }) => rule === name)
                .map(({ why }) => (
                  <p key={why} class="quiet">
                    Not applied on the last day: {why.replace(/^judged 0 of \d+: /, '')}.
                  </p>
                ))}
            </li>
          ))}
        </ul>
      </Card>
      <p class="foot-note quiet">
        {file === null
          ? 'These are the rules that hold without a file: start the console with --rules FILE for yours. '
          : `The rules are in ${file}. `}
        The command <code>offerlet-operator watch</code> prints what is new, for cron.
      </p>
    </>
  );
}

/** The name that the rules file gives a rule, as words. */
function nameOf(rule: string): string {
  return inWords(rule.replaceAll('-', '_'));
}

/** Keeps dates and numbers with what they count on one line. */
function whole(text: string): string {
  return text.replace(/(?:\w{3}, )?\d+ [A-Z]\w{2} \d{4}|\d+ (?=[a-z])/g, (part) => part.replaceAll(' ', '\u00a0'));
}

function dayOf(date: string): string {
  return rangeText({ from: date, to: date });
}

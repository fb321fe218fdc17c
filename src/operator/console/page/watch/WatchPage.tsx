import type { ComponentChildren, JSX } from 'preact';
import { call } from '../app/call.ts';
import { go, Link, useTitle, type Place } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Pending, StaleBanner } from '../parts/FailurePanel.tsx';
import type { ConsoleWatch } from '../../protocol.ts';
import { plural, rangeOf } from '../../../reports/format.ts';
import type { Cause, Turn } from '../../../watch/evaluate.ts';

const LENGTHS = [30, 90];
/** Milliseconds until the rules are asked again: a day is judged once it is complete. */
const REFRESH_MS = 600_000;

/** What needs attention by the rules, and what they would have said on the days before. */
export function WatchPage({ place }: { readonly place: Place }): JSX.Element {
  useTitle('Watch');
  const days = Number(place.params.get('days')) === 90 ? 90 : 30;
  const resource = useResource({
    key: `watch?days=${days}`,
    load: (signal) => call<ConsoleWatch>(`watch?days=${days}`, { signal }),
    refresh: REFRESH_MS,
  });
  const { data, failure, isLoading, readAt, retryIn, reload } = resource;
  return (
    <>
      <header class="page-head">
        <h1 tabindex={-1}>Watch</h1>
        <fieldset class="segments">
          <legend class="hidden">How far to look back</legend>
          {LENGTHS.map((length) => (
            <label key={length}>
              <input
                type="radio"
                name="days"
                checked={days === length}
                onChange={() => go(length === 30 ? 'watch' : `watch?days=${length}`)}
              />
              <span>{length} days</span>
            </label>
          ))}
        </fieldset>
      </header>
      {failure && data && <StaleBanner failure={failure} readAt={readAt} retryIn={retryIn} retry={reload} />}
      {data ? (
        <div class={`watch content ${isLoading ? 'loading' : ''}`} aria-busy={isLoading}>
          <Found watch={data} />
        </div>
      ) : (
        <Pending resource={resource} label="Judging the last days …" />
      )}
    </>
  );
}

function Found({ watch }: { readonly watch: ConsoleWatch }): JSX.Element {
  const { open, turns, judged, rules, skipped, file } = watch;
  const on = (cause: Cause): ComponentChildren =>
    watch.publisherRules.includes(cause.rule) ||
    rules.some((rule) => rule.name === cause.rule && rule.kind === 'pending') ? (
      <Link to={`publishers/${encodeURIComponent(cause.id)}`}>{cause.name}</Link>
    ) : (
      cause.name
    );
  return (
    <>
      <p class="lead quiet" role="status">
        {judged.from === null || judged.to === null
          ? 'There is no complete day of data to judge yet.'
          : `Judged ${rangeOf({ from: judged.to, to: judged.to })} UTC, the last complete day. ${open.length === 0 ? 'Nothing needs attention.' : `${plural(open.length, 'thing needs', 'things need')} attention.`}`}
      </p>
      {open.length > 0 && (
        <section class="card list" aria-labelledby="open">
          <header>
            <h2 id="open">Open</h2>
          </header>
          <ul>
            {open.map((cause) => (
              <li key={`${cause.rule}/${cause.id}`}>
                <p>
                  <b>{on(cause)}</b> <span class="badge plain">{cause.rule}</span>
                </p>
                <p>{cause.text}</p>
                <p class="quiet">Found on {rangeOf({ from: cause.since, to: cause.since })}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="card list" aria-labelledby="said">
        <header>
          <h2 id="said">{judged.days > 0 ? `What was said in ${plural(judged.days, 'day')}` : 'What was said'}</h2>
        </header>
        {turns.length === 0 ? <p class="none quiet">Nothing.</p> : <Turns turns={turns} on={on} />}
      </section>
      <section class="card list" aria-labelledby="rules">
        <header>
          <h2 id="rules">Rules</h2>
        </header>
        <ul>
          {rules.map(({ name, kind, text }) => (
            <li key={name}>
              <p>
                <b>{name}</b> <span class="badge plain">{kind}</span>
              </p>
              <p class="quiet">{text}</p>
              {skipped
                .filter(({ rule }) => rule === name)
                .map(({ why }) => (
                  <p key={why} class="bad">
                    Not judged: {why}.
                  </p>
                ))}
            </li>
          ))}
        </ul>
      </section>
      <p class="foot-note quiet">
        {file === null
          ? 'These are the rules that hold without a file: start the console with --rules FILE for yours. '
          : `The rules are in ${file}. `}
        This page sends nothing. The command <code>offerlet-operator watch</code> tells a chat what is new.
      </p>
    </>
  );
}

function Turns({ turns, on }: { readonly turns: readonly Turn[]; on(cause: Cause): ComponentChildren }): JSX.Element {
  return (
    <ol>
      {turns.map(({ event, day, cause }) => (
        <li key={`${day}${event}${cause.rule}/${cause.id}`}>
          <p>
            <span class={`badge turn ${event}`}>{event}</span> <b>{on(cause)}</b>{' '}
            <span class="badge plain">{cause.rule}</span> <span class="quiet">{rangeOf({ from: day, to: day })}</span>
          </p>
          <p>{cause.text}</p>
        </li>
      ))}
    </ol>
  );
}

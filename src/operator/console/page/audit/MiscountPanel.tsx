import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, failureOf } from '../app/call.ts';
import { useResource } from '../app/useResource.ts';
import type { Failure, Miscounting } from '../../protocol.ts';

/** What the sandbox network can do, and what to expect of the audit. */
const WAYS = [
  ['none', 'Correctly', 'What it accepts, it counts once, in its hour.'],
  ['drops_events', 'Drops events', 'It accepts all, and silently drops one of a hundred.'],
  ['counts_clicks_twice', 'Counts clicks twice', 'Each click that it accepts from now on.'],
  ['reports_late', 'Reports late', 'Nothing after the day before yesterday, until you choose something else.'],
  ['lost_hour', 'Loses this hour', 'It accepts what happens until the hour is over, and never counts it.'],
] as const;
type Way = (typeof WAYS)[number][0];

interface MiscountPanelProps {
  /** The network's time. */
  readonly now: string | undefined;
  compareAgain(): void;
}

/** Lets the sandbox network count wrongly, and shoppers shop, so that the audit has something to find. */
export function MiscountPanel({ now, compareAgain }: MiscountPanelProps): JSX.Element {
  const { data } = useResource({
    key: 'audit/miscount',
    load: (signal) => call<Miscounting>('audit/miscount', { signal }),
  });
  const [isShopping, setShopping] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [chosen, setChosen] = useState<Way>();
  const way = chosen ?? (data && (data.miscount ?? (data.lost_hour === null ? 'none' : 'lost_hour')));

  /** Runs something that changes the counts. Returns whether it succeeded. */
  async function run(work: Promise<unknown>): Promise<boolean> {
    setFailure(undefined);
    const isDone = await work.then(
      () => true,
      (error: unknown) => {
        setFailure(failureOf(error));
        return false;
      },
    );
    compareAgain();
    return isDone;
  }

  async function choose(next: Way): Promise<void> {
    setChosen(next);
    const body: Miscounting = {
      miscount: next === 'none' || next === 'lost_hour' ? null : next,
      lost_hour: next === 'lost_hour' ? (now ?? null) : null,
    };
    if (!(await run(call('audit/miscount', { method: 'PUT', body })))) setChosen(way);
  }

  async function shop(): Promise<void> {
    setShopping(true);
    await run(call('audit/shoppers', { method: 'POST', body: {} }));
    setShopping(false);
  }

  return (
    <section class="card miscount" aria-labelledby="miscount">
      <header>
        <div>
          <h2 id="miscount">How the sandbox network counts</h2>
          <p class="quiet">Let it count wrongly, and see whether the audit notices. What it dropped stays dropped.</p>
        </div>
        <button type="button" class="button" disabled={isShopping} onClick={() => void shop()}>
          {isShopping ? 'They are shopping …' : 'Let 60 shoppers shop'}
        </button>
      </header>
      {failure && (
        <p class="problem" role="alert">
          {failure.message}
        </p>
      )}
      <fieldset>
        <legend class="hidden">How the network counts</legend>
        {WAYS.map(([name, title, text]) => (
          <label key={name}>
            <input
              type="radio"
              name="miscount"
              checked={way === name}
              disabled={way === undefined}
              onChange={() => void choose(name)}
            />
            <span>
              <b>{title}</b>
              <span class="quiet">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}

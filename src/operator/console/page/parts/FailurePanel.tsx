import type { ComponentChildren, JSX } from 'preact';
import type { Resource } from '../app/useResource.ts';
import { Button } from './controls.tsx';
import { Icon } from './icons.tsx';
import type { CallFailure, FailureCode } from '../../protocol.ts';
import { rangeOf } from '../../../reports/format.ts';

interface FailureProps {
  readonly failure: CallFailure;
  readonly resource: Pick<Resource<unknown>, 'retryIn' | 'reload'>;
  /** Buttons that would help, such as a coarser grain. */
  readonly children?: ComponentChildren;
}

/** Failures that trying again may end. */
const PASSING: readonly FailureCode[] = ['failed', 'file', 'key_refused', 'no_data'];

/** Says what went wrong and what to do, instead of the data. */
export function FailurePanel({ failure, resource: { retryIn, reload }, children }: FailureProps): JSX.Element {
  return (
    <section class="failure" role="alert">
      <Icon name="warning" />
      <h2>{WORDS[failure.code][0]}</h2>
      <p>{textOf(failure)}</p>
      {failure.fields && failure.fields.length > 0 && (
        <ul>
          {failure.fields.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <p class="actions">
        {children}
        {(retryIn > 0 || PASSING.includes(failure.code)) && <Button onClick={reload}>Try again now</Button>}
      </p>
      {retryIn > 0 && <p class="quiet">Next attempt in {retryIn} s</p>}
      {failure.request_id && <p class="quiet">Request {failure.request_id}</p>}
    </section>
  );
}

/** Says above older data that it could not be read again. */
export function StaleBanner({ resource }: { readonly resource: Resource<unknown> }): JSX.Element | null {
  const { data, failure, readAt, retryIn, reload } = resource;
  if (!failure || data === undefined) return null;
  const time = new Date(readAt).toLocaleTimeString('en-GB');
  return (
    <p class="stale" role="status">
      <Icon name="warning" />
      <span>
        <b>{WORDS[failure.code][0]}.</b> You see what was read at {time}.
        {retryIn > 0 && ` Next attempt in ${retryIn} s.`}
      </span>
      <Button kind="small" onClick={reload}>
        Try again now
      </Button>
    </p>
  );
}

/** What went wrong, and what to do; where that is missing, the failure's own message says it. */
const WORDS: Readonly<Record<FailureCode, readonly [title: string, text?: string]>> = {
  key_refused: [
    'The network refused the key',
    'It is unknown, revoked, expired, or for another environment. Stop the console, and start it with a valid key: a secret management key, or with --variant publisher a publisher reporting key.',
  ],
  rate_limited: ['Too many requests', 'The network asks to wait. The console tries again by itself.'],
  too_large: [
    'This report is too large',
    'Reports of the network have up to 10,000 rows. Use longer periods, fewer breakdowns, or fewer dates.',
  ],
  outside_history: ['These dates are outside the history', 'The network has no data that old. Choose later dates.'],
  metric_not_available: ['A metric is not enabled for this key'],
  no_data: ['There is no reporting data yet', 'It begins with the first activity of a publisher.'],
  changed: ['The data changed while it was read', 'The console reads it again.'],
  unreachable: ['The network can’t be reached'],
  not_found: ['Not found', 'The channel has nothing with this id.'],
  invalid: ['The network refused the request'],
  file: ['A file needs a correction'],
  failed: ['Something went wrong'],
};

function textOf({ code, message, window, unsupported_metrics }: CallFailure): string {
  if (code === 'outside_history' && window) return `The network has data for ${rangeOf(window)}.`;
  if (code === 'metric_not_available' && unsupported_metrics?.length)
    return `Not available: ${unsupported_metrics.join(', ')}.`;
  return WORDS[code][1] ?? message;
}

/** In place of data that has not arrived: why it failed, or that it is loading. */
export function Pending(props: { readonly resource: Resource<unknown>; readonly label?: string }): JSX.Element {
  const { resource, label = 'Loading …' } = props;
  if (resource.failure) return <FailurePanel failure={resource.failure} resource={resource} />;
  return (
    <p class="starting" role="status">
      {label}
    </p>
  );
}

/** Says beside what the reader did why it failed. */
export function ProblemNote({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

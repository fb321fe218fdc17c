import type { ComponentChildren, JSX } from 'preact';
import type { Resource } from '../app/useResource.ts';
import { Icon } from './icons.tsx';
import type { Failure } from '../../protocol.ts';
import { rangeOf } from '../../../reports/format.ts';

interface FailureProps {
  readonly failure: Failure;
  readonly retryIn: number;
  retry(): void;
  /** Buttons that would help, such as a coarser grain. */
  readonly children?: ComponentChildren;
}

/** Says what went wrong and what to do, instead of the data. */
export function FailurePanel({ failure, retryIn, retry, children }: FailureProps): JSX.Element {
  const [title, text] = wordsFor(failure);
  return (
    <section class="failure" role="alert">
      <Icon name="warning" />
      <h2>{title}</h2>
      <p>{text}</p>
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
        {(retryIn > 0 ||
          failure.code === 'failed' ||
          failure.code === 'file' ||
          failure.code === 'key_refused' ||
          failure.code === 'no_data') && (
          <button type="button" class="button" onClick={retry}>
            Try again now
          </button>
        )}
      </p>
      {retryIn > 0 && <p class="quiet">Next attempt in {retryIn} s</p>}
      {failure.request_id && <p class="quiet">Request {failure.request_id}</p>}
    </section>
  );
}

/** Says above older data that it could not be read again. */
export function StaleBanner({
  failure,
  readAt,
  retryIn,
  retry,
}: Omit<FailureProps, 'children'> & { readonly readAt: number }): JSX.Element {
  const time = new Date(readAt).toLocaleTimeString('en-GB');
  return (
    <p class="stale" role="status">
      <Icon name="warning" />
      <span>
        <b>{wordsFor(failure)[0]}.</b> You see what was read at {time}.{retryIn > 0 && ` Next attempt in ${retryIn} s.`}
      </span>
      <button type="button" class="button small" onClick={retry}>
        Try again now
      </button>
    </p>
  );
}

function wordsFor(failure: Failure): readonly [title: string, text: string] {
  const { code, message, window, unsupported_metrics } = failure;
  switch (code) {
    case 'key_refused':
      return [
        'The network refused the key',
        'It is unknown, revoked, expired, or for another environment. Stop the console, and start it with a valid key: a secret management key, or with --variant publisher a publisher reporting key.',
      ];
    case 'rate_limited':
      return ['Too many requests', 'The network asks to wait. The console tries again by itself.'];
    case 'too_large':
      return [
        'This report is too large',
        'Reports of the network have up to 10,000 rows. Use longer periods, fewer breakdowns, or fewer dates.',
      ];
    case 'outside_history':
      return [
        'These dates are outside the history',
        window
          ? `The network has data for ${rangeOf(window)}.`
          : 'The network has no data that old. Choose later dates.',
      ];
    case 'metric_not_available':
      return [
        'A metric is not enabled for this key',
        unsupported_metrics?.length ? `Not available: ${unsupported_metrics.join(', ')}.` : message,
      ];
    case 'no_data':
      return ['There is no reporting data yet', 'It begins with the first activity of a publisher.'];
    case 'changed':
      return ['The data changed while it was read', 'The console reads it again.'];
    case 'unreachable':
      return ['The network can’t be reached', message];
    case 'not_found':
      return ['Not found', 'The channel has nothing with this id.'];
    case 'invalid':
      return ['The network refused the request', message];
    case 'file':
      return ['A file needs a correction', message];
    case 'failed':
      return ['Something went wrong', message];
  }
}

interface PendingProps {
  readonly resource: Pick<Resource<unknown>, 'failure' | 'retryIn' | 'reload'>;
  readonly label?: string;
}

/** In place of data that has not arrived: why it failed, or that it is loading. */
export function Pending({ resource, label = 'Loading …' }: PendingProps): JSX.Element {
  const { failure, retryIn, reload } = resource;
  if (failure) return <FailurePanel failure={failure} retryIn={retryIn} retry={reload} />;
  return (
    <p class="starting" role="status">
      {label}
    </p>
  );
}

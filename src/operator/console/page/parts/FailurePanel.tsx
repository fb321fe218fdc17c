import type { ComponentChildren, JSX } from 'preact';
import type { Resource } from '../app/useResource.ts';
import { Button } from './controls.tsx';
import { Icon } from './icons.tsx';
import { FAILURES, type Failure, type FailureKind } from '../../../failures.ts';

interface FailureProps {
  readonly failure: Failure;
  readonly resource: Pick<Resource<unknown>, 'retryIn' | 'reload'>;
  /** Buttons that would help, such as a coarser grain. */
  readonly children?: ComponentChildren;
}

/** Failures that trying again may end. */
const PASSING: readonly FailureKind[] = ['failed', 'file', 'key_refused', 'no_data'];

/** Says what went wrong and what to do, instead of the data. */
export function FailurePanel({ failure, resource: { retryIn, reload }, children }: FailureProps): JSX.Element {
  return (
    <section class="failure" role="alert">
      <Icon name="warning" />
      <h2>{FAILURES[failure.kind].title}</h2>
      <p>{FAILURES[failure.kind].page?.(failure) ?? failure.message}</p>
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
        {(retryIn > 0 || PASSING.includes(failure.kind)) && <Button onClick={reload}>Try again now</Button>}
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
        <b>{FAILURES[failure.kind].title}.</b> You see what was read at {time}.
        {retryIn > 0 && ` Next attempt in ${retryIn} s.`}
      </span>
      <Button kind="small" onClick={reload}>
        Try again now
      </Button>
    </p>
  );
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

import type { ComponentChildren, JSX } from 'preact';
import { mayPass, type Resource } from '../app/useResource.ts';
import { Button } from './controls.tsx';
import { Icon } from './icons.tsx';
import { FAILURES, type Failure } from '../../../failures.ts';

interface FailureProps {
  readonly failure: Failure;
  readonly resource: Pick<Resource<unknown>, 'retryIn' | 'failingSince' | 'reload'>;
  /** Buttons that would help, such as a coarser grain. */
  readonly children?: ComponentChildren;
}

/** Says what went wrong and what to do, instead of the data. */
export function FailurePanel({
  failure,
  resource: { retryIn, failingSince, reload },
  children,
}: FailureProps): JSX.Element {
  const text = FAILURES[failure.kind].page?.(failure) ?? failure.message;
  const request = failure.request_id && `Request ${failure.request_id}`;
  const details = [text !== failure.message && failure.message, request].filter(Boolean);
  return (
    <section class="failure" role="alert">
      <Icon name="warning" />
      <h2>{FAILURES[failure.kind].title}</h2>
      <p>{text}</p>
      <p class="row actions">
        {children}
        {mayPass(failure) && <Button onClick={reload}>Try again now</Button>}
      </p>
      {mayPass(failure) && (
        <p class="quiet">
          Since {timeOf(failingSince)}.{retryIn > 0 && ` Next attempt in ${retryIn} s.`}
        </p>
      )}
      {details.map((detail) => (
        <p key={detail} class="foot-note quiet">
          {detail}
        </p>
      ))}
    </section>
  );
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB');
}

interface StaleProps {
  readonly resource: Resource<unknown>;
  /** What is shown instead; by default, what was read before. */
  readonly shown?: string;
}

/** Says above older data that it could not be read again. */
export function StaleBanner({ resource, shown }: StaleProps): JSX.Element | null {
  const { data, failure, readAt, retryIn, reload } = resource;
  if (!failure || (data === undefined && shown === undefined)) return null;
  return (
    <p class="stale" role="status">
      <Icon name="warning" />
      <span>
        <b>{FAILURES[failure.kind].title}.</b> {shown ?? `You see what was read at ${timeOf(readAt)}.`}
        {retryIn > 0 && ` Next attempt in ${retryIn} s.`}
      </span>
      <Button kind="small" onClick={reload}>
        Try again now
      </Button>
    </p>
  );
}

interface PendingProps {
  readonly resource: Resource<unknown>;
  readonly label?: string;
  /** The lines of each card that will be there; by default, those of one table. */
  readonly cards?: readonly number[];
  /** The class of what will be there, where its cards do not stand below each other. */
  readonly shape?: string;
  /** What is there instead of cards. */
  readonly children?: ComponentChildren;
}

/** In place of data that has not arrived: why it failed, or the outline of the page while it loads. */
export function Pending({
  resource,
  label = 'Loading …',
  cards = [10],
  shape = '',
  children,
}: PendingProps): JSX.Element {
  if (resource.failure) return <FailurePanel failure={resource.failure} resource={resource} />;
  return (
    <div class={`outline ${shape}`} role="status" aria-label={label}>
      {children ?? <CardOutlines cards={cards} />}
    </div>
  );
}

/** The outlines of cards of so many lines. */
export function CardOutlines({ cards }: { readonly cards: readonly number[] }): JSX.Element {
  return (
    <>
      {cards.map((lines, card) => (
        <section key={card} class="card pad">
          {Array.from({ length: lines }, (_, line) => (
            <i key={line} class="bone" />
          ))}
        </section>
      ))}
    </>
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

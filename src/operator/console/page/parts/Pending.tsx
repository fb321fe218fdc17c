import type { JSX } from 'preact';
import type { Resource } from '../app/useResource.ts';
import { FailurePanel } from './FailurePanel.tsx';

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

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../app/call.ts';
import { Link, useTitle } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import { Pending } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import type { ConsoleCategories } from '../../protocol.ts';
import { AddCsv } from './AddCsv.tsx';
import { AddForm } from './AddForm.tsx';

/** Adds publishers: one with a form, or many from CSV with a preview. */
export function AddPage(): JSX.Element {
  useTitle('Add publishers');
  const [isCsv, setCsv] = useState(false);
  const resource = useResource({
    key: 'categories',
    load: (signal) => call<ConsoleCategories>('categories', { signal }),
  });
  const { data } = resource;
  return (
    <>
      <p class="crumb">
        <Link to="publishers">
          <Icon name="back" /> Publishers
        </Link>
      </p>
      <header class="page-head">
        <h1 tabindex={-1}>Add publishers</h1>
        <fieldset class="segments">
          <legend class="hidden">How</legend>
          {[false, true].map((value) => (
            <label key={String(value)}>
              <input type="radio" name="how" checked={isCsv === value} onChange={() => setCsv(value)} />
              <span>{value ? 'Many from CSV' : 'One'}</span>
            </label>
          ))}
        </fieldset>
      </header>
      <p class="lead quiet">The network’s staff look at each request and approve it; until then it is pending.</p>
      {data ? (
        isCsv ? (
          <AddCsv categories={data.categories} />
        ) : (
          <AddForm categories={data.categories} />
        )
      ) : (
        <Pending resource={resource} />
      )}
    </>
  );
}

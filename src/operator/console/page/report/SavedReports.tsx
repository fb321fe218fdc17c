import type { JSX } from 'preact';
import { call } from '../app/call.ts';
import { Link } from '../app/router.tsx';
import { useResource } from '../app/useResource.ts';
import type { ConsoleSavedReport } from '../../protocol.ts';
import { PERIODS } from '../../../reports/period.ts';

/** The saved reports of the console's file, as links. */
export function SavedReports(): JSX.Element | null {
  const { data, failure } = useResource({
    key: 'saved-reports',
    load: (signal) => call<readonly ConsoleSavedReport[]>('saved-reports', { signal }),
  });
  if (failure && !data) return <p class="stale">The saved reports can’t be read: {failure.message}</p>;
  if (!data || data.length === 0) return null;
  return (
    <nav class="saved" aria-label="Saved reports">
      <span class="quiet">Saved</span>
      {data.map((report) => (
        <Link key={report.name} to={`?${savedQuery(report)}`} class="button small">
          {report.title}
        </Link>
      ))}
    </nav>
  );
}

/** The query of the page that shows a saved report. */
export function savedQuery(report: ConsoleSavedReport): string {
  const params = new URLSearchParams();
  const put = (name: string, values: readonly string[]): void => {
    if (values.length > 0) params.set(name, values.join());
  };
  const days = /^(\d+)d/.exec(report.period ?? '')?.[1];
  const wanted = days === undefined ? report.period?.replaceAll('-', '_') : `last_${days}_days`;
  const name = PERIODS.find((one) => one === wanted);
  if (name) params.set('period', name);
  else if (report.dates) {
    params.set('from', report.dates.from);
    params.set('to', report.dates.to);
  } else params.set('period', 'last_7_days');
  params.set('grain', report.grain);
  put('by', report.by);
  put('metrics', report.metrics ?? []);
  put('publisher', report.publisher_ids);
  put('page_type', report.page_types);
  put('widget_type', report.widget_types);
  params.set('compare', report.compare);
  if (report.sort !== '') params.set('sort', report.sort);
  return params.toString();
}

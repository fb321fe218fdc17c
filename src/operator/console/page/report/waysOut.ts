import type { Failure } from '../../protocol.ts';
import { labelOf } from '../parts/format.ts';
import type { ReportState } from './reportState.ts';

/** A change of the report that the network would accept. */
export interface WayOut {
  readonly label: string;
  readonly changes: Partial<ReportState>;
}

/** Returns what to change after a failure. */
export function waysOut(failure: Failure, state: ReportState): readonly WayOut[] {
  if (failure.code === 'too_large') {
    const ways: WayOut[] = [];
    if (state.grain === 'hour') ways.push({ label: 'Show days', changes: { grain: 'day' } });
    if (state.grain === 'day') ways.push({ label: 'Show weeks', changes: { grain: 'week' } });
    if (state.grain !== 'total') ways.push({ label: 'Show totals only', changes: { grain: 'total' } });
    const last = state.by.at(-1);
    if (last !== undefined)
      ways.push({ label: `Without ${labelOf(last).toLowerCase()}`, changes: { by: state.by.slice(0, -1) } });
    return ways;
  }
  if (failure.code === 'outside_history')
    return failure.window
      ? [{ label: 'Show what is available', changes: { period: 'custom', ...failure.window } }]
      : [{ label: 'Show the last 28 days', changes: { period: 'last_28_days' } }];
  if (failure.code !== 'metric_not_available') return [];
  const missing = failure.unsupported_metrics ?? [];
  const metrics = state.metrics.filter((name) => !missing.includes(name));
  return metrics.length > 0 && metrics.length < state.metrics.length
    ? [{ label: `Without ${missing.map(labelOf).join(', ')}`, changes: { metrics } }]
    : [];
}

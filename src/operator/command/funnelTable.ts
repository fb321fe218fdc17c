import type { Printable, Table } from '../../program/print.ts';
import { safeText } from '../../program/terminal.ts';
import { isMoney, labelOf, valueText } from '../reports/format.ts';
import { funnelOf, type FunnelStep } from '../reports/funnel.ts';
import type { PrintedReport } from './reportTable.ts';

/** Returns a report as a funnel: each step with its share of the one before, and of the first. */
export function funnelTable(report: PrintedReport): Table {
  const steps = stepsOf(report);
  const [first] = steps;
  const { currency } = report;
  return {
    columns: [
      { header: 'STEP' },
      { header: 'VALUE', isNumber: true },
      { header: 'OF THE STEP BEFORE', isNumber: true },
      { header: `OF ${labelOf(first?.metric ?? '').toUpperCase()}`, isNumber: true },
    ],
    rows: steps.map(({ metric, value, ofBefore, ofFirst, each }) => [
      currency !== null && isMoney(metric) ? `${labelOf(metric)} (${safeText(currency)})` : labelOf(metric),
      { text: valueText(metric, value), tone: 'strong' },
      each === null ? share(ofBefore) : `${valueText(metric, each)} each`,
      share(ofFirst),
    ]),
  };
}

/** The same for programs. */
export function funnelPrintable(report: PrintedReport): Omit<Printable, 'table'> {
  const { query, dates, currency, meta } = report;
  const data = stepsOf(report).map(({ metric, value, ofBefore, ofFirst, each }) => ({
    step: metric,
    value,
    of_step_before: ofBefore,
    of_first_step: ofFirst,
    each,
  }));
  return {
    json: { variant: query.variant, ...dates, ...(currency !== null && { currency }), data, meta },
    csv: { rows: data, columns: ['step', 'value', 'of_step_before', 'of_first_step', 'each'] },
  };
}

function stepsOf({ query, totals }: PrintedReport): readonly FunnelStep[] {
  return funnelOf(query.variant, totals);
}

function share(part: number | null): string {
  return part === null ? '' : `${(part * 100).toFixed(2)}%`;
}

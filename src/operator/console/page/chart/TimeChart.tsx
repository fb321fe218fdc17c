import type { JSX, RefObject } from 'preact';
import { useRef, useState, useLayoutEffect } from 'preact/hooks';
import { useLabels } from '../app/router.tsx';
import { Table } from '../parts/layout.tsx';
import type { ChartData } from '../../../reports/series.ts';
import { shortValue, periodText, tickText, valueText } from '../../../reports/format.ts';
import { kindOf, type TimeGrain } from '../../../../wire/reporting.ts';

const HEIGHT = 272;
const TOP = 12;
const BOTTOM = 28;
const START = 52;
const END = 12;
/** Pixels a label of the time axis needs. */
const LABEL = 84;

/** Pixels from which the values have room beside the cursor. */
const WIDE = 640;

/** What a chart shows. */
export interface TimeChartProps {
  readonly data: ChartData;
  readonly metric: string;
  readonly grain: TimeGrain;
}

/**
 * Lines over time as SVG. A pointer or the arrow keys choose a period, whose exact values are shown with their date. The same
 * values are in a table for screen readers.
 */
export function TimeChart({ data, metric, grain }: TimeChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [chosen, setChosen] = useState<number>();
  const label = useLabels()(metric);
  const { starts, series, before } = data;
  const last = starts.length - 1;
  const index = chosen === undefined ? undefined : Math.min(chosen, last);
  const values = [...series.flatMap((line) => line.values), ...(before ?? [])];
  const ticks = ticksOf(Math.max(0, ...values.map((value) => value ?? 0)), kindOf(metric) === 'count');
  const top = ticks.at(-1) ?? 1;
  const scale: Scale = {
    x: (at) => START + (last === 0 ? (width - START - END) / 2 : (at / last) * (width - START - END)),
    y: (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM),
  };
  const choose = (x: number): void => {
    const share = (x - START) / Math.max(1, width - START - END);
    setChosen(Math.max(0, Math.min(last, Math.round(share * last))));
  };
  const says = (at: number): string =>
    [
      `${periodText(starts[at] ?? 0, grain)} UTC${at === data.open ? ', not over yet' : ''}`,
      ...series.map(({ name, values: line }) => `${name || label} ${shown(metric, line[at])}`),
      ...(before ? [`compared ${shown(metric, before[at])}`] : []),
    ].join(': ');

  return (
    <div class="time-chart" ref={box}>
      <div
        class="plot"
        role="slider"
        tabindex={0}
        aria-label={`${label} over time. Arrow keys read the values.`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index ?? 0}
        aria-valuetext={says(index ?? 0)}
        onPointerMove={(event) => choose(event.clientX - event.currentTarget.getBoundingClientRect().left)}
        onPointerLeave={(event) => event.pointerType === 'mouse' && setChosen(undefined)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setChosen(index ?? last)}
        onBlur={() => setChosen(undefined)}
        onKeyDown={(event) => {
          const next = nextIndex(event.key, index ?? last, last);
          if (next === undefined) return;
          event.preventDefault();
          setChosen(next);
        }}
      >
        {width > 0 && (
          <svg width={width} height={HEIGHT} aria-hidden="true">
            {ticks.map((tick) => (
              <g key={tick}>
                <line
                  class={tick === 0 ? 'axis' : 'grid'}
                  x1={START}
                  x2={width - END}
                  y1={scale.y(tick)}
                  y2={scale.y(tick)}
                />
                <text class="tick" x={START - 10} y={scale.y(tick) + 4} text-anchor="end">
                  {shortValue(metric, tick)}
                </text>
              </g>
            ))}
            {tickIndexes(last, width).map((at) => (
              <text
                key={at}
                class="tick"
                x={scale.x(at)}
                y={HEIGHT - 6}
                text-anchor={at === 0 && last > 0 ? 'start' : at === last && last > 0 ? 'end' : 'middle'}
              >
                {tickText(starts[at] ?? 0, grain)}
              </text>
            ))}
            {before && <path class="before" d={linePath(before, scale)} />}
            {series.length === 1 && <path class="area" d={areaPath(series[0]?.values ?? [], scale)} />}
            {series.map((line, number) => (
              <Line key={number} values={line.values} number={number} open={data.open} scale={scale} />
            ))}
            {index !== undefined && (
              <>
                <line class="cursor" x1={scale.x(index)} x2={scale.x(index)} y1={TOP} y2={HEIGHT - BOTTOM} />
                {series.map(({ values: line }, number) => {
                  const value = line[index];
                  return typeof value === 'number' ? (
                    <circle
                      key={number}
                      class="dot"
                      style={colourOf(number)}
                      cx={scale.x(index)}
                      cy={scale.y(value)}
                      r={4.5}
                    />
                  ) : null;
                })}
              </>
            )}
          </svg>
        )}
        {index !== undefined && (
          <Tooltip data={data} metric={metric} grain={grain} index={index} x={scale.x(index)} width={width} />
        )}
      </div>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name }, number) => (
            <li key={number} style={colourOf(number)}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <HiddenTable data={data} metric={metric} grain={grain} />
    </div>
  );
}

interface LineProps {
  readonly values: readonly (number | null)[];
  readonly number: number;
  readonly open: number;
  readonly scale: Scale;
}

/** One line. Its way to a period that is not over yet is dashed: the value will still grow. */
function Line({ values, number, open, scale }: LineProps): JSX.Element {
  const isOpen = open > 0;
  const solid = isOpen ? values.map((value, index) => (index < open ? value : null)) : values;
  const dashed = isOpen ? values.map((value, index) => (index === open || index === open - 1 ? value : null)) : [];
  const points = values.filter((value) => value !== null).length;
  return (
    <g style={colourOf(number)}>
      <path class="line" d={linePath(solid, scale)} />
      {isOpen && <path class="line open" d={linePath(dashed, scale)} />}
      {points <= 1 &&
        values.map((value, index) =>
          value === null ? null : <circle class="dot" cx={scale.x(index)} cy={scale.y(value)} r={4} />,
        )}
    </g>
  );
}

interface TooltipProps extends TimeChartProps {
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

function Tooltip({ data, metric, grain, index, x, width }: TooltipProps): JSX.Element {
  const label = useLabels()(metric);
  const { starts, series, before, beforeStarts, open } = data;
  const beforeStart = beforeStarts[index];
  const isLate = x > width / 2;
  // Beside the cursor where there is room, else at the other edge of the chart.
  const isWide = width >= WIDE;
  return (
    <div
      class={`tooltip ${isWide ? (isLate ? 'left' : 'right') : ''}`}
      style={isWide ? { insetInlineStart: `${x}px` } : isLate ? { insetInlineStart: '0' } : { insetInlineEnd: '0' }}
    >
      <p>
        {periodText(starts[index] ?? 0, grain)} <small>UTC{index === open ? ' · not over yet' : ''}</small>
      </p>
      <dl>
        {series.map(({ name, values }, number) => (
          <div key={number} style={colourOf(number)}>
            <dt>{name || label}</dt>
            <dd>{shown(metric, values[index])}</dd>
          </div>
        ))}
        {before && beforeStart !== undefined && (
          <div class="was">
            <dt>{periodText(beforeStart, grain)}</dt>
            <dd>{shown(metric, before[index])}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

function HiddenTable({ data, metric, grain }: TimeChartProps): JSX.Element {
  const label = useLabels()(metric);
  const { starts, series, before } = data;
  return (
    <div class="hidden">
      <Table
        caption={`${label} over time, in UTC`}
        columns={['Period', ...series.map(({ name }) => name || label), ...(before ? ['Compared'] : [])]}
      >
        {starts.map((start, index) => (
          <tr key={start}>
            <th scope="row">{periodText(start, grain)}</th>
            {series.map(({ values }) => (
              <td>{shown(metric, values[index])}</td>
            ))}
            {before && <td>{shown(metric, before[index])}</td>}
          </tr>
        ))}
      </Table>
    </div>
  );
}

function shown(metric: string, value: number | null | undefined): string {
  return typeof value === 'number' ? valueText(metric, value) : 'no data yet';
}

/** The style of what belongs to a line. */
function colourOf(number: number): string {
  return `--of: var(--s${number})`;
}

/** The periods that have a label: both ends, and as many between as fit. */
function tickIndexes(last: number, width: number): number[] {
  const count = Math.max(1, Math.min(last, Math.floor((width - START - END) / LABEL)));
  const step = Math.max(1, Math.ceil(last / count));
  const indexes: number[] = [];
  // The last one is always named; the one before it leaves room for both.
  const room = Math.max(step * 0.75, (last * LABEL) / Math.max(1, width - START - END));
  for (let index = 0; index <= last - room; index += step) indexes.push(index);
  return [...indexes, last];
}

function nextIndex(key: string, index: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageUp: 7,
    PageDown: -7,
  };
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(last, index + step));
}

/** Where values are drawn. */
export interface Scale {
  x(index: number): number;
  y(value: number): number;
}

/** Returns the SVG path through the values; gaps where a value is missing. */
export function linePath(values: readonly (number | null)[], { x, y }: Scale): string {
  let path = '';
  let isDown = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${isDown ? 'L' : 'M'}${round(x(index))} ${round(y(value))}`;
    isDown = value !== null;
  }
  return path;
}

/** Returns the path of the area below the values. */
function areaPath(values: readonly (number | null)[], scale: Scale): string {
  const last = values.findLastIndex((value) => value !== null);
  const line = linePath(values, scale);
  if (last < 1 || line === '') return '';
  const floor = round(scale.y(0));
  return `${line}L${round(scale.x(last))} ${floor}L${round(scale.x(values.findIndex((value) => value !== null)))} ${floor}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Returns the width of an element, and renders again when it changes. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Returns round values for the axis, from 0 to at least the highest value. */
export function ticksOf(highest: number, isWhole: boolean, count = 4): readonly number[] {
  if (!(highest > 0)) return isWhole ? [0, 1] : [0, 0.01];
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough - 1e-12) ?? 10 * power;
  const size = isWhole ? Math.max(1, Math.ceil(step)) : step;
  return Array.from({ length: Math.ceil(highest / size - 1e-9) + 1 }, (_, index) => index * size);
}

/** What a trace of one page says. Milliseconds are time on the processor: what else the machine does meanwhile doesn't count. */
export interface TraceFigures {
  /** The longest task from the script's start until it was measured. */
  longest: number;
  /** The listeners of the click, and the styles, layouts and painting until the browser has the next frame. */
  click: number;
}

/** The work of the page; what is around it is the browser's own. */
const WORK = new Set([
  'EvaluateScript',
  'v8.compile',
  'FunctionCall',
  'TimerFire',
  'FireAnimationFrame',
  'FireIdleCallback',
  'EventDispatch',
  'RunMicrotasks',
  'UpdateLayoutTree',
  'ParseAuthorStyleSheet',
  'Layout',
  'PrePaint',
  'Paint',
  'Layerize',
  'Commit',
]);

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  /** Time on the processor. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly data?: { readonly url?: string; readonly type?: string } };
}

/** Reads the trace of a page with the mark `measured`, which is clicked after it. */
export function readTrace(trace: string): TraceFigures {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const start = traceEvents.find(
    ({ name, args }) => name === 'EvaluateScript' && args?.data?.url?.endsWith('/script.js'),
  );
  if (!start) throw new Error('the trace lacks the script');
  const main = traceEvents
    .filter(({ pid, tid, ph }) => pid === start.pid && tid === start.tid && ph === 'X')
    .toSorted((a, b) => a.ts - b.ts);
  const measured = traceEvents.find(({ name, pid }) => name === 'measured' && pid === start.pid)?.ts ?? Infinity;
  const tasks = main.filter((event) => event.name === 'RunTask' && endOf(event) >= start.ts && event.ts <= measured);
  const click = main.find(
    ({ name, args, ts }) => name === 'EventDispatch' && args?.data?.type === 'click' && ts > measured,
  );
  return { longest: Math.max(...tasks.map(cpu)), click: click ? workOf(main, click) : 0 };
}

/** Adds up the work from an event until the next frame. What one piece of work contains is part of it. */
function workOf(main: readonly TraceEvent[], from: TraceEvent): number {
  const frame = main.find(({ name, ts }) => name === 'Commit' && ts > from.ts)?.ts ?? 0;
  let sum = 0;
  let end = from.ts;
  for (const event of main) {
    if (!WORK.has(event.name) || event.ts < end || event.ts > frame) continue;
    sum += cpu(event);
    end = endOf(event);
  }
  return sum;
}

function endOf({ ts, dur = 0 }: TraceEvent): number {
  return ts + dur;
}

function cpu({ dur = 0, tdur = dur }: TraceEvent): number {
  return tdur / 1_000;
}

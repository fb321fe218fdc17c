/** What a trace of one page says. Milliseconds are time on the processor: what else the machine does meanwhile doesn't count. */
export interface TraceFigures {
  /** The longest task from the script's start until it was measured. */
  longest: number;
  /** The work of the listeners of the click, with the styles and layouts that they need at once. 0 without a click. */
  click: number;
  /** The same without styles and layouts. */
  clickScript: number;
  /** The listeners, and the styles, layouts and painting until the browser has the next frame. */
  clickPaint: number;
  /** Where the main thread's time goes from the script's start to the paint. */
  shares: Record<Share, number>;
}

/** The parts of the main thread's time. */
export const SHARES = ['start', 'script', 'style', 'layout', 'paint', 'other'] as const;
export type Share = (typeof SHARES)[number];

const SHARE_OF: Readonly<Record<string, Share>> = {
  EvaluateScript: 'start',
  'v8.compile': 'start',
  FunctionCall: 'script',
  TimerFire: 'script',
  FireAnimationFrame: 'script',
  FireIdleCallback: 'script',
  EventDispatch: 'script',
  RunMicrotasks: 'script',
  UpdateLayoutTree: 'style',
  ParseAuthorStyleSheet: 'style',
  Layout: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'paint',
  Commit: 'paint',
};

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

/** Reads the trace of a page with the marks `painted` and `measured`. */
export function readTrace(trace: string): TraceFigures {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const start = traceEvents.find(
    ({ name, args }) => name === 'EvaluateScript' && args?.data?.url?.endsWith('/script.js'),
  );
  if (!start) throw new Error('the trace lacks the script');
  const main = traceEvents.filter(({ pid, tid, ph }) => pid === start.pid && tid === start.tid && ph === 'X');
  const markAt = (mark: string): number =>
    traceEvents.find(({ name, pid }) => name === mark && pid === start.pid)?.ts ?? Infinity;
  const within = (end: number): TraceEvent[] =>
    main.filter(({ ts, dur = 0 }) => ts + dur >= start.ts && ts <= end).toSorted((a, b) => a.ts - b.ts);
  const [painted, measured] = [markAt('painted'), markAt('measured')];
  const clicks = main.filter(
    ({ name, args, ts }) => name === 'EventDispatch' && args?.data?.type === 'click' && ts > measured,
  );
  const browserWork = (from: number, to: number): number =>
    main
      .filter(({ name, ts }) => (name === 'UpdateLayoutTree' || name === 'Layout') && ts >= from && ts <= to)
      .reduce((sum, event) => sum + cpu(event), 0);
  return {
    longest: Math.max(...within(measured).filter(isTask).map(cpu)),
    click: clicks.reduce((sum, event) => sum + cpu(event), 0),
    clickScript: clicks.reduce(
      (sum, { ts, dur = 0, ...click }) => sum + cpu({ ...click, ts, dur }) - browserWork(ts, ts + dur),
      0,
    ),
    clickPaint: clickPaint(),
    shares: sharesOf(within(painted)),
  };

  function clickPaint(): number {
    const from = clicks[0]?.ts ?? Infinity;
    const to = main.find(({ name, ts }) => name === 'Commit' && ts > from)?.ts ?? 0;
    const shares = sharesOf(
      main.filter((event) => event.ts <= to && endOf(event) > from).toSorted((a, b) => a.ts - b.ts),
    );
    return SHARES.reduce((sum, share) => sum + (share === 'other' ? 0 : shares[share]), 0);
  }
}

/** Adds up the time of each event without that of the events inside it. */
function sharesOf(events: readonly TraceEvent[]): Record<Share, number> {
  const shares = Object.fromEntries(SHARES.map((share) => [share, 0])) as Record<Share, number>;
  const open: { event: TraceEvent; share: Share }[] = [];
  for (const event of events) {
    while (endOf(open.at(-1)?.event) <= event.ts) open.pop();
    const outer = open.at(-1);
    // Work without a name belongs to the work around it.
    const share = SHARE_OF[event.name] ?? outer?.share;
    if (!outer && !isTask(event)) continue;
    shares[share ?? 'other'] += cpu(event);
    if (outer) shares[outer.share] -= cpu(event);
    open.push({ event, share: share ?? 'other' });
  }
  return shares;
}

function endOf(event: TraceEvent | undefined): number {
  return event ? event.ts + (event.dur ?? 0) : Infinity;
}

function isTask({ name }: TraceEvent): boolean {
  return name === 'RunTask';
}

function cpu({ dur = 0, tdur = dur }: TraceEvent): number {
  return tdur / 1_000;
}

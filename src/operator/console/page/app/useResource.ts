import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Failure, FailureKind } from '../../../failures.ts';
import { call, failureOf } from './call.ts';

/** Something that is read from the network. Data stays on screen while it is read again, and when that fails. */
export interface Resource<Data> {
  readonly data: Data | undefined;
  /** Whether `data` was read for what is shown now: older data stays while that loads. */
  readonly isCurrent: boolean;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** When `data` was read. */
  readonly readAt: number;
  /** When reading it began to fail; 0 while it does not. */
  readonly failingSince: number;
  /** Seconds until the next attempt; 0 if none is planned. */
  readonly retryIn: number;
  reload(): void;
}

/** Options of `useResource`. */
export interface ResourceOptions<Data> {
  /** What is read; a change reads again. Undefined reads nothing. */
  readonly key: string | undefined;
  load(signal: AbortSignal): Promise<Data>;
  /** Milliseconds after which it is read again while the page is visible; 0 for never. */
  readonly refresh?: number;
  /** Whether the data is still the same. Without it, a refresh reads everything again. */
  isSame?(data: Data, signal: AbortSignal): Promise<boolean>;
}

/** Seconds to wait before the first attempts after a failure that may pass, and before all later ones. */
const WAITS = [3, 6, 15, 30];
const LONG_WAIT = 60;
/** Failures that only another request ends. Everything else may pass: a refresh never ends for good. */
const LASTING: readonly FailureKind[] = [
  'too_large',
  'outside_history',
  'metric_not_available',
  'invalid',
  'not_found',
  'conflict',
];
/** Whether waiting may end a failure. */
export function mayPass({ kind }: Failure): boolean {
  return !LASTING.includes(kind);
}

/** Milliseconds before a read that replaces an unfinished one: an arrow key passes many choices. */
const PAUSE_MS = 250;

/** Reads something, again when its key changes, and after failures that may pass. */
export function useResource<Data>(options: ResourceOptions<Data>): Resource<Data> {
  const { key, refresh = 0 } = options;
  const latest = useRef(options);
  latest.current = options;
  const [state, setState] = useState<ReadState<Data>>(EMPTY);
  const [attempt, setAttempt] = useState(0);
  const [retryIn, setRetryIn] = useState(0);
  const failures = useRef(0);
  const isHasty = useRef(false);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);

  useEffect(() => {
    if (key === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    setRetryIn(0);
    setState((before) => ({ ...before, isLoading: true }));
    const pause = isHasty.current ? PAUSE_MS : 0;
    isHasty.current = true;
    new Promise((resolve) => (pause > 0 ? setTimeout(resolve, pause) : resolve(undefined)))
      .then(() => {
        signal.throwIfAborted();
        return latest.current.load(signal);
      })
      .then(
        (data) => {
          if (signal.aborted) return;
          failures.current = 0;
          setState({ data, dataKey: key, failure: undefined, isLoading: false, readAt: Date.now(), failingSince: 0 });
        },
        (error: unknown) => {
          if (signal.aborted) return;
          const failure = failureOf(error);
          setState((before) => ({
            ...before,
            failure,
            isLoading: false,
            failingSince: before.failingSince || Date.now(),
          }));
          setRetryIn(waitAfter(failure, failures.current++));
        },
      )
      .finally(() => {
        if (!signal.aborted) isHasty.current = false;
      });
    return () => controller.abort();
  }, [key, attempt]);

  useEffect(() => {
    if (retryIn <= 0) return undefined;
    const timer = setTimeout(() => (retryIn === 1 ? reload() : setRetryIn(retryIn - 1)), 1_000);
    return () => clearTimeout(timer);
  }, [retryIn]);

  useEffect(() => {
    if (refresh <= 0 || key === undefined || state.dataKey !== key || state.failure) return undefined;
    const controller = new AbortController();
    const look = async (): Promise<void> => {
      const { data } = state;
      if (document.hidden || data === undefined) return;
      // A failed check is reported by the read that it causes.
      const isSame = await (latest.current.isSame?.(data, controller.signal) ?? Promise.resolve(false)).catch(
        () => false,
      );
      if (!controller.signal.aborted && !isSame) reload();
      else if (!controller.signal.aborted) timer = setTimeout(() => void look(), refresh);
    };
    let timer = setTimeout(() => void look(), refresh);
    const wake = (): void => {
      clearTimeout(timer);
      if (!document.hidden) void look();
    };
    document.addEventListener('visibilitychange', wake);
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
    };
  }, [refresh, key, state]);

  return { ...state, isCurrent: state.data !== undefined && state.dataKey === key, retryIn, reload };
}

/** Reads what a call of the console's process returns, and again every `refresh` milliseconds. */
export function useCall<Data>(path: string, refresh = 0): Resource<Data> {
  return useResource({ key: path, load: (signal) => call<Data>(path, { signal }), refresh });
}

type ReadState<Data> = Pick<Resource<Data>, 'data' | 'failure' | 'isLoading' | 'readAt' | 'failingSince'> & {
  /** What `data` was read for. */
  readonly dataKey: string | undefined;
};
const EMPTY = { data: undefined, dataKey: undefined, failure: undefined, isLoading: true, readAt: 0, failingSince: 0 };

/** Seconds to wait after a failure; 0 when trying again would not help. */
function waitAfter(failure: Failure, failures: number): number {
  if (failure.kind === 'rate_limited') return Math.max(1, Math.min(300, failure.retry_after ?? 0));
  return mayPass(failure) ? (WAITS[failures] ?? LONG_WAIT) : 0;
}

/** Something that the reader starts, such as saving. */
export interface Work {
  readonly isBusy: boolean;
  /** Why it failed last. */
  readonly failure: Failure | undefined;
  /** Does it. Resolves to whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  /** Forgets the last failure. */
  forget(): void;
}

/** Keeps whether something is under way that the reader started, and why it failed. */
export function useWork(): Work {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  return {
    isBusy,
    failure,
    async run(work) {
      setBusy(true);
      setFailure(undefined);
      const error = await work().then(
        () => undefined,
        (reason: unknown) => failureOf(reason),
      );
      setFailure(error);
      setBusy(false);
      return error === undefined;
    },
    forget: () => setFailure(undefined),
  };
}

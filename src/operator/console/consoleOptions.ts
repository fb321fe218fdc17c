import type { ReportVariant } from '../reports/reportQuery.ts';

/** The options of `createOperatorConsole`. */
export interface ConsoleOptions {
  /** The network's URL. */
  readonly networkUrl: string;
  /**
   * A secret management key, or a publisher's reporting key. It stays in this process. A function is called before each call of
   * the page: return another key once it was rotated.
   */
  readonly apiKey: string | (() => string);
  /** `channel` with a management key (the default), `publisher` with a publisher's reporting key. */
  readonly variant?: ReportVariant | undefined;
  /** The path at which the console is mounted; `/` by default. */
  readonly basePath?: string | undefined;
  /** Milliseconds between two reads of a report that includes today; 60,000 by default. */
  readonly refresh?: number | undefined;
  /** Whether pages of the console's own origin may show it in a frame; false by default. A page that frames it can mislead clicks. */
  readonly allowFrame?: boolean | undefined;
  /** Host names besides this machine's own at which the console may be called, for containers. */
  readonly hosts?: readonly string[] | undefined;
  /** The file with the rules of the page *Watch*; by default those that `watch --init` prints. It is read on each call. */
  readonly rules?: string | undefined;
  /** The label of amounts, such as EUR: the APIs name none. */
  readonly currency?: string | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

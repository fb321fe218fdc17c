import type { ReportVariant } from '../clients/reportQuery.ts';

/** The options of `createOperatorConsole`. */
export interface ConsoleOptions {
  /** The network's URL. */
  readonly network: string;
  /** A secret management key, or a publisher's reporting key. It stays in this process. */
  readonly apiKey: string;
  /** `channel` with a management key (the default), `publisher` with a publisher's reporting key. */
  readonly variant?: ReportVariant | undefined;
  /** The path at which the console is mounted; `/` by default. */
  readonly basePath?: string | undefined;
  /** Milliseconds between two looks at a report that includes today; 60,000 by default. */
  readonly refresh?: number | undefined;
  /** Host names besides this machine's own at which the console may be called, for containers. */
  readonly hosts?: readonly string[] | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

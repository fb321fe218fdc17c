import { readdirSync } from 'node:fs';
import { cp, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import {
  openDedupeFile,
  readLedger,
  type DedupeFile,
  type DedupeFileOptions,
  type LogEntry,
} from '../../../src/relay.ts';

export const ALL = { from: '2000-01-01', to: '2099-12-31' };
export const CELL = '2026-11-23T10 BRAND_CLICK THANK_YOU INLINE below the fold';

export interface Files {
  /** The folder of the test that runs. */
  readonly directory: string;
  /** What its stores have logged. */
  readonly logs: LogEntry[];
  /** The latest segment. */
  log(folder?: string): string;
  open(folder?: string, options?: DedupeFileOptions): Promise<DedupeFile>;
  close(store: DedupeFile): Promise<void>;
  /** What `kill -9` leaves behind: a folder with the files as they are at this moment, the latest cut off at a byte. */
  killed(bytes?: number): Promise<string>;
  countOf(name: string, folder?: string): Promise<number>;
}

/** Gives each test a separate folder in the hour of `CELL`, and closes what it has opened. */
export function useFiles(): Files {
  let directory = '';
  const opened: DedupeFile[] = [];
  const logs: LogEntry[] = [];
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-11-23T10:00:00Z'), toFake: ['Date'] });
    directory = makeFolder();
    logs.length = 0;
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    vi.useRealTimers();
  });
  const log = (folder = directory): string => {
    const numbers = readdirSync(folder).map((name) => Number(/^accepted-events\.(\d+)\.log$/.exec(name)?.[1] ?? 0));
    return join(folder, `accepted-events.${Math.max(...numbers)}.log`);
  };
  return {
    get directory() {
      return directory;
    },
    logs,
    log,
    async open(folder = directory, options = {}) {
      const store = await openDedupeFile(folder, { ...options, onLog: (entry) => void logs.push(entry) });
      opened.push(store);
      return store;
    },
    async close(store) {
      opened.splice(opened.indexOf(store), 1);
      await store.close();
    },
    async killed(bytes) {
      const folder = makeFolder();
      await cp(directory, folder, { recursive: true, filter: (name) => !name.includes('.lock.') });
      if (bytes !== undefined) await truncate(log(folder), bytes);
      return folder;
    },
    async countOf(name, folder = directory) {
      const { rows } = await readLedger(folder, ALL);
      return rows.filter((row) => row.name === name).reduce((sum, { count }) => sum + count, 0);
    },
  };
}

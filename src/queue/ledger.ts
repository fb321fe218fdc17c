// Chromium repairs a damaged store by leaving rows out, without an error. A number outside IndexedDB lets us notice.

/** Remembers, outside IndexedDB, how many rows there were. It may say too few, never too many. */
export function openLedger(name: string): {
  /** Rows are about to go on purpose: what was remembered no longer holds. */
  forget(): void;
  /** How many rows are missing; told once per page, then remembers the count. */
  check(count: number): number;
} {
  let isFirst = true;
  return {
    forget() {
      attempt(() => localStorage.removeItem(name));
    },
    check(count) {
      return (
        attempt(() => {
          const lost = isFirst ? Number(localStorage.getItem(name)) - count : 0;
          isFirst = false;
          if (count) localStorage.setItem(name, String(count));
          else localStorage.removeItem(name);
          return Math.max(0, lost);
        }) ?? 0
      );
    },
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

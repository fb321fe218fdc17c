/**
 * Remembers, outside IndexedDB, how many rows there were: Chromium repairs a damaged store by leaving rows out, without
 * an error. Given the rows that there are, the first call of a page answers how many are missing. Called without, because
 * rows are about to go on purpose, it forgets. It may have remembered too few, never too many.
 */
export function openLedger(name: string): (count?: number) => number {
  let isFirst = true;
  return (count) => {
    let before = 0;
    try {
      if (count && isFirst) before = Number(localStorage.getItem(name));
      if (count) localStorage.setItem(name, String(count));
      else localStorage.removeItem(name);
    } catch {
      // Blocked: then nothing is remembered.
    }
    isFirst = false;
    return before - (count ?? before);
  };
}

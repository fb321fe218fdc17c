/**
 * Remembers, outside IndexedDB, how many rows are `waiting` and how many there have ever been, and returns how many were lost since the last
 * time: Chromium repairs a damaged store by leaving rows out, without an error. `sum` never shrinks, so what a killed browser
 * had not yet remembered is too little, never too much.
 */
export function rememberCount(name: string, waiting: number, sum: number): number {
  try {
    const before = localStorage.getItem(name);
    const after = `${waiting},${sum}`;
    if (!waiting) localStorage.removeItem(name);
    else if (after !== before) localStorage.setItem(name, after);
    const [count = 0, sumBefore = 0] = String(before).split(',').map(Number);
    return Math.min(count, sumBefore - sum);
  } catch {
    // Blocked: then nothing is remembered.
    return 0;
  }
}

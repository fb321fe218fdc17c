/**
 * Remembers, outside IndexedDB, how many rows are `waiting` and how many there have ever been, and returns how many were lost since the last
 * time: Chromium repairs a damaged store by leaving rows out, without an error. `sum` never shrinks, so what a killed browser
 * had not yet remembered is too little, never too much.
 */
export function rememberCount(name: string, waiting: number, sum: number): number {
  try {
    const [count = 0, before = 0] = String(localStorage.getItem(name)).split(',').map(Number);
    if (waiting) localStorage.setItem(name, `${waiting},${sum}`);
    else localStorage.removeItem(name);
    return Math.min(count, before - sum);
  } catch {
    // Blocked: then nothing is remembered.
    return 0;
  }
}

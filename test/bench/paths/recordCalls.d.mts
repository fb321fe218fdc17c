/** A file, and the positions of its functions that ran. */
export interface Called {
  readonly file: string;
  readonly functions: readonly number[];
}
/** Sets `globalThis.recordedCalls`, which each instrumented function notifies before anything else. */
export function startRecording(): void;
/** Returns a module's code in which each function notifies `recordedCalls`. */
export function instrument(code: string, file: string, isProgram?: boolean): string;

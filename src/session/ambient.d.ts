// What session/ and queue/ use besides what exists in a web worker. They work without it.
import type { SyncStorage } from './sessionStorage.ts';

declare global {
  const localStorage: SyncStorage;
}

// What session/ and queue/ use besides what exists in a web worker. They work without it.
import type { SharedStorage } from './orderMemory.ts';

declare global {
  const localStorage: SharedStorage;
}

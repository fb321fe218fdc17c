import { createOperatorConsole } from 'offerlet/console';
import type { Answerer } from './serve.ts';

/** Where the operators' console is mounted, with the channel's own key. */
export const CONSOLE_PATH = '/console';
/** Milliseconds between two looks at a report that is on screen: a click in the shop is seen while one watches. */
const REFRESH_MS = 800;

/** Creates the console of the sandbox's channel. */
export function createSandboxConsole(options: {
  readonly network: string;
  readonly apiKey: string;
  readonly hosts: readonly string[];
}): Answerer {
  return createOperatorConsole({ ...options, basePath: CONSOLE_PATH, refresh: REFRESH_MS });
}

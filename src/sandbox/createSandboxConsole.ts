import { createOperatorConsole } from 'offerlet-operator';
import type { Handler } from './serve.ts';

/** Where the operators' console is mounted, with the channel's own key. */
export const CONSOLE_PATH = '/console';
/** Milliseconds between two reads of the report on screen, so that a click in the shop shows up at once. */
const REFRESH_MS = 800;

/** Creates the console of the sandbox's channel. */
export function createSandboxConsole(options: {
  readonly network: string;
  readonly apiKey: string;
  readonly hosts: readonly string[];
}): Handler {
  return createOperatorConsole({ ...options, basePath: CONSOLE_PATH, refresh: REFRESH_MS });
}

import { expect } from '@playwright/test';

/**
 * Does what `expect.poll` does, and looks ten times a second. That one looks once a second after the first, and most of what is
 * waited for takes about a second: a view, and the batch that reports it.
 */
export function poll<Value>(
  actual: () => Value | Promise<Value>,
  options: { message?: string; timeout?: number } = {},
): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(actual, { intervals: [100], ...options });
}

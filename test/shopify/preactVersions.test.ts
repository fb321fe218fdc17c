// @vitest-environment happy-dom
import * as preact from 'preact';
import * as ten from 'preact-10';
import { afterEach, expect, test, vi } from 'vitest';
import { Offers, type ShopifySession } from '../../src/shopify.ts';

// Run with Preact 11, and with the oldest Preact 10 as `preact`: each meets the other one.
const eleven = `${import.meta.dirname}/../../node_modules/preact/dist/preact.mjs`;
const isTen = preact.createElement === ten.createElement;
const other = (isTen ? await import(/* @vite-ignore */ eleven) : ten) as typeof preact;

afterEach(() => vi.restoreAllMocks());

/** Renders `<Offers>` with a version of Preact, for a session that has no offers yet. */
function renderWith({ createElement, render }: typeof preact): { errors: unknown[]; destroy: () => void } {
  const error = vi.spyOn(console, 'error').mockReturnValue();
  const destroy = vi.fn();
  const session = { latest: undefined, subscribe: () => () => {}, destroy } as unknown as ShopifySession;
  render(createElement(Offers, { session }), document.body.appendChild(document.createElement('div')));
  return { errors: error.mock.calls.flat(), destroy };
}

test('an extension that renders with the Preact of offerlet/shopify gets no error', () => {
  const { errors, destroy } = renderWith(preact);
  expect(errors).toEqual([]);
  expect(destroy).not.toHaveBeenCalled();
});

test('two versions of Preact in one extension are an error that says so, and nothing is requested or counted', () => {
  const { errors, destroy } = renderWith(other);
  expect(errors).toEqual([expect.stringContaining('contains two versions of Preact')]);
  expect(destroy).toHaveBeenCalled();
});

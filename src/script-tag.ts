import { defineElement } from './page/defineElement.ts';
import type { Inspect } from './page/inspection.ts';
import { openPageApi, type PageApi } from './page/openPageApi.ts';
import { readAttributes } from './page/readAttributes.ts';

// Only now does the browser know which <script> this is: in a callback it is null.
const script = typeof document === 'undefined' ? null : document.currentScript;

if (typeof window !== 'undefined') start(window as { offerlet?: unknown });

function start(page: { offerlet?: unknown }): void {
  const before = page.offerlet;
  if (before && typeof (before as Partial<PageApi>).show === 'function') {
    // oxlint-disable-next-line no-console -- two scripts would show and count everything twice
    console.warn('offerlet: it is on this page already, the second script does nothing: remove one of the two');
    return;
  }
  const api = openPageApi(inspect);
  // An element with id="offerlet" also answers to this name; only a list can hold calls.
  page.offerlet = api;
  if (script && ['relay', 'view', 'display-mode'].some((name) => script.hasAttribute(`data-${name}`)))
    api.show(readAttributes(script, 'data-'));
  if (Array.isArray(before)) api.push(...(before as Parameters<PageApi['push']>));
  defineElement(api.show);
}

/** The inspector lies beside the script; a policy that let this one in lets it in as well. */
async function inspect(...given: Parameters<Inspect>): Promise<unknown> {
  const { src } = script as HTMLScriptElement;
  const loaded = (await import(/* @vite-ignore */ new URL('offerlet-inspector.js', src).href)) as { inspect: Inspect };
  return loaded.inspect(...given);
}

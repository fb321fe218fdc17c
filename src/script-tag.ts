import { dom } from './dom/dom.ts';
import { defineElement } from './page/defineElement.ts';
import type { LoadSources } from './page/namedConsent.ts';
import type { Inspect } from './page/showOptions.ts';
import { openPageApi, type PageApi, type ScriptApi } from './page/openPageApi.ts';
import { own } from './wire/json.ts';

// Only now does the browser know which <script> this is: in a callback it is null.
const script = dom.currentScript;

if (typeof window !== 'undefined') start(window as { offerlet?: unknown });

function start(page: { offerlet?: unknown }): void {
  // Not inherited: an element or a frame called "offerlet" has this name as well.
  const before = own(page, 'offerlet');
  const tag = script instanceof HTMLScriptElement ? script : null;
  if (before && typeof (before as Partial<PageApi>).show === 'function') {
    // The copy of the script that came first has the mounts and the decisions on consent.
    (before as Partial<ScriptApi>).run?.(tag);
    return;
  }
  const sources: LoadSources = () => load('offerlet-consent.js');
  const api = openPageApi(inspect, sources);
  page.offerlet = api;
  api.run(tag);
  if (Array.isArray(before)) api.push(...(before as Parameters<PageApi['push']>));
  defineElement(api.show, sources);
}

/** Opens the inspector. */
async function inspect(...given: Parameters<Inspect>): Promise<unknown> {
  return (await load<{ inspect: Inspect }>('offerlet-inspector.js')).inspect(...given);
}

/** Loads a file that lies beside the script. A policy that allowed the script allows it as well. */
async function load<T>(file: string): Promise<T> {
  // The browser resolves it against the URL that this script came from; a `<base>` that was injected later has no say. From
  // another origin the browser doesn't tell a script where it came from; then the attribute has to say it in full.
  return import(/* @vite-ignore */ `./${file}`)
    .catch(() => import(/* @vite-ignore */ new URL(file, script?.getAttribute('src') ?? '').href))
    .catch(() => {
      // The browser reports a bare 404, or the policy that blocked it.
      throw Error(`${file} did not load. Copy it beside offerlet.js.`);
    });
}

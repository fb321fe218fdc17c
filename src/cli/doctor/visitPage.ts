import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page, Request, Response } from 'playwright-core';
import { measureContrast } from '../../dom/contrast.ts';
import { own, parseJson } from '../../wire/json.ts';
import type { GatewayResponse } from './openGateway.ts';
import { recordPage, type PageRecord } from './recordPage.ts';

/** A file that the browser has loaded, or tried to. */
export interface LoadedFile extends Omit<GatewayResponse, 'body'> {
  readonly url: string;
  /** Missing if it was not read to its end; the status is 0 without a response. */
  readonly body?: Uint8Array | undefined;
}

/** An error on the console, and the URL that it is about. */
export interface ConsoleError {
  readonly text: string;
  readonly url?: string | undefined;
}

/** What a mount waits for, as `offerlet.explain()` says. */
interface Waiting {
  readonly for: string;
  readonly hint: string;
}

/** Everything that a visit found out. */
export interface Visit {
  /** Why the page could not be loaded. */
  readonly failure?: string | undefined;
  readonly status: number;
  /** The headers of the document. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it has arrived; missing if it was not read to its end. */
  readonly html?: string | undefined;
  /** Missing when the page does not respond. */
  readonly record: PageRecord | undefined;
  readonly waiting: readonly Waiting[];
  /** What became of offers that the page's server has prefetched, for each mount that found some. */
  readonly prefetched: readonly string[];
  /** The scripts called offerlet.js, by the URL that the page names. */
  readonly scripts: ReadonlyMap<string, LoadedFile>;
  /** The response to the request for offers. */
  readonly offers: LoadedFile | undefined;
  /** Errors that the browser or the page has written to the console. */
  readonly errors: readonly ConsoleError[];
  /** Requests without a response, by URL, and why. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Milliseconds until the page, or a script called offerlet.js, has begun to arrive. */
const LOAD_MS = 30_000;
/** Milliseconds until offers that were requested have an outcome. */
const OUTCOME_MS = 12_000;
/** Milliseconds until a page that shows offers has requested them, once it has the script. */
const REQUEST_MS = 5_000;
/** Milliseconds after the outcome in which images load and the page may still move. */
const SETTLE_MS = 1_500;
const POLL_MS = 100;
/** Milliseconds for one look at the page: its own scripts may keep it busy. */
const LOOK_MS = 5_000;
/** Milliseconds for the last look, without which a page is said not to respond: this machine may be busy as well. */
const LAST_LOOK_MS = 20_000;
/** Bytes of a script or a response that are read: many times what a right one has. */
const BODY_MAX = 1_000_000;
/** Requests that are remembered, and bodies that are read. */
const REQUESTS_MAX = 5_000;
const BODIES_MAX = 20;
/** Errors that are listed, and how long their texts are. */
const ERRORS_MAX = 10;
const TEXT_MAX = 1_000;
/** Messages on the console after which nobody listens any more: a page can write faster than anybody reads. */
const CONSOLE_MAX = 200;
/** The world of the recorder. */
const WORLD = 'offerlet-doctor';
/** Runs before the page's own scripts, which can write and throw texts of any length as often as they like: they would all arrive here. */
const SHORTEN = `(() => {
  const { apply } = Reflect, text = String, { slice } = text.prototype, { Error } = window;
  for (const name of Object.keys(console)) {
    const write = console[name];
    if (typeof write !== 'function') continue;
    console[name] = (...values) => {
      for (let at = 0; at < values.length; at++)
        if (typeof values[at] !== 'object' || values[at] instanceof Error)
          values[at] = apply(slice, text(values[at]?.stack ?? values[at]), [0, ${TEXT_MAX}]);
      apply(write, console, values);
    };
  }
  const { get } = Object.getOwnPropertyDescriptor(ErrorEvent.prototype, 'message');
  addEventListener('error', (event) => apply(get, event, []).length > ${TEXT_MAX} && event.preventDefault());
})()`;
/** What offerlet says about its mounts. It runs among the page's own scripts: nothing in it is trusted. */
const EXPLAIN = `(() => {
  try {
    const mounts = window.offerlet.explain().slice(0, 20);
    return JSON.stringify(mounts.map(({ waitingFor, hint, prefetched }) => ({ waitingFor, hint, prefetched }))).slice(0, 20000);
  } catch { return '' }
})()`;

/** Opens a page like a shopper, and waits for the outcome of its offers. The visit declares itself a bot, so nothing is counted. */
export async function visitPage(
  browser: Browser,
  url: string,
  { onDocument }: { onDocument(url: string): Promise<void> },
): Promise<Visit> {
  const about = await (await browser.newBrowserCDPSession()).send('Browser.getVersion');
  const userAgent = `${about.userAgent} OfferletDoctor (bot)`;
  const context = await browser.newContext({
    userAgent,
    acceptDownloads: false,
    viewport: { width: 1280, height: 900 },
  });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const traffic = recordTraffic(page, onDocument);
  const source = `(${String(recordPage)})(${String(measureContrast)})`;
  await cdp.send('Page.enable');
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: SHORTEN });
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const failure = await page.goto(url, { waitUntil: 'commit', timeout: LOAD_MS }).then(() => undefined, whyNotLoaded);
  if (failure !== undefined)
    return { failure, record: undefined, waiting: [], prefetched: [], ...(await traffic.found()) };

  /** Evaluates an expression in the recorder's world, which the page's own scripts cannot reach. */
  const look = async (expression: string): Promise<unknown> => {
    const world = await cdp.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: WORLD });
    return evaluate(cdp, { expression, contextId: world.executionContextId });
  };
  const started = performance.now();
  let loaded = started;
  while (!traffic.hasCrashed()) {
    if ((await inTime(look('offerletDoctor.hasOutcome()'))) === true) break;
    const now = performance.now();
    if (traffic.isLoading() && now - started < LOAD_MS) loaded = now;
    if (now - loaded > (traffic.isRequested() ? OUTCOME_MS : REQUEST_MS)) break;
    await pause(POLL_MS);
  }
  await pause(SETTLE_MS);
  const read = await inTime(look('offerletDoctor.read()'), LAST_LOOK_MS);
  const record = typeof read === 'string' ? (JSON.parse(read) as PageRecord) : undefined;
  const explained = record && (await inTime(evaluate(cdp, { expression: EXPLAIN })));
  return { record, ...readExplained(explained), ...(await traffic.found()) };
}

async function evaluate(cdp: CDPSession, what: { expression: string; contextId?: number }): Promise<unknown> {
  return (await cdp.send('Runtime.evaluate', what)).result.value as unknown;
}

/** What a page that may be busy, or gone, still gives. */
function inTime<T>(work: Promise<T>, ms = LOOK_MS): Promise<T | undefined> {
  return Promise.race([work.catch(() => undefined), pause(ms, undefined, { ref: false })]);
}

/** Why a page was not loaded; `undefined` if another one was instead. */
function whyNotLoaded({ message }: Error): string | undefined {
  if (message.includes('Download is starting')) return 'it is a download, not a page';
  if (message.includes('Timeout')) return `no response after ${LOAD_MS / 1_000} s`;
  return message.includes('interrupted by another') ? undefined : (/net::\w+/.exec(message)?.[0] ?? cut(message));
}

function readExplained(json: unknown): Pick<Visit, 'waiting' | 'prefetched'> {
  const parsed = parseJson(typeof json === 'string' ? json : '');
  const mounts: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  const field = (mount: unknown, name: string): string => {
    const text = own(mount, name);
    return typeof text === 'string' ? cut(text) : '';
  };
  return {
    waiting: mounts.flatMap((mount) => {
      const waitingFor = field(mount, 'waitingFor');
      return waitingFor ? [{ for: waitingFor, hint: field(mount, 'hint') }] : [];
    }),
    prefetched: mounts.flatMap((mount) => field(mount, 'prefetched') || []),
  };
}

interface Traffic {
  /** Whether a script called offerlet.js was requested and has not begun to arrive. */
  isLoading(): boolean;
  /** Whether the page has requested offers. */
  isRequested(): boolean;
  hasCrashed(): boolean;
  found(): Promise<Omit<Visit, 'failure' | 'record' | 'waiting' | 'prefetched'>>;
}

/** Listens to what the page requests, and to its console. */
function recordTraffic(page: Page, onDocument: (url: string) => Promise<void>): Traffic {
  const errors: ConsoleError[] = [];
  const failed = new Map<string, string>();
  const scripts: Request[] = [];
  const loading = new Set<Request>();
  const documents: Response[] = [];
  let offers: Request | undefined;
  let isCrashed = false;
  let messages = 0;

  function addError(text: string, url?: string): void {
    messages += 1;
    if (messages > CONSOLE_MAX) page.removeAllListeners('console').removeAllListeners('pageerror');
    if (text === '' || errors.length >= ERRORS_MAX) return;
    const error = { text: cut(text), url: url && cut(url) };
    if (!errors.some((one) => one.text === error.text)) errors.push(error);
  }

  page.on('crash', () => (isCrashed = true));
  page.on('request', (request) => {
    if (isDocument(request, page)) void onDocument(request.url());
    if (scripts.length < BODIES_MAX && /\/offerlet(\.min)?\.js([?#]|$)/.test(firstRequest(request).url())) {
      scripts.push(request);
      loading.add(request);
    }
    const isPost = request.method() === 'POST' && /^[^?#]*\/recommendations([?#]|$)/.test(request.url());
    if (isPost && request.postData()?.includes('placement_details')) offers = request;
  });
  page.on('response', (response) => {
    loading.delete(response.request());
    if (documents.length < REQUESTS_MAX && isDocument(response.request(), page)) documents.push(response);
  });
  page.on('requestfailed', (request) => {
    loading.delete(request);
    if (failed.size < REQUESTS_MAX) failed.set(request.url(), request.failure()?.errorText || 'blocked');
  });
  page.on('pageerror', (error) => addError(error.stack ?? String(error)));
  page.on('console', (message) => {
    // A page's own warnings are its own business.
    const isOurs = message.type() === 'warning' && message.text().startsWith('offerlet');
    addError(message.type() === 'error' || isOurs ? message.text() : '', message.location().url);
  });

  return {
    isLoading: () => loading.size > 0,
    isRequested: () => offers !== undefined,
    hasCrashed: () => isCrashed,
    async found() {
      const reached = documents.filter((response) => !response.request().redirectedTo());
      const last = reached.at(-1);
      const ends = scripts.filter((request) => !request.redirectedTo());
      const files = await Promise.all(ends.map(async (one) => [firstRequest(one).url(), await readFile(one)] as const));
      const response = offers && (await readFile(offers));
      return {
        status: reached[0]?.status() ?? 0,
        headers: last?.headers() ?? {},
        html: last && (await inTime(last.text())),
        scripts: new Map(files),
        offers: response?.status ? response : undefined,
        errors,
        failed,
      };
    },
  };
}

/** The request that the page has made, before redirects. */
function firstRequest(request: Request): Request {
  const before = request.redirectedFrom();
  return before ? firstRequest(before) : request;
}

/** Whether a request is for the page itself. */
function isDocument(request: Request, page: Page): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    // Its frame is not there yet: no frame of the page that is examined.
    return false;
  }
}

/** What the browser has loaded, not another copy. */
async function readFile(request: Request): Promise<LoadedFile> {
  const response = await inTime(request.response());
  const file = { url: request.url(), status: response?.status() ?? 0, headers: response?.headers() ?? {} };
  const isLong = Number(file.headers['content-length'] ?? 0) > BODY_MAX;
  const body = response && !isLong ? await inTime(response.body()) : undefined;
  const isTooLong = isLong || (body?.length ?? 0) > BODY_MAX;
  return { ...file, isTooLong, body: isTooLong ? undefined : body };
}

function cut(text: string): string {
  return text.slice(0, TEXT_MAX);
}

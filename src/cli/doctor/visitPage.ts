import { isObject, own } from '../../wire/json.ts';
import type { Browser } from './openBrowser.ts';
import { recordPage, type PageRecord } from './recordPage.ts';

/** A response that the page got from its relay. */
export interface RelayResponse {
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

/** An error on the console, and the URL that it is about. */
export interface ConsoleError {
  readonly text: string;
  readonly url?: string | undefined;
}

/** Everything that a visit found out. */
export interface Visit {
  /** Why the page could not be loaded. */
  readonly failure?: string;
  readonly status: number;
  /** The header, if the page has a policy. */
  readonly policy: string | undefined;
  readonly record: PageRecord | undefined;
  /** The response to the request for offers. */
  readonly offers: RelayResponse | undefined;
  /** Errors that the browser or the page has written to the console. */
  readonly errors: readonly ConsoleError[];
  /** Requests without a response, by URL, and why. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Milliseconds until offers that were requested have an outcome. */
const OUTCOME_MS = 12_000;
/** Milliseconds until a page that shows offers has requested them. */
const REQUEST_MS = 5_000;
/** Milliseconds after the outcome in which images load and the page may still move. */
const SETTLE_MS = 1_500;
const POLL_MS = 100;
const ERRORS_MAX = 10;

/** Opens a page like a shopper, and waits for the outcome of its offers. The visit declares itself a bot, so nothing is counted. */
export async function visitPage(browser: Browser, url: string): Promise<Visit> {
  const { targetId } = (await browser.send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
  const attached = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const session = String(own(attached, 'sessionId'));
  const send = (method: string, params?: object): Promise<unknown> => browser.send(method, params, session);
  const traffic = recordTraffic(browser, url);
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await send(`${domain}.enable`);
  const agent = String(own(await browser.send('Browser.getVersion'), 'userAgent'));
  await send('Network.setUserAgentOverride', { userAgent: `${agent} OfferletDoctor (bot)` });
  await send('Page.addScriptToEvaluateOnNewDocument', { source: `(${String(recordPage)})()` });
  // A dialog of the page would hold up everything else.
  browser.onEvent(({ method }) => {
    if (method === 'Page.javascriptDialogOpening')
      send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
  });
  const navigation = await send('Page.navigate', { url }).catch((error: unknown) => ({ errorText: String(error) }));
  const failure = own(navigation, 'errorText');
  const { errors, failed } = traffic;
  if (typeof failure === 'string')
    return { failure, status: 0, policy: undefined, record: undefined, offers: undefined, errors, failed };

  const look = async (): Promise<PageRecord | undefined> => {
    const expression = 'JSON.stringify(offerletDoctor())';
    const evaluated = await send('Runtime.evaluate', { expression }).catch(() => undefined);
    const text = own(own(evaluated, 'result'), 'value');
    return typeof text === 'string' ? (JSON.parse(text) as PageRecord) : undefined;
  };
  const started = performance.now();
  let record = await look();
  while (!record?.reported.some((event) => event.code)) {
    if (performance.now() - started > (traffic.isRequested() ? OUTCOME_MS : REQUEST_MS)) break;
    await pause(POLL_MS);
    record = (await look()) ?? record;
  }
  await pause(SETTLE_MS);
  record = (await look()) ?? record;
  const { status, policy } = traffic.page();
  const found = traffic.offers();
  if (!found) return { status, policy, record, offers: undefined, errors, failed };
  const response = await send('Network.getResponseBody', { requestId: found.requestId }).catch(() => undefined);
  const body = textOf(response);
  return { status, policy, record, offers: { url: found.url, status: found.status, body }, errors, failed };
}

/** The body of a response; browsers encode those that they do not take for text. */
function textOf(response: unknown): string {
  const body = own(response, 'body');
  if (typeof body !== 'string') return '';
  return own(response, 'base64Encoded') === true ? Buffer.from(body, 'base64').toString() : body;
}

interface Traffic {
  readonly errors: ConsoleError[];
  readonly failed: Map<string, string>;
  /** Whether the page has requested offers. */
  isRequested(): boolean;
  page(): { status: number; policy: string | undefined };
  offers(): { url: string; status: number; requestId: string } | undefined;
}

/** Listens to what the page requests, and to its console. */
function recordTraffic(browser: Browser, pageUrl: string): Traffic {
  const errors: ConsoleError[] = [];
  const failed = new Map<string, string>();
  const urls = new Map<string, { url: string; method: string }>();
  let page = { status: 0, policy: undefined as string | undefined };
  let offers: { url: string; status: number; requestId: string } | undefined;

  function onResponse(params: unknown): void {
    const response = own(params, 'response');
    const requestId = String(own(params, 'requestId'));
    const status = Number(own(response, 'status'));
    const { url = '' } = urls.get(requestId) ?? {};
    if (own(params, 'type') === 'Document' && page.status === 0) page = { status, policy: policyOf(response) };
    if (offers?.requestId === requestId) offers = { url, status, requestId };
  }

  function note(text: unknown, url?: unknown): void {
    if (typeof text !== 'string' || text === '' || errors.length >= ERRORS_MAX) return;
    if (!errors.some((error) => error.text === text))
      errors.push({ text, url: typeof url === 'string' ? url : undefined });
  }

  browser.onEvent(({ method, params }) => {
    if (method === 'Network.requestWillBeSent') {
      const request = own(params, 'request');
      const entry = { url: String(own(request, 'url')), method: String(own(request, 'method')) };
      const requestId = String(own(params, 'requestId'));
      urls.set(requestId, entry);
      const isForOffers = entry.method === 'POST' && new URL(entry.url, pageUrl).pathname.endsWith('/recommendations');
      if (isForOffers && /placement_details/.test(String(own(request, 'postData'))))
        offers = { url: entry.url, status: 0, requestId };
    }
    if (method === 'Network.responseReceived') onResponse(params);
    if (method === 'Network.loadingFailed') {
      const url = urls.get(String(own(params, 'requestId')))?.url;
      const reason = own(params, 'blockedReason') ?? own(own(params, 'corsErrorStatus'), 'corsError');
      if (url) failed.set(url, String(reason ?? own(params, 'errorText')));
    }
    if (method === 'Runtime.exceptionThrown') {
      const details = own(params, 'exceptionDetails');
      note(own(own(details, 'exception'), 'description') ?? own(details, 'text'));
    }
    if (method === 'Log.entryAdded') {
      const entry = own(params, 'entry');
      if (own(entry, 'level') === 'error') note(own(entry, 'text'), own(entry, 'url'));
    }
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(own(params, 'type')))) {
      const parts = own(params, 'args');
      const text = (Array.isArray(parts) ? parts : []).map((part) => own(part, 'value') ?? own(part, 'description'));
      // A page's own warnings are its own business.
      if (own(params, 'type') === 'error' || String(text[0]).startsWith('offerlet')) note(text.join(' '));
    }
  });
  return {
    errors,
    failed,
    isRequested: () => offers !== undefined,
    page: () => page,
    offers: () => (offers?.status ? offers : undefined),
  };
}

function policyOf(response: unknown): string | undefined {
  const headers = own(response, 'headers');
  const entries = isObject(headers) ? Object.entries(headers) : [];
  const [, policy] = entries.find(([name]) => name.toLowerCase() === 'content-security-policy') ?? [];
  return typeof policy === 'string' ? policy : undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

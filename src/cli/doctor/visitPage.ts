import { setTimeout as pause } from 'node:timers/promises';
import { measureContrast } from '../../dom/contrast.ts';
import { isObject, own, parseJson } from '../../wire/json.ts';
import type { Browser } from './openBrowser.ts';
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

/** Milliseconds until the page has begun to arrive. */
const LOAD_MS = 30_000;
/** Milliseconds until offers that were requested have an outcome. */
const OUTCOME_MS = 12_000;
/** Milliseconds until a page that shows offers has requested them. */
const REQUEST_MS = 5_000;
/** Milliseconds after the outcome in which images load and the page may still move. */
const SETTLE_MS = 1_500;
const POLL_MS = 100;
/** Milliseconds for one look at the page: its own scripts may keep it busy. */
const LOOK_MS = 5_000;
/** Bytes of a script or a response that are read: many times what a right one has. */
const BODY_MAX = 1_000_000;
/** Bodies that are read, and requests that are remembered. */
const BODIES_MAX = 20;
const REQUESTS_MAX = 5_000;
/** Errors that are listed, and how long their texts are. */
const ERRORS_MAX = 10;
const TEXT_MAX = 1_000;
/** Messages on the console after which nobody listens any more. */
const CONSOLE_MAX = 200;
/** The world of the recorder. */
const WORLD = 'offerlet-doctor';
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
  const { targetId } = (await browser.send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
  const session = String(own(await browser.send('Target.attachToTarget', { targetId, flatten: true }), 'sessionId'));
  const send: Send = (method, params, ms) => browser.send(method, params, { session, ...(ms ? { ms } : {}) });
  const traffic = recordTraffic(browser, { session, targetId, send, onDocument });
  await send('Network.enable', {
    maxResourceBufferSize: BODY_MAX,
    maxTotalBufferSize: 10 * BODY_MAX,
    maxPostDataSize: 65_536,
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Inspector']) await send(`${domain}.enable`);
  await send('Fetch.enable', { patterns: [{ urlPattern: '*offerlet*.js*' }, { urlPattern: '*/recommendations*' }] });
  const agent = String(own(await browser.send('Browser.getVersion'), 'userAgent'));
  await send('Network.setUserAgentOverride', { userAgent: `${agent} OfferletDoctor (bot)` });
  const source = `(${String(recordPage)})(${String(measureContrast)})`;
  await send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD });
  const navigation = await send('Page.navigate', { url }, LOAD_MS).catch(() => ({
    errorText: `no response after ${LOAD_MS / 1_000} s`,
  }));
  const errorText = own(navigation, 'errorText');
  const isDownload = own(navigation, 'isDownload') === true;
  const failure = isDownload ? 'it is a download, not a page' : typeof errorText === 'string' ? errorText : undefined;

  /** Evaluates an expression in the recorder's world. */
  const look = async (expression: string): Promise<unknown> => {
    const world = await send('Page.createIsolatedWorld', { frameId: targetId, worldName: WORLD }, LOOK_MS);
    const contextId = own(world, 'executionContextId');
    return own(own(await send('Runtime.evaluate', { expression, contextId }, LOOK_MS), 'result'), 'value');
  };
  if (failure !== undefined) return { failure, record: undefined, waiting: [], prefetched: [], ...traffic.found() };
  const started = performance.now();
  while (!traffic.hasCrashed()) {
    if ((await look('offerletDoctor.hasOutcome()').catch(() => false)) === true) break;
    if (performance.now() - started > (traffic.isRequested() ? OUTCOME_MS : REQUEST_MS)) break;
    await pause(POLL_MS);
  }
  await pause(SETTLE_MS);
  const read = await look('offerletDoctor.read()').catch(() => undefined);
  const record = typeof read === 'string' ? (JSON.parse(read) as PageRecord) : undefined;
  const explained = record && (await send('Runtime.evaluate', { expression: EXPLAIN }, LOOK_MS).catch(() => undefined));
  const document = await send('Network.getResponseBody', { requestId: traffic.documentId() }, LOOK_MS).catch(
    () => ({}),
  );
  const body = own(document, 'body');
  const html = typeof body === 'string' ? body : undefined;
  return { html, record, ...readExplained(own(own(explained, 'result'), 'value')), ...traffic.found() };
}

type Send = (method: string, params?: object, ms?: number) => Promise<unknown>;

function readExplained(json: unknown): Pick<Visit, 'waiting' | 'prefetched'> {
  const parsed = parseJson(typeof json === 'string' ? json : '');
  const mounts: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  const textOf = (mount: unknown, name: string): string => {
    const text = own(mount, name);
    return typeof text === 'string' ? cut(text) : '';
  };
  return {
    waiting: mounts.flatMap((mount) => {
      const waitingFor = textOf(mount, 'waitingFor');
      return waitingFor ? [{ for: waitingFor, hint: textOf(mount, 'hint') }] : [];
    }),
    prefetched: mounts.flatMap((mount) => textOf(mount, 'prefetched') || []),
  };
}

interface Traffic {
  /** Whether the page has requested offers. */
  isRequested(): boolean;
  hasCrashed(): boolean;
  /** The request that has led to the page. */
  documentId(): string | undefined;
  found(): Omit<Visit, 'failure' | 'html' | 'record' | 'waiting' | 'prefetched'>;
}

interface SeenRequest {
  /** As the page named it, and where redirects led to. */
  readonly first: string;
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  type: unknown;
}

interface SeenBody {
  readonly chunks: Buffer[];
  length: number;
  isWhole: boolean;
}

/** Listens to what the page requests, and to its console. */
function recordTraffic(
  browser: Browser,
  {
    session,
    targetId,
    send,
    onDocument,
  }: { session: string; targetId: string; send: Send; onDocument(url: string): Promise<void> },
): Traffic {
  const errors: ConsoleError[] = [];
  const failed = new Map<string, string>();
  const requests = new Map<string, SeenRequest>();
  const bodies = new Map<string, SeenBody>();
  let first: SeenRequest | undefined;
  let last: SeenRequest | undefined;
  let offersId: string | undefined;
  let documentId: string | undefined;
  let isCrashed = false;
  let consoleMessages = 0;

  /** Errors do not matter: the page may have gone. */
  const tell = (method: string, params?: object): void => void send(method, params).catch(() => undefined);

  function addError(text: unknown, url?: unknown): void {
    if (typeof text !== 'string' || text === '' || errors.length >= ERRORS_MAX) return;
    const error = { text: cut(text), url: typeof url === 'string' ? cut(url) : undefined };
    if (!errors.some((one) => one.text === error.text)) errors.push(error);
  }

  /** A page can write faster than anybody reads. */
  function countMessage(): void {
    consoleMessages++;
    if (consoleMessages === CONSOLE_MAX) for (const domain of ['Runtime', 'Log']) tell(`${domain}.disable`);
  }

  function onRequest(params: unknown): void {
    const request = own(params, 'request');
    const id = String(own(params, 'requestId'));
    const url = String(own(request, 'url'));
    const known = requests.get(id);
    if (known) known.url = url;
    else if (requests.size < REQUESTS_MAX)
      requests.set(id, { first: url, url, status: 0, headers: {}, type: own(params, 'type') });
    if (own(params, 'type') === 'Document' && own(params, 'frameId') === targetId) void onDocument(url);
    const isPost = own(request, 'method') === 'POST' && /^[^?#]*\/recommendations([?#]|$)/.test(url);
    if (isPost && /placement_details/.test(String(own(request, 'postData')))) offersId = id;
  }

  /** A request for a file whose body is needed: it is read as it comes, not afterwards, when it may be too long. */
  function onPaused(params: unknown): void {
    const id = String(own(params, 'networkId'));
    const go = (): void => tell('Fetch.continueRequest', { requestId: own(params, 'requestId') });
    if (bodies.has(id) || bodies.size >= BODIES_MAX) return go();
    bodies.set(id, { chunks: [], length: 0, isWhole: false });
    send('Network.streamResourceContent', { requestId: id })
      .then((start) => addChunk(id, own(start, 'bufferedData')))
      .catch(() => undefined)
      .finally(go);
  }

  function addChunk(id: string, text: unknown): void {
    const body = bodies.get(id);
    if (!body || typeof text !== 'string') return;
    const chunk = Buffer.from(text, 'base64');
    if (body.length <= BODY_MAX) body.chunks.push(chunk);
    body.length += chunk.length;
  }

  function onResponse(params: unknown): void {
    const request = requests.get(String(own(params, 'requestId')));
    const response = own(params, 'response');
    if (!request) return;
    request.status = Number(own(response, 'status'));
    request.headers = readHeaders(own(response, 'headers'));
    if (own(params, 'type') !== 'Document' || own(params, 'frameId') !== targetId) return;
    first ??= request;
    last = request;
    documentId = String(own(params, 'requestId'));
  }

  function onFailed(params: unknown): void {
    const url = requests.get(String(own(params, 'requestId')))?.url;
    const reason = own(params, 'blockedReason') ?? own(own(params, 'corsErrorStatus'), 'corsError');
    if (url !== undefined && failed.size < REQUESTS_MAX) failed.set(url, String(reason ?? own(params, 'errorText')));
  }

  function onConsole(params: unknown): void {
    const type = own(params, 'type');
    if (type !== 'error' && type !== 'warning') return;
    const parts = own(params, 'args');
    const texts = (Array.isArray(parts) ? parts : []).map((part) => own(part, 'value') ?? own(part, 'description'));
    // A page's own warnings are its own business.
    if (type === 'error' || String(texts[0]).startsWith('offerlet'))
      addError(texts.map((text) => cut(String(text))).join(' '));
  }

  browser.onEvent(({ method, params, session: from, isSkipped }) => {
    if (from !== session) return;
    switch (method) {
      case 'Network.requestWillBeSent':
        return onRequest(params);
      case 'Network.responseReceived':
        return onResponse(params);
      case 'Network.dataReceived':
        return addChunk(String(own(params, 'requestId')), own(params, 'data'));
      case 'Network.loadingFinished': {
        const body = bodies.get(String(own(params, 'requestId')));
        if (body) body.isWhole = true;
        return;
      }
      case 'Network.loadingFailed':
        return onFailed(params);
      case 'Fetch.requestPaused':
        return onPaused(params);
      case 'Page.javascriptDialogOpening':
        // A dialog of the page would hold up everything else.
        return tell('Page.handleJavaScriptDialog', { accept: false });
      case 'Inspector.targetCrashed':
      case 'Inspector.detached':
        isCrashed = true;
        return;
      case 'Runtime.exceptionThrown': {
        const details = own(params, 'exceptionDetails');
        countMessage();
        return addError(own(own(details, 'exception'), 'description') ?? own(details, 'text'));
      }
      case 'Log.entryAdded': {
        const entry = own(params, 'entry');
        countMessage();
        return own(entry, 'level') === 'error' ? addError(own(entry, 'text'), own(entry, 'url')) : undefined;
      }
      case 'Runtime.consoleAPICalled':
        countMessage();
        return isSkipped ? addError('A message of more than 2 MB.') : onConsole(params);
    }
  });

  function fileOf(id: string): LoadedFile | undefined {
    const request = requests.get(id);
    if (!request) return undefined;
    const { chunks = [], length = 0, isWhole = false } = bodies.get(id) ?? {};
    const { url, status, headers } = request;
    const isTooLong = length > BODY_MAX;
    return { url, status, headers, isTooLong, body: isWhole && !isTooLong ? Buffer.concat(chunks) : undefined };
  }

  return {
    isRequested: () => offersId !== undefined,
    hasCrashed: () => isCrashed,
    documentId: () => documentId,
    found() {
      const scripts = [...requests].filter(([, { first }]) => /\/offerlet(\.min)?\.js([?#]|$)/.test(first));
      const offers = offersId === undefined ? undefined : fileOf(offersId);
      return {
        status: first?.status ?? 0,
        headers: last?.headers ?? {},
        scripts: new Map(scripts.flatMap(([id, { first }]) => [[first, fileOf(id)] as const]).filter(isLoaded)),
        offers: offers?.status ? offers : undefined,
        errors,
        failed,
      };
    },
  };
}

function isLoaded(entry: readonly [string, LoadedFile | undefined]): entry is [string, LoadedFile] {
  return entry[1] !== undefined;
}

function readHeaders(headers: unknown): Record<string, string> {
  const entries = isObject(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value).slice(0, 20_000)]));
}

function cut(text: string): string {
  return text.slice(0, TEXT_MAX);
}

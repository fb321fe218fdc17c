import { bad, good, note, type Finding } from './finding.ts';
import { openBrowser } from './openBrowser.ts';
import { openGateway, describeCause, hostAndPort, type Gateway, type World } from './openGateway.ts';
import {
  consoleChecks,
  contrastCheck,
  imageCheck,
  layoutChecks,
  outcomeCheck,
  placeChecks,
  policyChecks,
  scriptCheck,
} from './pageChecks.ts';
import { cardChecks, readHtml, readPage, staticPolicyChecks } from './readPage.ts';
import type { PageRecord, PageTags } from './recordPage.ts';
import { cacheChecks, fileChecks, keyChecks, prefetchChecks, relayChecks } from './serverChecks.ts';
import { visitPage, type LoadedFile, type Visit } from './visitPage.ts';

/** What is examined. */
export interface Patient {
  readonly page: string;
  /** By default the relay that the page names. */
  readonly relay?: string | undefined;
  /** By default this machine's own resolver and network. */
  readonly world?: World | undefined;
}

/** How the browser is started. */
export interface BrowserChoice {
  readonly path: string;
  readonly isSandboxed: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The result of an examination. */
export interface Examination {
  readonly findings: readonly Finding[];
  readonly relay: string | undefined;
  /** Such as `Chrome/156.0.8078.79`; null when HTTP alone was used. */
  readonly browser: string | null;
  /** Whether offers were shown; missing when HTTP alone was used. */
  readonly isShown?: boolean;
}

/** Bytes of a script that are read: many times what it has. */
const SCRIPT_MAX = 1_000_000;
/** Hosts of a list in a finding. */
const HOSTS_MAX = 5;

/** Examines a page in a browser. */
export async function examineInBrowser({ path, ...choice }: BrowserChoice, patient: Patient): Promise<Examination> {
  const gateway = await gatewayFor(patient);
  try {
    const { browser, close } = await openBrowser(path, { ...choice, proxyPort: gateway.port });
    try {
      const visit = await visitPage(browser, patient.page, { onDocument: gateway.narrow });
      const relay = relayOf(patient, visit.record, visit.offers?.url);
      const failure = describeFailure(patient.page, visit, gateway);
      const page = pageCheck(patient.page, { ...visit, failure });
      const isLoaded = visit.record && failure === undefined;
      const findings = isLoaded ? await listFindings(visit, visit.record, { relay, gateway }) : [];
      const isShown = visit.record?.reported.some(({ code }) => code === 'rendered') === true;
      findings.push(...refusedChecks(gateway, relay));
      return { findings: [...page, ...findings], relay, browser: `Chrome/${browser.version()}`, isShown };
    } finally {
      await close();
    }
  } finally {
    gateway.close();
  }
}

/** Examines a page as far as HTTP alone allows. */
export async function examineByHttp(patient: Patient): Promise<Examination> {
  const gateway = await gatewayFor(patient);
  try {
    const fetched = await readPage(patient.page, gateway);
    const { record, policies, failure, status, headers } = fetched;
    const { href: page, scripts } = record;
    const relay = relayOf(patient, record, undefined);
    const isRedirect = status >= 300 && status < 400;
    const findings = pageCheck(patient.page, fetched);
    if (failure !== undefined || isRedirect) return { findings, relay, browser: null };
    const [tag] = scripts;
    findings.push(
      ...scriptCheck(record, undefined),
      ...(tag && scripts.length === 1 ? fileChecks(tag, { page, ...(await load(tag.src, page, gateway)) }) : []),
      ...staticPolicyChecks(policies, { page, script: tag?.src, relay }),
      ...cardChecks(fetched),
      ...cacheChecks({ headers, record }),
      ...(await relayChecks(gateway, { relay, page })),
      ...note(
        'Browser',
        'Without a browser nobody can tell whether the offers appear, whether the network accepts the key, and whether the page moves. Install Chromium, and playwright-core beside offerlet.',
      ),
    );
    return { findings, relay, browser: null };
  } finally {
    gateway.close();
  }
}

function gatewayFor({ page, relay, world }: Patient): Promise<Gateway> {
  return openGateway({ page, trusted: relay === undefined ? [] : [relay], ...(world ? { world } : {}) });
}

async function load(
  url: string,
  page: string,
  gateway: Gateway,
): Promise<{ file: LoadedFile | undefined; failure: string | undefined }> {
  try {
    return { file: { url, ...(await gateway.get(url, { page, maxBytes: SCRIPT_MAX })) }, failure: undefined };
  } catch (error) {
    return { file: undefined, failure: describeCause(error) };
  }
}

async function listFindings(
  visit: Visit,
  record: PageRecord,
  { relay, gateway }: { relay: string | undefined; gateway: Gateway },
): Promise<Finding[]> {
  const { offers, errors, headers, failed, status, html = '' } = visit;
  const { href, scripts, elements, reported } = record;
  const page = readHtml(html, { url: href, status, headers });
  const isActive = reported.length > 0 || visit.waiting.length > 0 || offers !== undefined;
  const mode = [...scripts, ...elements].map((tag) => tag.mode).find(Boolean) ?? '';
  const images = urlsIn(Buffer.from(offers?.body ?? []).toString());
  const ours = [...scripts.map(({ src }) => src), ...images, ...(relay === undefined ? [] : [`${relay}/`])];
  const isOurs = (text: string): boolean => ours.some((url) => text.includes(url));
  const [tag] = scripts;

  // A page that is an error has no script for that reason.
  const isPage = visit.status >= 200 && visit.status < 300;
  const script = scriptCheck(record, isActive || isPage ? isActive : undefined);
  const policy = policyChecks(record.violations, { isOurs, policy: headers['content-security-policy'] });
  const isBlocked = tag && record.violations.some(({ blocked }) => blocked === tag.src);
  const file =
    tag && scripts.length === 1 && !isBlocked
      ? fileChecks(tag, {
          page: href,
          file: visit.scripts.get(tag.src),
          failure: whyFailed(visit.scripts.get(tag.src)?.url ?? tag.src, { failed, gateway }),
        })
      : [];
  const relayed = await relayChecks(gateway, { relay, page: href });
  // A relay that is not there has no key.
  const key = keyChecks(offers).filter(({ state }) => state === 'good' || !relayed.some((one) => one.state === 'bad'));
  const places = placeChecks(record);
  const cause = [...script, ...file, ...policy, ...relayed, ...key, ...places].find(({ state }) => state === 'bad');
  const isExpected = isActive || scripts.length > 0 || elements.length > 0;
  const outcome = isExpected ? outcomeCheck(record, { waiting: visit.waiting, cause }) : [];
  const messages = [
    ...reported.flatMap(({ code, message }) => (code !== undefined && message ? [message] : [])),
    ...visit.waiting.flatMap(({ hint }) => hint || []),
  ];
  return [
    ...script,
    ...file,
    ...policy,
    ...cardChecks(page),
    ...cacheChecks(page.card ? page : { headers, record }),
    ...prefetchChecks(visit),
    ...relayed,
    ...key,
    ...outcome,
    ...imageCheck(images, failed),
    ...places,
    ...layoutChecks(record, mode),
    ...contrastCheck(record),
    ...consoleChecks(errors, ({ text, url = '' }) => {
      const isSecondCopy = scripts.length > 1 && text.startsWith('offerlet: the script is already on this page');
      return isSecondCopy || isOurs(url) || isOurs(text) || messages.some((message) => text.includes(message));
    }),
  ];
}

/** Why a URL was not loaded: as the gateway knows it, which is more than the browser does. */
function whyFailed(
  url: string,
  { failed, gateway }: { failed: ReadonlyMap<string, string>; gateway: Gateway },
): string | undefined {
  return gateway.failures.get(hostAndPort(url)) ?? failed.get(url);
}

function describeFailure(url: string, { failure, record }: Visit, gateway: Gateway): string | undefined {
  if (failure !== undefined) return whyFailed(url, { failed: new Map(), gateway }) ?? failure;
  if (record?.href.startsWith('chrome-error:')) return 'it leads to a page that cannot be loaded';
  return record ? undefined : 'it does not respond: its scripts keep the browser busy, or it has crashed';
}

function pageCheck(
  url: string,
  {
    failure,
    status,
    headers,
    record,
  }: Pick<Visit, 'failure' | 'status' | 'headers'> & { record: PageTags | undefined },
): Finding[] {
  const title = 'Page';
  if (failure !== undefined) return bad(title, `${url} cannot be loaded (${failure})`);
  const href = record?.href.replace(/#.*/, '') ?? url;
  const led = href === url.replace(/#.*/, '') ? '' : ` It leads to ${href}, which is the page that was examined.`;
  if (status >= 200 && status < 300) return good(title, `${url} returns ${status}.${led}`);
  const location = headers['location']?.slice(0, 300);
  // A browser follows redirects; by HTTP alone nothing does.
  return status >= 300 && status < 400 && location
    ? bad(title, `${url} returns ${status} and leads to ${location}`, 'Examine that page.')
    : bad(title, `${url} returns ${status}.`);
}

/** Lists what the page wanted from this machine or its network, besides the relay, which has its own finding. */
function refusedChecks({ refused }: Gateway, relay: string | undefined): Finding[] {
  const others = [...refused].filter((host) => relay === undefined || host !== hostAndPort(relay));
  const hosts = others.slice(0, HOSTS_MAX).join(', ');
  const more = others.length > HOSTS_MAX ? ` and ${others.length - HOSTS_MAX} more` : '';
  return others.length === 0
    ? []
    : note(
        'Local network',
        `The page wanted to reach ${hosts}${more}: this machine, or its network, in which the page is not. Nothing was connected.`,
      );
}

/** The relay's URL: as given, as the page's request went to it, or as a tag names it. */
function relayOf(
  { page, relay }: Patient,
  record: PageTags | undefined,
  asked: string | undefined,
): string | undefined {
  if (relay !== undefined) return relay.replace(/\/+$/, '');
  if (asked !== undefined) return asked.replace(/\/recommendations([?#].*)?$/, '');
  const named = [...(record?.scripts ?? []), ...(record?.elements ?? [])].map((tag) => tag.relay).find(Boolean);
  const base = record?.href ?? page;
  const url = named !== undefined && URL.canParse(named, base) ? new URL(named, base) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.origin + url.pathname.replace(/\/+$/, '') : undefined;
}

function urlsIn(text: string): string[] {
  return [...text.matchAll(/"(?:logo_url|image_url)":"([^"]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => URL.canParse(url))
    .slice(0, 100);
}

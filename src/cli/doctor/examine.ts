import { consoleChecks, imageCheck, layoutChecks, outcomeCheck, policyChecks } from './pageChecks.ts';
import { bad, good, note, type Finding } from './finding.ts';
import { openBrowser } from './openBrowser.ts';
import { isAllowed } from './isAllowed.ts';
import { readPage } from './readPage.ts';
import type { PageRecord } from './recordPage.ts';
import { keyChecks, relayChecks } from './relayChecks.ts';
import { scriptChecks } from './scriptChecks.ts';
import { visitPage, type Visit } from './visitPage.ts';

/** What is examined. */
export interface Patient {
  readonly page: string;
  /** By default the relay that the page names. */
  readonly relay: string | undefined;
}

/** The result of an examination. */
export interface Examination {
  readonly findings: readonly Finding[];
  readonly relay: string | undefined;
  /** Such as `Chrome/156.0.8078.79`; null when HTTP alone was used. */
  readonly browser: string | null;
}

/** Examines a page in a browser. */
export async function examineInBrowser(path: string, patient: Patient): Promise<Examination> {
  const browser = await openBrowser(path);
  try {
    const visit = await visitPage(browser, patient.page);
    const relay = relayOf(patient, visit.record, visit.offers?.url);
    const findings = visit.record && !visit.failure ? await findingsOf(visit, visit.record, relay) : [];
    return { findings: [pageCheck(patient.page, visit), ...findings], relay, browser: browser.version };
  } finally {
    await browser.close();
  }
}

/** Examines a page as far as HTTP alone tells. */
export async function examineByHttp(patient: Patient): Promise<Examination> {
  const { record, policies, ...fetched } = await readPage(patient.page);
  const relay = relayOf(patient, record, undefined);
  const findings = [pageCheck(patient.page, fetched)];
  if (fetched.failure === undefined) {
    findings.push(...(await scriptChecks(record, { isActive: undefined })));
    findings.push(...staticPolicyChecks(policies, { page: record.href, script: record.scripts[0]?.src, relay }));
    findings.push(...(await relayFindings(relay, record.href)));
    findings.push(
      note(
        'Browser',
        'Without a browser nobody can tell whether the offers appear, whether the network accepts the key, and whether the page moves. Install Chromium, or name one with --browser.',
      ),
    );
  }
  return { findings, relay, browser: null };
}

async function findingsOf(visit: Visit, record: PageRecord, relay: string | undefined): Promise<Finding[]> {
  const { offers, errors, policy } = visit;
  const isActive = record.reported.length > 0 || offers !== undefined;
  const mode = [...record.scripts, ...record.elements].map((tag) => tag.mode).find(Boolean) ?? '';
  const scripts = record.scripts.map(({ src }) => src);
  const images = urlsIn(offers?.body ?? '');
  const ours = [...scripts, ...images, ...(relay === undefined ? [] : [`${relay}/`])];
  const isOurs = (text: string): boolean => ours.some((url) => text.includes(url));
  const hasOutcome = record.reported.some(({ code }) => code !== undefined);
  return [
    ...(await scriptChecks(record, { isActive })),
    ...policyChecks(record.violations, { isOurs, policy }),
    ...(await relayFindings(relay, record.href)),
    ...keyChecks(offers),
    ...(isActive || hasOutcome || scripts.length > 0 || record.elements.length > 0 ? [outcomeCheck(record)] : []),
    ...imageCheck(images, visit.failed),
    ...layoutChecks(record, mode),
    ...consoleChecks(errors, isOurs),
  ];
}

function pageCheck(url: string, { failure, status }: { failure?: string; status: number }): Finding {
  if (failure !== undefined) return bad('Page', `${url} cannot be loaded (${failure}).`);
  return status >= 200 && status < 300
    ? good('Page', `${url} returns ${status}.`)
    : bad('Page', `${url} returns ${status}.`);
}

/** The relay's URL: as given, as the page's request went to it, or as a tag names it. */
function relayOf(
  { page, relay }: Patient,
  record: Pick<PageRecord, 'href' | 'scripts' | 'elements'> | undefined,
  asked: string | undefined,
): string | undefined {
  if (relay !== undefined) return relay.replace(/\/+$/, '');
  if (asked !== undefined) return asked.replace(/\/recommendations$/, '');
  const named = [...(record?.scripts ?? []), ...(record?.elements ?? [])].map((tag) => tag.relay).find(Boolean);
  const base = record?.href ?? page;
  return named !== undefined && URL.canParse(named, base) ? new URL(named, base).href.replace(/\/+$/, '') : undefined;
}

async function relayFindings(relay: string | undefined, page: string): Promise<Finding[]> {
  if (relay !== undefined) return relayChecks(relay, page);
  return [note('Relay', 'The page does not say where its relay is. Name it with --relay to have it checked.')];
}

function staticPolicyChecks(
  policies: readonly string[],
  { page, script, relay }: { page: string; script: string | undefined; relay: string | undefined },
): Finding[] {
  const title = 'Content Security Policy';
  if (policies.length === 0) return [good(title, 'The page has none.')];
  const requests = [
    ...(script === undefined ? [] : [{ directive: 'script-src' as const, url: script }]),
    ...(relay === undefined ? [] : [{ directive: 'connect-src' as const, url: `${relay}/recommendations` }]),
  ];
  const blocked = requests.filter(({ directive, url }) => isAllowed(policies, { directive, url, page }) === false);
  if (blocked.length === 0) return [good(title, 'It allows script and relay, as far as that can be read from it.')];
  return blocked.map(({ directive, url }) =>
    bad(title, `It blocks ${url}. Add ${new URL(url).origin} to ${directive}.`),
  );
}

function urlsIn(text: string): string[] {
  return [...text.matchAll(/"(?:logo_url|image_url)":"([^"]+)"/g)].map(([, url = '']) => url);
}

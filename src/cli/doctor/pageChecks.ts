import { ERRORS_URL } from '../../wire/errors.ts';
import { CONTRAST_ADVICE, isReadable } from '../../dom/contrast.ts';
import { bad, good, note, type Finding } from './finding.ts';
import type { PageRecord, PageTags, Violation } from './recordPage.ts';
import type { ConsoleError, Visit } from './visitPage.ts';

/** Milliseconds around the outcome in which a layout shift is attributed to the offers. */
const ATTRIBUTED_MS = 500;
/** Pixels below which a move is rounding. */
const SHIFT_MIN_PX = 1;

/** Checks that offerlet is on the page, once. `isActive` is undefined where nobody knows what the page's scripts do. */
export function scriptCheck({ scripts, elements }: PageTags, isActive: boolean | undefined): Finding[] {
  const title = 'Script';
  const [tag] = scripts;
  if (scripts.length > 1)
    return bad(
      title,
      `offerlet.js is on this page ${scripts.length} times. The first one works, the others do nothing: remove them.`,
    );
  if (tag) return good(title, `One script tag: ${tag.src}`);
  const element = elements.length > 0 ? ' and the <offer-let> element' : '';
  if (isActive) return good(title, `No script tag: the offers come from the page's own bundle${element}.`);
  const text =
    'offerlet.js is not on this page. Add the script tag, or call showOffers() in your bundle. If a consent or tag manager adds it later, check that it has done so.';
  return isActive === undefined ? note(title, text) : bad(title, text);
}

/**
 * Says how the offers ended, or what they wait for, and what to do about it. An outcome that follows from another finding
 * refers to it: one cause is one failure.
 */
export function outcomeCheck(
  { reported, dialog }: PageRecord,
  { waiting, cause }: { waiting: Visit['waiting']; cause: Finding | undefined },
): Finding[] {
  const title = 'Outcome';
  const last = reported.findLast((event) => event.code !== undefined);
  if (!last) {
    const wait = waiting[0];
    if (wait) return waitingFinding(wait, dialog);
    return cause
      ? note(title, `None, because of "${cause.title}"`)
      : bad(title, 'The offers have no outcome. Has the script run, and is it called on this page?');
  }
  const { code = '', message = '', hint = '' } = last;
  const left = reported
    .filter(({ type }) => type === 'leftOut')
    .map(({ offer_id = '', reason = '' }) => `${offer_id}: ${reason}`);
  const said = [`${code}: ${message}`, hint, ...left];
  if (code === 'rendered') return left.length > 0 ? note(title, ...said) : good(title, ...said);
  if (/^(no_offers|consent_denied|consent_pending|already_shown|dismissed|destroyed)$/.test(code))
    return note(title, ...said);
  return cause
    ? note(title, `${code}, because of "${cause.title}"`)
    : bad(title, ...said, `See ${ERRORS_URL}#outcomes`);
}

function waitingFinding({ for: waitingFor, hint }: Visit['waiting'][number], dialog: string): Finding[] {
  const title = 'Outcome';
  switch (waitingFor) {
    case 'consent':
      return note(
        title,
        'The mount waits for a decision on consent, and requests nothing before.',
        hint || 'Call offerlet.consent(true) once the shopper agrees.',
      );
    case 'dialog':
      return note(
        title,
        `The offers wait until another modal dialog of the page is closed${dialog && `: ${dialog}`}.`,
        hint,
      );
    case 'relay':
      return bad(title, 'The offers wait for the relay, which has not responded.', hint || 'See the log of the relay.');
    case 'page':
      return bad(title, 'The mount waits for the page, which has not loaded.', hint);
    default:
      return note(title, `The mount waits for ${waitingFor.slice(0, 40)}.`, hint);
  }
}

/** Says what the page's policy has blocked. */
export function policyChecks(
  violations: readonly Violation[],
  { isOurs, policy }: { isOurs(url: string): boolean; policy: string | undefined },
): Finding[] {
  const title = 'Content Security Policy';
  const ours = violations.filter(({ blocked, source }) => isOurs(blocked) || isOurs(source));
  const lines = new Set(ours.map(({ directive, blocked }) => `${directive.replace(/-elem$/, '')}\n${blocked}`));
  const findings = [...lines].flatMap((line) => {
    const [directive = '', blocked = ''] = line.split('\n');
    const where = URL.canParse(blocked) ? new URL(blocked).origin : blocked;
    return bad(title, `It blocks ${blocked}. Add ${where} to ${directive}.`);
  });
  if (findings.length > 0) return findings;
  return good(title, policy === undefined ? 'The page has none.' : 'It allows the script, the relay and the images.');
}

/** Reports targets that match nothing, and places that the page hides. */
export function placeChecks({ boxes, missingTargets, reported }: PageRecord): Finding[] {
  const title = 'Place';
  if (!reported.some(({ code }) => code === 'rendered'))
    return missingTargets.flatMap((target) =>
      bad(title, `"${target}" matches nothing on this page. Correct data-target, or add the element to the page.`),
    );
  return boxes
    .filter(({ name, width, height }) => name !== 'offer-let-layer' && (width === 0 || height === 0))
    .flatMap(({ name, width, height }) =>
      bad(title, `The offers have a box of ${width} × ${height} pixels: the page hides ${name}.`),
    );
}

/** Checks that the page did not move when the offers came. */
export function layoutChecks({ reported, shifts, boxes }: PageRecord, mode: string): Finding[] {
  const title = 'Layout shift';
  const rendered = reported.find(({ code }) => code === 'rendered');
  if (!rendered) return [];
  if (mode !== 'INLINE' && mode !== '') return good(title, `${mode} offers are above the page and move nothing.`);
  const { at } = rendered;
  const attributed = shifts.filter(({ from, to }) => from <= at + ATTRIBUTED_MS && to >= at - ATTRIBUTED_MS);
  const pixels = Math.max(0, ...attributed.map((shift) => shift.pixels));
  const height = boxes[0]?.height ?? 0;
  if (pixels < SHIFT_MIN_PX) return good(title, 'Nothing moved when the offers were rendered.');
  return bad(
    title,
    `Content moved by ${pixels} px when the offers were rendered. Reserve ${height} px before the script: min-block-size: ${height}px.`,
  );
}

/** Checks that the texts of the offers can be read, as the inspector does. */
export function contrastCheck({ contrasts }: PageRecord): Finding[] {
  const title = 'Contrast';
  if (contrasts.length === 0) return [];
  const low = contrasts.filter((contrast) => !isReadable(contrast));
  const parts = low.map(({ name, ratio, required }) => `${name} ${ratio.toFixed(1)} : 1 instead of ${required} : 1`);
  if (low.length > 0) return bad(title, `Too low: ${[...new Set(parts)].join(', ')}`, CONTRAST_ADVICE);
  const lowest = Math.min(...contrasts.map(({ ratio }) => ratio));
  return good(title, `Every text can be read: at least ${lowest.toFixed(1)} : 1.`);
}

/** Checks that the images of the offers have loaded. */
export function imageCheck(urls: readonly string[], failed: ReadonlyMap<string, string>): Finding[] {
  const title = 'Images';
  const missing = urls.filter((url) => failed.has(url));
  if (urls.length === 0) return [];
  if (missing.length === 0) return good(title, 'Those that the page has requested have loaded.');
  const origins = [...new Set(missing.map((url) => new URL(url).origin))].join(', ');
  const reason = failed.get(missing[0] ?? '') ?? '';
  return bad(
    title,
    `${missing.length} of ${urls.length} images do not load (${reason}); logos are replaced by letters. Check that ${origins} serves them, and that img-src of the page allows it.`,
  );
}

/** Lists errors on the console, without those that another check explains. */
export function consoleChecks(
  errors: readonly ConsoleError[],
  isExplained: (error: ConsoleError) => boolean,
): Finding[] {
  const title = 'Console';
  const left = errors.filter((error) => !isExplained(error));
  if (left.length === 0) return good(title, errors.length === 0 ? 'No errors.' : 'No other errors.');
  return left.flatMap(({ text, url = '' }) =>
    text.startsWith('offerlet') ? bad(title, text) : note(title, `${text} ${url}`.trim()),
  );
}

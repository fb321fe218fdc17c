import { bad, good, note, type Finding } from './finding.ts';
import type { PageRecord, Violation } from './recordPage.ts';
import type { ConsoleError } from './visitPage.ts';

/** Milliseconds around the outcome in which a layout shift is attributed to the offers. */
const ATTRIBUTED_MS = 500;
/** Pixels below which a move is rounding. */
const SHIFT_MIN_PX = 1;

/** Says how the offers ended, and what to do about it. */
export function outcomeCheck({ reported, isWaiting }: PageRecord): Finding {
  const title = 'Outcome';
  const last = reported.findLast((event) => event.code !== undefined);
  if (!last)
    return isWaiting
      ? note(
          title,
          'The mount waits for a decision on consent, and requests nothing before. Call offerlet.consent(true) once the shopper agrees.',
        )
      : bad(title, 'The offers have no outcome. Has the script run, and is it called on this page?');
  const { code = '', message = '', hint = '' } = last;
  const left = reported
    .filter((event) => event.type === 'left_out')
    .map(({ offer_id, reason }) => ` ${offer_id}: ${reason}.`);
  const text = `${code}: ${message}. ${hint}${left.join('')}`.trim();
  if (code === 'rendered') return left.length > 0 ? note(title, text) : good(title, text);
  return ['no_offers', 'consent_denied', 'already_shown'].includes(code) ? note(title, text) : bad(title, text);
}

/** Says what the page's policy has blocked. */
export function policyChecks(
  violations: readonly Violation[],
  { isOurs, policy }: { isOurs(url: string): boolean; policy: string | undefined },
): Finding[] {
  const title = 'Content Security Policy';
  const ours = violations.filter(({ blocked, source }) => isOurs(blocked) || isOurs(source));
  const findings = [...new Set(ours.map(({ directive, blocked }) => `${directive}\n${blocked}`))].map((line) => {
    const [directive = '', blocked = ''] = line.split('\n');
    const where = URL.canParse(blocked) ? new URL(blocked).origin : blocked;
    return bad(title, `It blocks ${blocked}. Add ${where} to ${directive.replace(/-elem$/, '')}.`);
  });
  if (findings.length > 0) return findings;
  return [good(title, policy === undefined ? 'The page has none.' : 'It allows the script, the relay and the images.')];
}

/** Checks that the page did not move when the offers came, and that they can be seen. */
export function layoutChecks({ reported, shifts, boxes }: PageRecord, mode: string): Finding[] {
  const title = 'Layout shift';
  const rendered = reported.find(({ type }) => type === 'rendered');
  if (!rendered) return [];
  const hidden = boxes.filter(({ name, width, height }) => name !== 'offer-let-layer' && (width === 0 || height === 0));
  const places = hidden.map(({ name, width, height }) =>
    bad('Place', `The offers have a box of ${width} × ${height} pixels: the page hides ${name}.`),
  );
  if (mode !== 'INLINE' && mode !== '')
    return [...places, good(title, `${mode} offers are above the page and move nothing.`)];
  const attributed = shifts.filter(({ at }) => Math.abs(at - rendered.at) <= ATTRIBUTED_MS);
  const pixels = Math.max(0, ...attributed.map((shift) => shift.pixels));
  const height = boxes[0]?.height ?? 0;
  return [
    ...places,
    pixels < SHIFT_MIN_PX
      ? good(title, 'Nothing moved when the offers were rendered.')
      : bad(
          title,
          `Content moved by ${pixels} px when the offers were rendered. Reserve ${height} px before the script: min-block-size: ${height}px.`,
        ),
  ];
}

/** Checks that the images of the offers have loaded. */
export function imageCheck(urls: readonly string[], failed: ReadonlyMap<string, string>): Finding[] {
  const title = 'Images';
  const missing = urls.filter((url) => failed.has(url));
  if (urls.length === 0) return [];
  if (missing.length === 0) return [good(title, 'Those that the page has requested have loaded.')];
  const origins = [...new Set(missing.map((url) => new URL(url).origin))].join(', ');
  const reason = failed.get(missing[0] ?? '') ?? '';
  return [
    bad(
      title,
      `${missing.length} of ${urls.length} images do not load (${reason}); logos are replaced by letters. Check that ${origins} serves them, and that img-src of the page allows it.`,
    ),
  ];
}

/** Lists errors on the console, without those that another check explains. */
export function consoleChecks(errors: readonly ConsoleError[], isOurs: (text: string) => boolean): Finding[] {
  const title = 'Console';
  const left = errors.filter(({ text, url = '' }) => !isOurs(url) && !isOurs(text));
  if (left.length === 0) return [good(title, errors.length === 0 ? 'No errors.' : 'No other errors.')];
  return left.map(({ text, url = '' }) =>
    text.startsWith('offerlet') ? bad(title, text) : note(title, `${text} ${url}`.trim()),
  );
}

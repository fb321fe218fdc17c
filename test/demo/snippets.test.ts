import { expect, test } from 'vitest';
import { CHOICES, readChoices, type Choices } from '../../demo/choices/choices.ts';
import { placementHtml, showOptions } from '../../demo/placement/placement.ts';
import { snippets } from '../../demo/placement/snippets.ts';

const ORDER = { number: '1001', emailHash: 'b'.repeat(64) };
const choose = (query: string): Choices => readChoices(new URLSearchParams(query));
const codeOf = (query: string, title: string): string =>
  snippets(choose(query), ORDER).find((snippet) => snippet.title.startsWith(title))?.code ?? '';

/** Runs code that is shown for copying, with replacements for its imports. */
function run(code: string, world: Record<string, unknown>): void {
  const body = code.replaceAll(/^import .*$/gm, '').replace('const offers = ', 'offers = ');
  // oxlint-disable-next-line no-new-func, no-implied-eval -- what people paste must run
  new Function(...Object.keys(world), `let offers; ${body}`)(...Object.values(world));
}

test('the npm import that is shown requests what the page requests', () => {
  for (const mode of CHOICES.mode) {
    const asked: unknown[] = [];
    run(codeOf(`via=npm&mode=${mode}`, 'In your own code'), { showOffers: (options: unknown) => asked.push(options) });
    expect(asked).toEqual([showOptions(choose(`via=npm&mode=${mode}`), ORDER)]);
  }
});

test('with a banner the npm import waits for the decision', () => {
  const code = codeOf('via=npm&consent=banner', 'In your own code');
  const decision = Promise.resolve(true);
  const asked: { consent?: unknown }[] = [];
  const said: boolean[] = [];
  const showOffers = (options: { consent?: unknown }) => {
    asked.push(options);
    return { consent: (word: boolean) => said.push(word) };
  };
  run(code, { showOffers, banner: { decision } });
  expect(asked[0]?.consent).toBe(decision);
  expect(said).toEqual([false]);
});

test('the script tag in a single-page app shows and removes offers by calls that may precede it', () => {
  const calls: unknown[] = [];
  const page = {
    show: (options: unknown) => calls.push(options),
    destroy: () => calls.push('destroy'),
    consent: () => 0,
  };
  const window = { offerlet: { push: (call: (o: typeof page) => void) => call(page) } };
  run(codeOf('navigation=spa&mode=OVERLAY', 'In your own code'), { window });
  expect(calls).toEqual([showOptions(choose('navigation=spa&mode=OVERLAY'), ORDER), 'destroy']);
  expect(codeOf('navigation=spa&mode=OVERLAY', 'In the page')).toBe('<script async src="/offerlet.js"></script>');
});

test('the HTML that is shown is the HTML of the page', () => {
  expect(codeOf('', 'In the page')).toBe(placementHtml(choose(''), ORDER));
  expect(codeOf('via=element&mode=PULLUP', 'In the page')).toMatch(
    /^<offer-let\n {2}relay="\/offers"[^]*><\/offer-let>$/,
  );
});

test('a nonce is never shown: the next response has another one', () => {
  expect(codeOf('csp=nonce', 'In the page')).toContain('nonce="{the nonce of this response}"');
});

test('space is reserved for offers in the page, and only for those', () => {
  expect(codeOf('', 'In your style sheet')).toMatch(
    /^@media screen \{ #offers \{ min-block-size: 390px \} \}\n@media screen and \(width < 700px\) \{ #offers \{ min-block-size: 570px \} \}\n#offers\[data-offerlet="empty"\] \{ display: none \}$/,
  );
  expect(codeOf('via=element', 'In your style sheet')).toMatch(/^:where\(offer-let:not\(\[hidden\]\)\) \{/);
  expect(codeOf('mode=OVERLAY', 'In your style sheet')).toBe('');
});

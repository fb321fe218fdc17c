import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { examineByHttp } from '../../../src/cli/doctor/examine.ts';
import { bad, good } from '../../../src/cli/doctor/finding.ts';
import { consoleChecks, layoutChecks, outcomeCheck, placeChecks } from '../../../src/cli/doctor/pageChecks.ts';
import type { PageRecord } from '../../../src/cli/doctor/recordPage.ts';
import { cardChecks, readHtml } from '../../../src/cli/doctor/readPage.ts';
import { cacheChecks, keyChecks, prefetchChecks } from '../../../src/cli/doctor/serverChecks.ts';
import { ofSuite } from '../../fixtures/opened.ts';
import { serve } from '../../fixtures/serve.ts';

const RECORD: PageRecord = {
  href: 'https://shop.example/thank-you',
  scripts: [],
  elements: [],
  reported: [],
  violations: [],
  shifts: [],
  boxes: [],
  contrasts: [],
  missingTargets: [],
  isPrefetched: false,
  dialog: '',
};

test('a finding has whole sentences, however its parts end', () => {
  expect(
    good('x', 'One', 'Two.', '', ' At https://a.example ', 'Three?', 'Look at https://shop.example/a')[0]?.text,
  ).toBe('One. Two. At https://a.example. Three? Look at https://shop.example/a');
});

test.each([
  [401, 'key'],
  [403, 'key'],
  [404, 'path /offers/recommendations'],
  [413, 'leave out'],
  [422, 'placement_details.view'],
  [429, 'limit'],
  [502, 'offerlet-sandbox verify'],
  [503, 'log of the relay'],
])('the advice on a response with status %i speaks of: %s', (status, said) => {
  const json = {
    message: 'No.',
    errors: status === 422 ? [{ message: 'is missing', path: 'placement_details.view' }] : [],
  };
  const body = Buffer.from(JSON.stringify(json));
  const url = 'https://shop.example/offers/recommendations';
  const [finding] = keyChecks({ url, status, headers: {}, body, isTooLong: false });
  expect(finding).toMatchObject({ state: 'bad', title: 'Network and key' });
  expect(finding?.text.split(/(?<=\.) /).at(-1)).toContain(said);
  expect(finding?.text).not.toContain('..');
});

test('a busy page moves in a frame that began long before the offers were rendered', () => {
  const reported = [{ type: 'outcome', at: 2_000, code: 'rendered' }];
  const states = [
    { from: 600, to: 2_010 },
    { from: 2_450, to: 2_900 },
    { from: 100, to: 1_400 },
    { from: 2_600, to: 2_610 },
  ].map((shift) => layoutChecks({ ...RECORD, reported, shifts: [{ ...shift, pixels: 300 }] }, 'INLINE')[0]?.state);
  expect(states).toEqual(['bad', 'bad', 'good', 'good']);
});

test('an outcome that follows from another finding refers to it, and is not a separate failure', () => {
  const [cause] = bad('Relay', 'It is down.');
  const failed = {
    ...RECORD,
    reported: [{ type: 'outcome', at: 1, code: 'network_error', message: 'No response.', hint: 'Check it.' }],
  };
  expect(outcomeCheck(failed, { waiting: [], cause: undefined })).toEqual(
    bad(
      'Outcome',
      'network_error: No response. Check it. See https://github.com/offerlet/offerlet/blob/main/docs/errors.md#outcomes',
    ),
  );
  expect(outcomeCheck(failed, { waiting: [], cause })).toMatchObject([
    { state: 'note', text: 'network_error, because of "Relay".' },
  ]);
  expect(outcomeCheck(RECORD, { waiting: [], cause })).toMatchObject([{ state: 'note' }]);
  expect(outcomeCheck(RECORD, { waiting: [], cause: undefined })).toMatchObject([{ state: 'bad' }]);
});

test.each([
  ['consent', 'note', 'waits for a decision on consent'],
  ['dialog', 'note', 'another modal dialog of the page is closed: #cookies'],
  ['page', 'bad', 'waits for the page'],
  ['relay', 'bad', 'wait for the relay'],
  ['something new', 'note', 'waits for something new'],
])('a mount that waits for %s is a %s', (waitingFor, state, said) => {
  const [found] = outcomeCheck(
    { ...RECORD, dialog: '#cookies' },
    { waiting: [{ for: waitingFor, hint: 'Do this.' }], cause: undefined },
  );
  expect(found).toMatchObject({ state, title: 'Outcome' });
  expect(found?.text).toContain(said);
  expect(found?.text).toMatch(/Do this\.$/);
});

test('a target that matches nothing is named as it was written', () => {
  expect(placeChecks({ ...RECORD, missingTargets: ['#offer'] })).toEqual(
    bad('Place', '"#offer" matches nothing on this page. Correct data-target, or add the element to the page.'),
  );
});

test('errors that another finding explains are not listed again', () => {
  const errors = [
    { text: 'offerlet: view is missing.' },
    { text: 'mine' },
    { text: '404', url: 'https://shop.example/x' },
  ];
  expect(
    consoleChecks(errors, ({ text }) => text.startsWith('offerlet')).map(({ state, text }) => [state, text]),
  ).toEqual([
    ['note', 'mine.'],
    ['note', '404 https://shop.example/x'],
  ]);
});

test.each([
  [{}, undefined, 'bad'],
  [{ 'cache-control': 'private, no-store' }, undefined, 'good'],
  [{ 'cache-control': 'Private, No-Store' }, undefined, 'good'],
  [{ 'cache-control': 'no-cache' }, undefined, 'bad'],
  [{ 'cache-control': 'public, max-age=0, must-revalidate' }, undefined, 'bad'],
  [{ 'cache-control': 'public, max-age=600' }, 'note', 'bad'],
  [{ 'cache-control': 's-maxage=600' }, 'note', 'bad'],
  [{ 'cache-control': 'private', age: '3' }, 'note', 'bad'],
  [{ age: '12' }, 'note', 'bad'],
  [{ 'cache-control': 'private', 'x-cache': 'Miss from cloudfront' }, undefined, 'good'],
  [{ 'x-cache': 'HIT, MISS' }, 'note', 'bad'],
  [{ 'cache-status': 'edge; hit; ttl=10' }, 'note', 'bad'],
] as const)('caches: %j is %s for a page, and %s if it contains prefetched offers', (headers, usual, prefetched) => {
  const stateFor = (isPrefetched: boolean) => cacheChecks({ headers, record: { ...RECORD, isPrefetched } })[0]?.state;
  expect([stateFor(false), stateFor(true)]).toEqual([usual, prefetched]);
});

test.each([
  [false, [], []],
  [true, ['Used'], ['good: The offers that the server has prefetched were used.']],
  [true, ['Not used. X', 'Used'], ['good: The offers that the server has prefetched were used.']],
  [true, ['Not used. They are old'], ['note: The offers that the server has prefetched were not used. They are old.']],
  [
    true,
    [],
    ['note: The offers that the server has prefetched were not used. No offers on this page looked for them.'],
  ],
])('prefetched: a block on the page is %j and mounts say %j', (isPrefetched, prefetched, expected) => {
  const found = prefetchChecks({ record: { ...RECORD, isPrefetched }, prefetched });
  expect(found.map(({ state, text }) => `${state}: ${text}`)).toEqual(expected);
});

const CSS = '@media (width < 18em) { .offer { color: red } }';
const HASH = `'sha256-${createHash('sha256').update(CSS).digest('base64')}'`;
const STYLE = `<style>${CSS}</style>`;
const LINK = '<link rel="stylesheet" href="/assets/offerlet.css">';
const blockOf = (session_id: string): string =>
  `<script type="application/json" data-offerlet-offers>${JSON.stringify({ response: { session_id } })}</script>`;
const BLOCK = blockOf('session-1');

test.each([
  ['', BLOCK, "default-src 'none'", undefined, ''],
  [STYLE, BLOCK, undefined, 'good', ''],
  [STYLE, blockOf('session-2'), undefined, 'bad', 'Their block is not on the page'],
  [STYLE, '', undefined, 'bad', 'Their block is not on the page'],
  [STYLE, BLOCK, `style-src ${HASH}`, 'good', ''],
  [STYLE, BLOCK, "style-src 'unsafe-inline'", 'good', ''],
  [STYLE, BLOCK, "style-src 'unsafe-inline' 'nonce-1'", 'bad', `Add ${HASH} to style-src`],
  [STYLE.replace('red', 'blue'), BLOCK, `style-src ${HASH}`, 'bad', "Add 'sha256-"],
  [STYLE, BLOCK, "default-src 'self'", 'bad', `Add ${HASH} to style-src`],
  [LINK, BLOCK, "style-src 'self'", 'good', ''],
  [LINK, BLOCK, "style-src 'none'", 'bad', 'Add https://shop.example/assets/offerlet.css to style-src'],
] as const)('offers in the HTML with %j, beside %j and under %j, are %s. %s', (sheet, rest, policy, state, text) => {
  const card = `<div data-offerlet-card="session-1"><template shadowrootmode="open">${sheet}<p></p></template></div>`;
  const headers: Record<string, string> = policy === undefined ? {} : { 'content-security-policy': policy };
  const [found] = cardChecks(readHtml((sheet && card) + rest, { url: RECORD.href, status: 200, headers }));
  expect(found?.state).toBe(state);
  expect(found?.text ?? '').toContain(text);
});

let sent = 0;
const server = ofSuite(() =>
  serve((request, response) => {
    if (request.url === '/small')
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<script src="/small/offerlet.js"></script>');
    if (request.url === '/endless')
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<script src="/endless/offerlet.js"></script>');
    response.writeHead(200, { 'content-type': 'text/javascript' });
    if (request.url === '/small/offerlet.js') return void response.end('//');
    const part = Buffer.alloc(100_000, 32);
    const send = (): void => {
      do sent += part.length;
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', send);
    send();
  }),
);

async function textsOf(path: string): Promise<string> {
  const { findings } = await examineByHttp({ page: server.url + path });
  return findings.map(({ text }) => text).join('\n');
}

test('a script without end is read up to 1 MB, and is not offerlet.js', async () => {
  expect(await textsOf('/endless')).toContain('is larger than 1 MB: it is not offerlet.js.');
  // What the sockets have taken beyond that was never read.
  expect(sent).toBeLessThan(30_000_000);
});

test('a script is read whole', async () => {
  expect(await textsOf('/small')).toContain('the file comes from the page’s own origin');
});

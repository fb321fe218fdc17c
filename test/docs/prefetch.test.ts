// The files of examples/prefetch/ and their use on docs/guides/prefetch.md, run against the route that they call.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPrefetchRoute } from '../../src/relay/prefetchRoute.ts';
import { shopperCheck } from '../../src/wire/offers/prefetched.ts';
import { RESPONSE, setUp, type ScriptedNetwork } from '../relay/scriptedNetwork.ts';
import { serve, type Served } from '../fixtures/serve.ts';
import { codeIn, pageAt, proseOf } from './pages.ts';

const read = (name: string): string => readFileSync(`examples/prefetch/${name}`, 'utf8');
const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const isRequired = process.env['OFFERLET_TEST_PHP'] === '1';
const EMAIL_HASH = createHash('sha256').update('ada@example.com').digest('hex');

let network: ScriptedNetwork;
let server: Served;
beforeEach(async () => {
  const bench = setUp({ forwardAddress: true });
  network = bench.network;
  server = await serve(
    createPrefetchRoute({ relay: bench.relay, render: () => ({ html: '<b>Card</b>', styleHash: '' }) }),
  );
});
afterEach(() => server.close());

/** Runs a program with code on its standard input, and returns what it printed. */
function run(program: string, code: string, env: Record<string, string> = {}): Promise<string> {
  const args = program === 'php' ? ['-d', 'display_errors=stderr', '-d', 'error_reporting=-1'] : ['-'];
  const child = spawn(program, args, {
    env: { ...process.env, OFFERLET_PREFETCH: `${server.url}/prefetch`, ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(code);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) =>
      status === 0 && err === '' ? resolve(out) : reject(new Error(err || `${status}`)),
    );
  });
}

/** Checks what a snippet does for a shopper, with Global Privacy Control, without consent, and without a relay. */
async function expectPrefetched(
  block: (how: { headers: Record<string, string>; consent: boolean | undefined }) => Promise<string>,
): Promise<void> {
  const headers = { 'User-Agent': 'Mozilla/5.0 (iPhone) Mobile Safari', 'Accept-Language': 'de-CH,de;q=0.9' };
  const html = await block({ headers, consent: true });
  const [, json = ''] =
    /^<b>Card<\/b><script type="application\/json" data-offerlet-offers>(.*)<\/script>$/.exec(html.trim()) ?? [];
  expect(JSON.parse(json)).toEqual({
    view: 'THANK_YOU',
    display_mode: 'INLINE',
    order_id: '1001',
    shopper: { email_hash: shopperCheck(EMAIL_HASH, '1001') },
    at: expect.any(String) as unknown,
    response: RESPONSE,
  });
  expect(network.calls.map(({ body }) => body)).toEqual([
    {
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
      user_details: { email_hash: EMAIL_HASH },
      order_details: { order_id: '1001' },
      attributes: { device_type: 'MOBILE', language: 'de', ip_address: '203.0.113.7' },
    },
  ]);
  expect(await block({ headers: { ...headers, 'Sec-GPC': '1' }, consent: true })).toBe('');
  expect(await block({ headers, consent: false })).toBe('');
  expect(await block({ headers, consent: undefined })).toBe('');
  expect(network.calls).toHaveLength(1);
  // The same order gets the same block, whatever the network does meanwhile.
  network.respondWith(() => new Response('down', { status: 500 }));
  expect(await block({ headers, consent: true })).toContain('"order_id":"1001"');
  await server.close();
  expect(await block({ headers, consent: true })).toBe('');
}

const DOES = 'writes card and block, and nothing without consent, with GPC, or without a relay';

test.skipIf(!isThere('php') && !isRequired)(`the file for PHP ${DOES}`, async () => {
  const definition = read('offerlet.php');
  const use = codeIn(proseOf(pageAt('docs/guides/prefetch.md'))).find((code) => code.startsWith('echo ')) ?? '';
  await expectPrefetched(({ headers, consent }) => {
    const given = JSON.stringify(consent ?? null);
    const env = Object.entries(headers).map(([name, value]) => [
      `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
      value,
    ]);
    const code = `${definition}\n${use.replace(', true)', `, ${given})`)}`;
    return run('php', code, { REMOTE_ADDR: '203.0.113.7', ...(Object.fromEntries(env) as Record<string, string>) });
  });
});

test.skipIf(!isThere('python3'))(`the file for Python ${DOES}`, async () => {
  const definition = read('offerlet.py');
  await expectPrefetched(({ headers, consent }) => {
    const given = consent === undefined ? 'None' : consent ? 'True' : 'False';
    const order = '{"id": 1001, "email": " Ada@Example.com"}';
    const call = `print(offerlet_block(${order}, ${JSON.stringify(headers)}, "203.0.113.7", ${given}), end="")`;
    return run('python3', `${definition}\n\n${call}`);
  });
});

test.skipIf(!isThere('ruby'))(`the file for Rails ${DOES}`, async () => {
  const definition = read('offerlet_helper.rb');
  // What Rails has loaded, and what a helper finds in it.
  const rails = `require "net/http"
require "json"
require "digest"
class String; def html_safe; self; end; end
module I18n; def self.locale; :de; end; end
Request = Struct.new(:headers, :remote_ip)
Order = Struct.new(:number, :email)`;
  await expectPrefetched(({ headers, consent }) => {
    const view = `view = Object.new.extend(OfferletHelper)
view.define_singleton_method(:request) { Request.new(JSON.parse(ENV["HEADERS"]), "203.0.113.7") }
print view.offerlet_block(Order.new(1001, " Ada@Example.com"), consent: ${consent ?? 'nil'})`;
    return run('ruby', `${rails}\n${definition}\n${view}`, { HEADERS: JSON.stringify(headers) });
  });
});

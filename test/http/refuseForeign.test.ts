import { expect, test } from 'vitest';
import { refuseForeign, type LocalAccess } from '../../src/http/refuseForeign.ts';

const ME = { ip: '127.0.0.1' };

function attempt(headers: Record<string, string>, access: LocalAccess = ME, method = 'POST'): Response | undefined {
  const host = headers['host'] ?? 'localhost:4600';
  return refuseForeign(new Request(`http://${host}/sandbox/clock`, { method, headers: { host, ...headers } }), access);
}

test.each(['localhost:4600', 'localhost', '127.0.0.1:4600', '127.8.9.10', '[::1]:4600', 'LOCALHOST:4600', '127.1'])(
  'a program on this machine may call %s',
  (host) => {
    expect(attempt({ host })).toBeUndefined();
    expect(attempt({ host }, { ip: '::1' })).toBeUndefined();
    expect(attempt({ host }, { ip: '::ffff:127.0.0.1' })).toBeUndefined();
  },
);

test.each([
  'evil.example',
  'evil.example:4600',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '192.168.1.20',
  '0.0.0.0',
])('the host name %s is refused, as DNS rebinding would send it', async (host) => {
  const refused = attempt({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' });
  expect(refused?.status).toBe(403);
  expect(await refused?.json()).toEqual({ message: expect.stringContaining('--control-host') });
});

test('a request line and a Host header that disagree are both checked', () => {
  const request = (url: string, host: string) => new Request(url, { headers: { host } });
  expect(refuseForeign(request('http://localhost/sandbox/health', 'evil.example'), ME)?.status).toBe(403);
  expect(refuseForeign(request('http://evil.example/sandbox/health', 'localhost'), ME)?.status).toBe(403);
  expect(refuseForeign(request('http://localhost/sandbox/health', 'localhost@evil.example'), ME)?.status).toBe(403);
});

test.each([
  ['another site', { origin: 'https://elsewhere.example' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['another port of this machine', { origin: 'http://localhost:3000', 'content-type': 'text/plain' }],
  ['another name of this machine', { origin: 'http://127.0.0.1:4600' }],
  ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
  ['a same-site fetch', { 'sec-fetch-site': 'same-site' }],
  ['a form outside any page', { 'sec-fetch-site': 'none' }],
])('a page of another origin is refused: %s', (_, headers: Record<string, string>) => {
  expect(attempt(headers)?.status).toBe(403);
});

test('a page of the same origin may call, and so may the address bar, to read', () => {
  expect(attempt({ origin: 'http://localhost:4600', 'sec-fetch-site': 'same-origin' })).toBeUndefined();
  expect(attempt({ 'sec-fetch-site': 'none' }, ME, 'GET')).toBeUndefined();
});

test.each([
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded',
  'via',
  'forwarded',
  'x-real-ip',
  'x-original-host',
  'cf-connecting-ip',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-original-url',
  'x-rewrite-url',
  'x-envoy-external-address',
  'fastly-client-ip',
  'x-proxyuser-ip',
  'client-ip',
  'x-host',
  'x-scheme',
  'cdn-loop',
  'x_forwarded_for',
])('a request that a proxy forwarded (%s) is refused, at an allowed host name too', async (header) => {
  expect(attempt({ [header]: '203.0.113.7' })?.status).toBe(403);
  const refused = attempt({ [header]: '203.0.113.7', host: 'network' }, { ...ME, hosts: ['network'] });
  expect(await refused?.json()).toEqual({ message: expect.stringContaining(`"${header}"`) });
});

test('an allowed host name may be called from another machine, and only by that name', () => {
  const access = { ip: '172.17.0.3', hosts: ['network'] };
  expect(attempt({ host: 'network:4600' }, access)).toBeUndefined();
  expect(attempt({ host: 'network:4600', origin: 'http://network:4600' }, access)).toBeUndefined();
  expect(attempt({ host: 'other:4600' }, access)?.status).toBe(403);
  expect(attempt({ host: 'localhost:4600' }, access)?.status).toBe(403);
  expect(attempt({ host: 'network:4600', origin: 'http://evil.example' }, access)?.status).toBe(403);
});

test('a request made in this process may use any URL', () => {
  expect(refuseForeign(new Request('http://network.test/sandbox/health'), {})).toBeUndefined();
  expect(refuseForeign(new Request('http://network.test/sandbox/health'), ME)?.status).toBe(403);
});

test('a Host header alone proves nothing: without an address the request is refused', async () => {
  expect(await attempt({}, {})?.json()).toEqual({ message: expect.stringContaining('IP address of the caller') });
  expect(attempt({ host: 'network:4600' }, { hosts: ['network'] })).toBeUndefined();
});

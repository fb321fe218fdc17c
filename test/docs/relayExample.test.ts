import { createRelay } from 'offerlet/relay';
import { expect, test } from 'vitest';
import { codeBlocks, pageAt, sectionOf } from './pages.ts';

test('the example of what goes upstream is what goes upstream', async () => {
  const section = sectionOf(pageAt('docs/reference/relay.md'), 'What goes upstream');
  const [asked, forwarded] = codeBlocks({ path: 'docs/reference/relay.md', text: section }).map(({ code }) =>
    readMessage(code),
  );
  if (!asked || !forwarded) throw new Error('The section has two HTTP messages');
  const context = { user_details: { email: 'Ada@Example.com ' }, order_details: { order_id: '1001' } };
  expect(section).toContain("`{ user_details: { email: 'Ada@Example.com ' }, order_details: { order_id: '1001' } }`");

  const upstream: { url: string; headers: Headers; body: unknown }[] = [];
  const relay = createRelay({
    apiKey: 'adnet_rk_test_example',
    version: '1.0.0',
    networkUrl: 'https://partner.example',
    basePath: '/offers',
    context: () => context,
    async fetch(input, init) {
      const request = new Request(input, init);
      upstream.push({ url: request.url, headers: request.headers, body: await request.json() });
      return Response.json({ session_id: 's', recommendations: {}, unknown_field: 1 });
    },
  });
  const page = new Request(`https://shop.example${asked.path}`, {
    method: 'POST',
    headers: asked.headers,
    body: JSON.stringify(asked.body),
  });
  const response = await relay(page);

  const [sent] = upstream;
  expect(sent?.url).toBe(`https://partner.example${forwarded.path}`);
  expect(sent?.body).toEqual(forwarded.body);
  expect([...(sent?.headers.keys() ?? [])].toSorted()).toEqual([...forwarded.headers.keys()].toSorted());
  for (const name of ['version', 'accept', 'content-type'])
    expect(sent?.headers.get(name)).toBe(forwarded.headers.get(name));
  expect(await response.json()).toMatchObject({ unknown_field: 1 });
});

function readMessage(code: string): { path: string; headers: Headers; body: unknown } {
  const [head = '', body = ''] = code.split('\n\n');
  const [start = '', ...lines] = head.replaceAll('…', '...').split('\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
  return { path: start.split(' ')[1] ?? '', headers, body: JSON.parse(body) as unknown };
}

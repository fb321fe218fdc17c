import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptChecks } from '../../../src/cli/doctor/scriptChecks.ts';
import { serve, type Served } from '../../relay/serve.ts';

let server: Served;
let sent = 0;
beforeAll(async () => {
  server = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    if (request.url === '/small.js') return void response.end('//');
    const part = Buffer.alloc(100_000, 32);
    const send = (): void => {
      do sent += part.length;
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', send);
    send();
  });
});
afterAll(() => server.close());

async function check(path: string): Promise<string> {
  const script = { src: server.url + path, integrity: '', crossorigin: false };
  const page = { href: `${server.url}/`, scripts: [script], elements: [] } as unknown as Parameters<
    typeof scriptChecks
  >[0];
  const findings = await scriptChecks(page, { isActive: true });
  return findings.map(({ text }) => text).join('\n');
}

test('a script without end is read up to 1 MB, and is not offerlet.js', async () => {
  expect(await check('/endless.js')).toContain('is larger than 1 MB: it is not offerlet.js.');
  // What the sockets have taken beyond that was never read.
  expect(sent).toBeLessThan(30_000_000);
});

test('a script is read whole', async () => {
  expect(await check('/small.js')).toContain('the file comes from the page’s own origin');
});

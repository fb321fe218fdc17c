import { request } from 'node:http';
import { expect, test } from 'vitest';
import { serve } from '../../src/sandbox/startNetwork.ts';

test('a Host header that makes no URL is a 400', async () => {
  const server = await serve((asked) => new Response(new URL(asked.url).pathname), { port: 0 });
  const status = await new Promise((resolve, reject) => {
    request(`${server.url}/health`, { headers: { host: '127.999.1.1' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
  await server.close();
  expect(status).toBe(400);
});

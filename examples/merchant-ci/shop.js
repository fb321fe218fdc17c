// A shop's server, as small as it can be: the thank-you page and the script. In production it would mount the relay as well;
// the tests don't need one.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILES = {
  '/thank-you': ['text/html; charset=utf-8', readFileSync(new URL('thank-you.html', import.meta.url))],
  '/offerlet.js': ['text/javascript', readFileSync(fileURLToPath(import.meta.resolve('offerlet/offerlet.js')))],
};

const server = createServer((request, response) => {
  const [type, body] = FILES[request.url] ?? [];
  if (type) response.writeHead(200, { 'content-type': type }).end(body);
  else response.writeHead(404).end();
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1');

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server answers: a status and JSON, or whatever a function does with the response. */
export type Scripted =
  | { status?: number; body?: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse, request: Seen) => void);

/** A real server on a free port that answers what a test says, one scripted answer per request, the last one for ever. */
export interface ScriptedServer {
  readonly url: string;
  readonly seen: Seen[];
  answers: Scripted[];
  close(): Promise<void>;
}

/** Starts one; the test closes it. */
export async function openScriptedServer(): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const script: ScriptedServer = { url: '', seen, answers: [], close: async () => undefined };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const call: Seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(call);
      const answer = (script.answers.length > 1 ? script.answers.shift() : script.answers[0]) ?? { status: 500 };
      if (typeof answer === 'function') return answer(response, call);
      const { status = 200, headers = {}, body: json } = answer;
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers });
      response.end(json === undefined ? undefined : typeof json === 'string' ? json : JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(script, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

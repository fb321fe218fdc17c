import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../../fixtures/serve.ts';

/** One request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A scripted response: a status and JSON, or a function that writes to the response. */
export type Scripted =
  | { status?: number; body?: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse, request: ReceivedRequest) => void);

/** A real server on a free port that sends scripted responses, one for each request; the last one repeats. */
export interface ScriptedServer {
  readonly url: string;
  readonly seen: ReceivedRequest[];
  responses: Scripted[];
  close(): Promise<void>;
}

/** Starts a scripted server; the test closes it. */
export async function openScriptedServer(): Promise<ScriptedServer> {
  const script = { seen: [] as ReceivedRequest[], responses: [] as Scripted[] };
  const server = await serve((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const call: ReceivedRequest = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
      };
      script.seen.push(call);
      const scripted = (script.responses.length > 1 ? script.responses.shift() : script.responses[0]) ?? {
        status: 500,
      };
      if (typeof scripted === 'function') return scripted(response, call);
      const { status = 200, headers = {}, body: json } = scripted;
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers });
      response.end(json === undefined ? undefined : typeof json === 'string' ? json : JSON.stringify(json));
    });
  });
  return Object.assign(script, server);
}

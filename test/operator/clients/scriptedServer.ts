import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
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
  const server = await serve(async (request, response) => {
    const { method = '', url = '', headers: sent } = request;
    const call: ReceivedRequest = { method, url, headers: sent, body: await text(request) };
    script.seen.push(call);
    const { responses } = script;
    const scripted = (responses.length > 1 ? responses.shift() : responses[0]) ?? { status: 500 };
    if (typeof scripted === 'function') return scripted(response, call);
    const { status = 200, headers = {}, body } = scripted;
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers });
    response.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
  return Object.assign(script, server);
}

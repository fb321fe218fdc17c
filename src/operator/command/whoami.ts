import { EXIT, ExitError } from '../../cli/ExitError.ts';
import { safeText } from '../../cli/output/terminal.ts';
import { AuthError, ApiError, UnreachableError } from '../clients/errors.ts';
import type { Connection } from './connection.ts';
import { operatorCommand } from './operatorCommand.ts';
import { own, parseJson, readCappedText } from '../../wire/json.ts';
import { hideKey, readKey } from '../../wire/keys.ts';
import { RESPONSE_MAX_BYTES } from '../../wire/limits.ts';

/** Milliseconds for the network's health, which not every network has. */
const HEALTH_MS = 5_000;

/** `offerlet-operator whoami`: which network, environment, channel or publisher the key belongs to. */
export const whoami = operatorCommand({
  summary: 'Shows the network, the environment, and the channel or publisher that the key belongs to.',
  options: {},
  examples: [{ call: 'offerlet-operator whoami --network http://127.0.0.1:4600', does: 'Checks network and key' }],
  async run({ connection, print }) {
    const [health, owner] = await Promise.all([readHealth(connection.url), findOwner(connection)]);
    const environment = health.environment ?? readKey(connection.apiKey)?.environment ?? null;
    const me = {
      network: connection.url,
      environment,
      network_version: health.version ?? null,
      key: owner.key,
      channel: owner.channel,
      access: owner.access,
    };
    print({
      json: me,
      csv: { rows: [me], columns: Object.keys(me) },
      table: () => ({
        columns: [{ header: 'FIELD', isFixed: true }, { header: 'VALUE' }],
        rows: [
          ['Network', safeText(connection.url)],
          ['Environment', { text: environment ?? 'unknown', tone: environment === 'production' ? 'bad' : 'good' }],
          ...(owner.channel === null ? [] : [['Channel', { text: safeText(owner.channel), tone: 'strong' as const }]]),
          ['Key', owner.key],
          ['Access', owner.access],
        ],
      }),
    });
  },
});

interface Owner {
  readonly key: string;
  readonly channel: string | null;
  readonly access: string;
}

/** Asks one interface after the other: a key opens one of them. */
async function findOwner(connection: Connection): Promise<Owner> {
  const family = readKey(connection.apiKey)?.family;
  if (family === 'integration' || family === 'partner_wide') return integrationKey(connection, family);
  try {
    const { name } = await connection.channel().details();
    return family === 'publishable'
      ? { key: 'publishable', channel: name, access: 'reads the channel' }
      : { key: 'management', channel: name, access: 'reads and changes the channel, reads its reports' };
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const isReporting = await readsPublisherReports(connection);
    if (!isReporting) throw error;
    return {
      key: 'publisher reporting',
      channel: null,
      access: 'reads the reports of one publisher (--variant publisher)',
    };
  }
}

async function readsPublisherReports(connection: Connection): Promise<boolean> {
  try {
    await connection.publisherReport().report({ limit: 1 });
    return true;
  } catch (error) {
    // Any other refusal means that the key was accepted.
    return error instanceof ApiError && error.status === 400;
  }
}

/** An empty request is refused for what it lacks, after the key has been checked. It opens no session. */
async function integrationKey({ url, apiKey, keySource }: Connection, family: string): Promise<Owner> {
  const { status, body } = await askForOffers(url, apiKey);
  const message = own(body, 'message');
  const reason = typeof message === 'string' ? hideKey(message, apiKey).slice(0, 300) : '';
  if (status === 401 || status === 403)
    throw new ExitError(
      `${safeText(reason).replace(/[.\s]+$/, '') || 'The key was refused'} (${status}). Check ${keySource}.`,
      EXIT.refused,
    );
  // Anything else says nothing about the key: another server may have responded, or one that is down.
  const isChecked = status === 400 || status === 422 || (status === 200 && own(body, 'session_id') !== undefined);
  if (!isChecked)
    throw new ExitError(
      `POST /recommendations returned ${status}: the key was not checked. Check --network.`,
      EXIT.failed,
    );
  const key = family === 'integration' ? 'integration' : 'partner-wide integration';
  return { key, channel: null, access: 'requests offers and reports events: for the relay, not for these commands' };
}

async function askForOffers(url: string, apiKey: string): Promise<{ status: number; body: unknown }> {
  try {
    const headers = { 'x-api-key': apiKey, version: '1.0.0', 'content-type': 'application/json' };
    return await request(url, '/recommendations', { method: 'POST', headers, body: '{}' });
  } catch (cause) {
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
    const why = isTimeout ? `timed out after ${HEALTH_MS} ms` : 'got no response';
    throw new UnreachableError(`POST /recommendations ${why}.`, { status: 0, cause });
  }
}

async function readHealth(url: string): Promise<{ environment: string | undefined; version: string | undefined }> {
  const health = await request(url, '/health').catch(() => undefined);
  const text = (name: string): string | undefined => {
    const value = own(health?.body, name);
    return typeof value === 'string' ? safeText(value).slice(0, 40) : undefined;
  };
  return { environment: text('environment'), version: text('version') };
}

/** Calls the network without its client, which knows neither its health nor keys of other kinds. */
async function request(url: string, path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const signal = AbortSignal.timeout(HEALTH_MS);
  const response = await fetch(url.replace(/\/+$/, '') + path, { ...init, redirect: 'error', signal });
  return { status: response.status, body: parseJson((await readCappedText(response, RESPONSE_MAX_BYTES)) ?? '') };
}

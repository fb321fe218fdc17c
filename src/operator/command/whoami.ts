import { safeText } from '../../program/terminal.ts';
import { connect } from '../../http/connect.ts';
import { AuthError, ApiError, OPERATOR } from '../clients/errors.ts';
import type { Connection } from './connection.ts';
import { operatorCommand } from './operatorCommand.ts';
import { fetchText } from '../../http/fetchText.ts';
import { own, parseJson } from '../../wire/json.ts';
import { readKey } from '../../wire/keys.ts';
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
  if (family === 'integration' || family === 'partner_wide') {
    const call = connect({ networkUrl: connection.url, apiKey: connection.apiKey }, OPERATOR);
    // An empty request is refused for what it lacks, once the key has been checked. It opens no session.
    const isResult = (status: number): boolean => status === 400 || status === 422;
    await call({ method: 'POST', path: '/recommendations', body: {}, isResult });
    const key = family === 'integration' ? 'integration' : 'partner-wide integration';
    return { key, channel: null, access: 'requests offers and reports events: for the relay, not for these commands' };
  }
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

/** Reads the network's health without its client, which does not know it. */
async function readHealth(url: string): Promise<{ environment: string | undefined; version: string | undefined }> {
  const limits = { ms: HEALTH_MS, maxBytes: RESPONSE_MAX_BYTES };
  const health = await fetchText(`${url.replace(/\/+$/, '')}/health`, {}, limits).catch(() => undefined);
  const text = (name: string): string | undefined => {
    const value = own(parseJson(health?.text ?? ''), name);
    return typeof value === 'string' ? safeText(value).slice(0, 40) : undefined;
  };
  return { environment: text('environment'), version: text('version') };
}

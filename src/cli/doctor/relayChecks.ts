import { isObject, own, parseJson } from '../../wire/json.ts';
import { readError } from '../../wire/errors.ts';
import { bad, good, note, type Finding } from './finding.ts';
import { FETCH_MS, reasonOf } from './readPage.ts';
import { readStart } from '../readStart.ts';
import type { RelayResponse } from './visitPage.ts';

/** Bytes of a response to `/health` that are read: no relay sends more. */
const HEALTH_MAX = 1_000_000;

/** Checks that the relay responds where the page looks for it, and what it says about itself. */
export async function relayChecks(relay: string, page: string): Promise<Finding[]> {
  const title = 'Relay';
  const url = `${relay}/health`;
  const { origin } = new URL(page);
  const isForeign = new URL(relay).origin !== origin;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), headers: isForeign ? { origin } : {} });
    const text = await readStart(response, HEALTH_MAX);
    const json = parseJson(text);
    if (response.status === 403 && isForeign)
      return [bad(title, `${relay} does not allow ${origin}. Add it to allowedOrigins.`)];
    if (!response.ok) {
      const advice =
        response.status === 404 ? 'Mount the relay there, or correct the path on the page.' : 'See its log.';
      return [bad(title, `${url} returns ${response.status}. ${advice}`)];
    }
    if (own(json, 'status') !== 'ok')
      return [
        bad(
          title,
          `${url} returns ${response.status}, but it is not a relay. Mount the relay there, or correct the path on the page.`,
        ),
      ];
    if (own(json, 'network') === 'failing')
      return [bad(title, `${url} responds, but the network behind it keeps failing. See the log of the relay.`)];
    return [good(title, `${url} returns ${response.status}.`), ...environmentChecks(json)];
  } catch (error) {
    return [bad(title, `${url} does not respond (${reasonOf(error)}). Check that the relay is up.`)];
  }
}

function environmentChecks(health: unknown): Finding[] {
  const environment = own(health, 'environment');
  const isSandbox = own(health, 'sandbox') === true;
  const where =
    typeof environment === 'string' ? `The relay is for ${environment}` : 'The relay does not name its environment';
  return isSandbox || environment === 'staging'
    ? [
        note(
          'Environment',
          `${where}${isSandbox ? ' and in sandbox mode' : ''}: its offers are tests, and nothing is paid for.`,
        ),
      ]
    : [good('Environment', `${where}.`)];
}

/** Checks what the relay, and the network behind it, have responded to the page's request for offers. */
export function keyChecks(offers: RelayResponse | undefined): Finding[] {
  if (!offers) return [];
  const title = 'Network and key';
  const { status, body } = offers;
  const json = parseJson(body);
  // The browser does not always keep the body; whether it could be read is part of the outcome.
  if (status === 200 && (isObject(json) || body === ''))
    return [good(title, 'The network accepts the key of the relay and returns offers.')];
  const { message } = readError(status, json);
  if (status === 401 || status === 403)
    return [
      bad(
        title,
        `The request for offers was refused with ${status}: ${message}. Check the key of the relay: a test key belongs to a staging network, a live key to a production network.`,
      ),
    ];
  const said = `The request for offers returned ${status}: ${message}.`;
  return [
    bad(title, `${said} ${status >= 500 ? 'See the log of the relay.' : 'Correct what the page or the server sends.'}`),
  ];
}

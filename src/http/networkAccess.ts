import { isInTheClear, looksSecret, type Environment } from '../wire/keys.ts';

/** Throws the error of an option: `problem` continues the option's name, says what is wrong, and what to use instead. */
export type Refuse = (option: string, problem: string) => never;

/** Returns a key. It is checked before any call, because `fetch` would repeat a key that is no valid header value in its error. */
export function readApiKey(apiKey: unknown, { use, refuse }: { use: string; refuse: Refuse }): string {
  if (typeof apiKey !== 'string' || apiKey === '') return refuse('apiKey', `is missing. ${use}`);
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    return refuse(
      'apiKey',
      'contains a space, a line break or another character that no key has. Copy it again, without what surrounds it.',
    );
  return apiKey;
}

/** Keys that open other interfaces of the network. The Recommendations API would refuse them at every request. */
const OTHER_KEYS = [
  { prefix: 'adnet_pk_', name: 'publishable' },
  { prefix: 'adnet_sk_', name: 'management' },
] as const;

/** Returns a key of the Recommendations API. */
export function readIntegrationKey(apiKey: unknown, refuse: Refuse): string {
  const use = 'Use the integration key, such as process.env.OFFERLET_API_KEY.';
  const key = readApiKey(apiKey, { use, refuse });
  const wrong = OTHER_KEYS.find(({ prefix }) => key.startsWith(prefix));
  if (wrong) refuse('apiKey', `is a ${wrong.name} key (${wrong.prefix}…). Use the integration key (adnet_rk_…).`);
  return key;
}

/** Returns a network's URL, without a slash at its end. `environment`: that of the key, where it is known. */
export function readNetworkUrl(
  networkUrl: unknown,
  { environment, example, refuse }: { environment: Environment | undefined; example: string; refuse: Refuse },
): string {
  const no = (problem: string, more = ''): never =>
    refuse('networkUrl', `${problem}. Use something like "${example}"${more}.`);
  if (networkUrl === undefined || networkUrl === '') return no('is missing');
  if (typeof networkUrl !== 'string' || !URL.canParse(networkUrl))
    return no(`is not a valid URL: ${quote(networkUrl)}`);
  const url = new URL(networkUrl);
  if (looksSecret(networkUrl)) return no('contains a key', ', and pass the key as apiKey');
  if (url.username || url.password) return no('contains a user name or a password', ', and pass the key as apiKey');
  if (url.search || url.hash) return no('ends in a query or a fragment');
  if (!/^https?:$/.test(url.protocol)) return no('is not a valid http(s) URL: it must begin with https://');
  if (isInTheClear(url, environment)) {
    const key = environment === undefined ? 'a key that may be live' : 'a live key';
    return no(`is not https, so ${key} would be sent in the clear`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Returns a version of the Recommendations API, which every request names. */
export function readVersion(version: unknown, refuse: Refuse): string {
  if (typeof version === 'string' && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version)) return version;
  const problem = version === undefined ? 'is missing' : `is not a version: ${quote(version)}`;
  return refuse(
    'version',
    `${problem}. Use the three numbers of the Recommendations API version that you tested with, such as "1.0.0".`,
  );
}

const QUOTED_MAX = 100;

/** A value as an error message shows it, unless it may be a key that was used for the wrong option. */
export function quote(value: unknown, mark = '"'): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return mayBeKey(text) ? '(not shown, because it may be a key)' : mark + text.slice(0, QUOTED_MAX) + mark;
}

/** Whether a text looks like a key of this or another network: a long word of letters and digits. */
function mayBeKey(text: string): boolean {
  return looksSecret(text) || (text.match(/[\w-]{16,}/g) ?? []).some((word) => /\d/.test(word) && /[a-z]/i.test(word));
}

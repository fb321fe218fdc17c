import { dirname, join, resolve } from 'node:path';
import { readHostName } from '../http/refuseForeign.ts';
import type { RelayOptions } from '../relay.ts';
import { OPTION_NAMES } from '../relay/options/readOptions.ts';
import { didYouMean } from '../text/didYouMean.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { UsageError } from '../program/ExitError.ts';
import type { ShopSettings } from './openShop.ts';
import { readKeyFile } from '../program/readKeyFile.ts';

/** What a shop of the file has besides options of `createRelay`. */
const OWN = ['hosts', 'apiKeyFile', 'context', 'contextSecret', 'prefetchToken'] as const;
/** As a directory and a part of a Redis key. */
const NAME = /^[a-z0-9][\w.-]{0,63}$/i;
/** Bytes of the file that are read: about 5,000 shops. */
const FILE_MAX = 4 * 1024 * 1024;

/** What the shops of a file have in common. */
export interface Common {
  readonly options: Partial<RelayOptions>;
  readonly data: string | undefined;
  readonly redis: string | undefined;
  readonly redisPrefix: string;
  /** Gets a line for people, about a file that others can read. */
  note(line: string): void;
}

/** Reads the file of `--shops`: an object with the settings of each shop by its name. Throws a `UsageError`. */
export function readShops(path: string, common: Common): readonly ShopSettings[] {
  const file = resolve(path);
  const all = parseJson(readKeyFile('--shops', file, common.note, FILE_MAX));
  const no = (problem: string): never => {
    throw new UsageError(`--shops ${file}: ${problem}`);
  };
  if (!isObject(all) || Object.keys(all).length === 0)
    return no('must be a JSON object with a shop by each name, such as { "tea": { "hosts": ["tea.example"], … } }.');
  const taken = new Map<string, string>();
  return Object.entries(all).map(([name, given]) => {
    if (!NAME.test(name)) no(`"${name}" is not a name of a shop. Use up to 64 letters, digits, dots and hyphens.`);
    if (!isObject(given)) return no(`${name} must be an object.`);
    const { hosts = [], apiKeyFile, context, contextSecret, prefetchToken, ...rest } = given;
    for (const option of Object.keys(rest))
      if (!OPTION_NAMES.includes(option))
        no(`${name} has no option "${option}".${didYouMean(option, [...OWN, ...OPTION_NAMES])}`);
    for (const [option, value] of Object.entries({ apiKeyFile, context, contextSecret, prefetchToken }))
      if (value !== undefined && typeof value !== 'string') no(`${name}.${option} must be a text.`);
    const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
    // A pattern is no name: it would never be met.
    const nameOf = (host: unknown): string => (String(host).includes('*') ? '' : (readHostName(String(host)) ?? ''));
    const names = Array.isArray(hosts) ? hosts.map(nameOf) : [''];
    if (names.includes('')) no(`${name}.hosts must be a list of host names, such as ["tea.example"].`);
    const keyFile = text(apiKeyFile);
    const apiKey =
      keyFile === undefined
        ? rest['apiKey']
        : readKeyFile(`--shops ${name}.apiKeyFile`, resolve(dirname(file), keyFile), common.note);
    // One shop's key must never be the default of another.
    if (typeof apiKey !== 'string') return no(`${name} has no key. Use apiKey or apiKeyFile.`);
    const options: Partial<RelayOptions> = { ...common.options, ...rest, apiKey };
    for (const host of names.length === 0 ? ['every host'] : names) {
      const place = `${host} ${(options.basePath ?? '').replace(/\/$/, '') || '/'}`;
      const other = taken.get(place);
      if (other !== undefined) no(`${other} and ${name} are both at ${place}.`);
      taken.set(place, name);
    }
    return {
      name,
      hosts: names,
      options,
      context: text(context),
      contextSecret: text(contextSecret),
      prefetchToken: text(prefetchToken),
      data: common.data === undefined ? undefined : join(common.data, name),
      redis: common.redis,
      redisPrefix: `${common.redisPrefix}${name}:`,
    };
  });
}

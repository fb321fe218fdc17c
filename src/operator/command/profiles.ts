import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Command, FORMAT, type Options, readCall } from '../../cli/command.ts';
import { print, replaceFile } from '../../cli/output/print.ts';
import { openTerminal } from '../../cli/output/terminal.ts';
import { readKeyFile } from '../../cli/readKeyFile.ts';
import { UsageError } from '../../cli/ExitError.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { didYouMean } from '../../wire/didYouMean.ts';
import { isObject, own, parseJson } from '../../wire/json.ts';
import { looksSecret, readKey } from '../../wire/keys.ts';

/** A network and where its key is: the file of profiles never contains the key itself. */
export interface Profile {
  readonly name: string;
  readonly network: string;
  /** The file with the key, or … */
  readonly keyFile: string | undefined;
  /** … the environment variable. */
  readonly keyVariable: string | undefined;
  /** `publisher` for a publisher's reporting key. */
  readonly variant: 'channel' | 'publisher';
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where the profiles of this account are. */
function profilesPath(env: Env): string {
  const home = env['HOME'] || homedir();
  const folder =
    process.platform === 'win32'
      ? env['APPDATA'] || join(home, 'AppData', 'Roaming')
      : env['XDG_CONFIG_HOME'] || join(home, '.config');
  return join(folder, 'offerlet', 'profiles.json');
}

/** Returns the profiles of this account. Throws a `UsageError` when their file is not valid, or when somebody else could have written it. */
export function readProfiles(env: Env): readonly Profile[] {
  const path = profilesPath(env);
  const text = readOwnFile(path);
  if (text === undefined) return [];
  const refuse = (what: string): UsageError => new UsageError(`${what} in "${path}".`);
  if (looksSecret(text)) throw refuse('There is a key, which belongs in a file of its own,');
  const profiles = own(parseJson(text), 'profiles');
  if (!isObject(profiles)) throw refuse('There is no JSON object "profiles"');
  return Object.entries(profiles).map(([name, profile]) => {
    const text = (field: string): string | undefined => {
      const value = isObject(profile) ? own(profile, field) : undefined;
      if (value === undefined || (typeof value === 'string' && value !== '')) return value;
      throw refuse(`${field} of "${name}" is not a text`);
    };
    checkName(name);
    const [network, file, keyVariable, variant = 'channel'] = ['network', 'api_key_file', 'api_key_env', 'variant'].map(
      text,
    );
    if (network === undefined) throw refuse(`network of "${name}" is missing`);
    if ((file === undefined) === (keyVariable === undefined))
      throw refuse(`"${name}" needs either api_key_file or api_key_env`);
    if (variant !== 'channel' && variant !== 'publisher')
      throw refuse(`variant of "${name}" is not channel or publisher`);
    return {
      name,
      network,
      keyFile: file === undefined ? undefined : absolute(file, { env, path }),
      keyVariable,
      variant,
    };
  });
}

/** Returns the profile of a name. Throws a `UsageError` with the known names when there is none. */
export function findProfile(env: Env, name: string): Profile {
  const profiles = readProfiles(env);
  const found = profiles.find((one) => one.name === name);
  if (found) return found;
  const names = profiles.map((one) => one.name);
  throw new UsageError(
    `There is no profile "${name}".${didYouMean(name, names)} ${names.length > 0 ? `There are ${names.join(', ')}.` : 'Use "offerlet-operator profiles add NAME".'}`,
  );
}

/** Reads a file that only this account can write: any other writer could have a key sent to another network. */
function readOwnFile(path: string): string | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return undefined;
  const isOthers = process.getuid !== undefined && (status.uid !== process.getuid() || (status.mode & 0o022) !== 0);
  if (isOthers && !status.isSymbolicLink())
    throw new UsageError(`Other accounts can change "${path}". Run chmod 600 on it, as its owner.`);
  return readFileSync(path, 'utf8');
}

function absolute(file: string, { env, path }: { env: Env; path: string }): string {
  if (file.startsWith('~/')) return join(env['HOME'] || homedir(), file.slice(2));
  return isAbsolute(file) ? file : join(dirname(path), file);
}

function checkName(name: string): void {
  if (!/^[\w.-]{1,40}$/.test(name) || /^\.+$/.test(name))
    throw new UsageError(`"${name}" is not a name for a profile. Use letters, digits, - and _.`);
}

/** `offerlet-operator profiles list`: the names that `--profile` takes. */
export const profilesList: Command = {
  summary: 'Lists the profiles: a network and its key by one name.',
  options: FORMAT,
  environment: '',
  examples: [{ call: 'offerlet-operator profiles list', does: 'The names that --profile takes' }],
  async run({ argv, env }) {
    const { settings } = readCall(FORMAT, { argv, env: {} });
    const terminal = openTerminal({ env });
    const rows = readProfiles(env).map((profile) => {
      const { environment, problem } = environmentOf(profile, env);
      const { name, network, variant, keyFile, keyVariable } = profile;
      return { name, network, environment, variant, key: keyFile ?? keyVariable ?? '', problem };
    });
    print(
      {
        json: { profiles: rows },
        csv: { rows, columns: ['name', 'network', 'environment', 'variant', 'key', 'problem'] },
        table: () => ({
          columns: [
            { header: 'NAME', isFixed: true },
            { header: 'ENVIRONMENT', isFixed: true },
            { header: 'NETWORK' },
            { header: 'KEY' },
          ],
          rows: rows.map(({ name, network, environment, key, problem }) => [
            { text: name, tone: 'strong' },
            { text: environment ?? 'unknown', tone: environment === 'production' ? 'bad' : undefined },
            network,
            problem === null ? key : { text: problem, tone: 'bad' },
          ]),
        }),
      },
      { format: settings, terminal },
    );
    if (rows.length === 0) terminal.note('There are no profiles. Use "offerlet-operator profiles add NAME".');
  },
};

/** Returns what the key of a profile says, or why it cannot be read. */
function environmentOf(
  { name, keyFile, keyVariable = '' }: Profile,
  env: Env,
): { environment: 'production' | 'staging' | null; problem: string | null } {
  try {
    const key =
      keyFile === undefined ? env[keyVariable]?.trim() : readKeyFile(`The key of "${name}"`, keyFile, () => undefined);
    if (!key) return { environment: null, problem: `${keyVariable} is not set` };
    return { environment: readKey(key)?.environment ?? null, problem: null };
  } catch (error) {
    return { environment: null, problem: (error as Error).message };
  }
}

const ADDED = {
  network: { kind: 'text', value: 'URL', about: 'URL of the network.' },
  'api-key-file': { kind: 'text', value: 'FILE', completes: 'file', about: 'File that contains the key.' },
  'api-key-env': {
    kind: 'text',
    value: 'NAME',
    about: 'Environment variable that contains the key, instead of a file.',
  },
  variant: {
    kind: 'choice',
    choices: ['channel', 'publisher'],
    default: 'channel',
    about: 'Use publisher for a publisher reporting key.',
  },
} as const satisfies Options;

/** `offerlet-operator profiles add NAME`: remembers a network and where its key is. */
export const profilesAdd: Command = {
  summary: 'Adds or replaces a profile. It names the file or the variable with the key, never the key.',
  usage: 'NAME --network URL (--api-key-file FILE | --api-key-env NAME) [options]',
  options: ADDED,
  environment: '',
  examples: [
    {
      call: 'offerlet-operator profiles add live --network https://channel.example --api-key-file ~/keys/live',
      does: 'From then on, --profile live is enough',
    },
  ],
  async run({ argv, env }) {
    const { settings, words } = readCall(ADDED, { argv, env: {} }, 1);
    const [name] = words;
    const { network, 'api-key-file': file, 'api-key-env': variable, variant } = settings;
    if (name === undefined || network === undefined || (file === undefined) === (variable === undefined))
      throw new UsageError('Use NAME --network URL, and either --api-key-file FILE or --api-key-env NAME.');
    checkName(name);
    if (!URL.canParse(network) || !/^https?:$/.test(new URL(network).protocol) || looksSecret(network))
      throw new UsageError('--network is not a valid http(s) URL. Use something like "https://channel.example".');
    if (looksSecret(`${file} ${variable}`))
      throw new UsageError('A key does not belong on the command line. Write it to a file of your own.');
    const terminal = openTerminal({ env });
    if (file !== undefined) readKeyFile('--api-key-file', file, terminal.note);
    const added = {
      name,
      network,
      keyFile: file === undefined ? undefined : resolve(file),
      keyVariable: variable,
      variant,
    };
    await changeProfiles(env, (profiles) => [...profiles.filter((one) => one.name !== name), added]);
    terminal.note(`Added ${name}. Use --profile ${name}, or set OFFERLET_PROFILE.`);
  },
};

/** `offerlet-operator profiles remove NAME`: forgets a profile. */
export const profilesRemove: Command = {
  summary: 'Removes a profile. The file with its key stays.',
  usage: 'NAME',
  options: {},
  environment: '',
  examples: [{ call: 'offerlet-operator profiles remove live', does: 'Forgets where the key of "live" is' }],
  async run({ argv, env }) {
    const [name] = readCall({}, { argv, env: {} }, 1).words;
    if (name === undefined) throw new UsageError('NAME is missing. "offerlet-operator profiles list" lists all.');
    const { network, keyFile } = findProfile(env, name);
    await changeProfiles(env, (profiles) => profiles.filter((one) => one.name !== name));
    openTerminal({ env }).note(
      `Removed ${name} (${network}).${keyFile === undefined ? '' : ` Its key is still in "${keyFile}".`}`,
    );
  },
};

/** Milliseconds that a change waits for another process, which needs only some. */
const WAIT_MS = 10_000;

/** Replaces the file; of two processes at once, the second one changes what the first one wrote. */
async function changeProfiles(env: Env, change: (profiles: readonly Profile[]) => readonly Profile[]): Promise<void> {
  const path = profilesPath(env);
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(folder, Date.now() + WAIT_MS);
    try {
      writeProfiles(path, change(readProfiles(env)));
    } finally {
      await lock.release();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof UsageError || (code === undefined && !(error instanceof DirectoryInUseError))) throw error;
    throw new UsageError(`The profiles cannot be written: "${path}" (${code ?? 'another process is writing them'}).`);
  }
}

async function lockFolder(folder: string, end: number): Promise<DirectoryLock> {
  for (;;) {
    try {
      return await lockDirectory(folder, { name: 'profiles', say: () => undefined });
    } catch (error) {
      if (!(error instanceof DirectoryInUseError) || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function writeProfiles(path: string, profiles: readonly Profile[]): void {
  const entries = profiles.map(({ name, network, keyFile, keyVariable, variant }) => [
    name,
    { network, api_key_file: keyFile, api_key_env: keyVariable, ...(variant === 'publisher' && { variant }) },
  ]);
  replaceFile(path, `${JSON.stringify({ profiles: Object.fromEntries(entries) }, null, 2)}\n`, 0o600);
}

/** What a lock file holds after its owner has given the directory back. */
const RELEASED = '{"released":true}';

/** The numbered lock files of one directory. */
export interface LockFiles {
  /** The numbers in use, the owner's last. */
  numbers(): Promise<readonly number[]>;
  /** The owner's number, read before anything else can happen; `undefined` when there is none. */
  highest(): number | undefined;
  pathOf(number: number): string;
  /** Creates the file of a number; `false` when there is one already. */
  create(number: number, text: string): Promise<boolean>;
  /** What a file holds and when it was touched; `undefined` when it does not exist. */
  look(number: number): Promise<Look | undefined>;
  /** Touches a file. Throws when it does not exist. */
  touch(number: number): Promise<void>;
  /** Marks a file as released, in one write of the same length, so that nobody reads half of it. */
  release(number: number): Promise<void>;
  remove(number: number): Promise<void>;
}

interface Look {
  readonly text: string;
  readonly isReleased: boolean;
  readonly touchedAt: number;
}

/** The files `NAME.lock.1`, `NAME.lock.2`, … of a directory. */
export function lockFiles(directory: string, name: string): LockFiles {
  const fs = process.getBuiltinModule('node:fs/promises');
  const { readdirSync } = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const prefix = `${name}.lock.`;
  const pathOf = (number: number): string => path.join(directory, prefix + number);

  function numbersOf(names: readonly string[]): readonly number[] {
    return names
      .filter((file) => file.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(file.slice(prefix.length)))
      .map((file) => Number(file.slice(prefix.length)))
      .sort((a, b) => a - b);
  }

  return {
    numbers: async () => numbersOf(await fs.readdir(directory)),
    highest: () => numbersOf(readdirSync(directory)).at(-1),
    pathOf,
    async create(number, text) {
      try {
        await fs.writeFile(pathOf(number), text, { flag: 'wx', mode: 0o600 });
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw error;
      }
    },
    async look(number) {
      try {
        // Opened each time: network file systems read a file's times anew only then.
        const file = await fs.open(pathOf(number), 'r');
        try {
          const text = (await file.readFile('utf8')).trimEnd();
          return { text, isReleased: text === RELEASED, touchedAt: (await file.stat()).mtimeMs };
        } finally {
          await file.close();
        }
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    async touch(number) {
      const now = new Date();
      await fs.utimes(pathOf(number), now, now);
    },
    async release(number) {
      const file = await fs.open(pathOf(number), 'r+');
      try {
        const { size } = await file.stat();
        await file.write(RELEASED.padEnd(size), 0);
      } finally {
        await file.close();
      }
    },
    remove: (number) => fs.rm(pathOf(number), { force: true }),
  };
}

/** The code of a file system's error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

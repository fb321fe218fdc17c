import { RelayConfigError } from './errors.ts';
import { nodeModule } from './nodeModule.ts';

const FILE = 'relay.lock';

/** Takes a directory for this process alone; what is returned gives it back. A lock whose process is gone does not count. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const fs = nodeModule('node:fs/promises');
  const file = nodeModule('node:path').join(directory, FILE);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await fs.writeFile(file, String(process.pid), { flag: 'wx' });
      return () => fs.rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new RelayConfigError(
          `${directory} cannot be written to: check its rights, or choose another directory.`,
          error,
        );
      }
    }
    const holder = Number.parseInt(await fs.readFile(file, 'utf8').catch(() => ''), 10);
    if (isAlive(holder)) {
      throw new RelayConfigError(
        `${directory} is in use by process ${holder}: stop it, or give this relay a directory of its own.`,
      );
    }
    await fs.rm(file, { force: true });
  }
  throw new RelayConfigError(`${directory} is in use by another process: give this relay a directory of its own.`);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A folder with these packages installed, kept between runs; or why they could not be brought here. */
export async function bringRuntime(
  packages: Readonly<Record<string, string>>,
): Promise<{ folder: string } | { missing: string }> {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const folder = join(tmpdir(), 'offerlet-runtimes', wanted[0] ?? '');
  const done = join(folder, 'installed');
  try {
    await access(done);
    return { folder };
  } catch {
    // Not yet, or an earlier try was cut off.
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...wanted], {
      cwd: folder,
      timeout: 240_000,
    });
    await writeFile(done, wanted.join('\n'));
    return { folder };
  } catch (error) {
    const said = error instanceof Error ? (/npm error .*/.exec(error.message)?.[0] ?? error.message) : String(error);
    return { missing: `npm could not bring ${wanted.join(' and ')}: ${said.slice(0, 200)}` };
  }
}

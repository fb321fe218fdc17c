import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A folder in which commands of the documentation run. */
export interface Project {
  readonly folder: string;
  /** Runs commands of the documentation in a shell; resolves to their output once it contains `until`, or at their end. */
  run(commands: string, options?: { until?: RegExp; env?: Readonly<Record<string, string>> }): Promise<string>;
  /** Ends everything that was started, and removes the folder. */
  close(): Promise<void>;
}

/** Opens a project in which both packages are installed, as `npm install` of the built tarballs would leave it; or an empty one. */
export function openProject({ isEmpty = false } = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-docs-'));
  if (!isEmpty) link(folder);
  const groups: Group[] = [];
  return {
    folder,
    run(text, { until, env = {} } = {}) {
      // A separate process group, so that the shell and everything it started end together.
      const child = spawn('bash', ['-c', text], { cwd: folder, env: { ...process.env, ...env }, detached: true });
      groups.push({ child, ended: new Promise((done) => child.once('close', done)) });
      return outputOf(child, text, until);
    },
    async close() {
      await Promise.all(groups.map(end));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function link(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(resolve('.'), join(modules, 'offerlet'));
  symlinkSync(resolve('packages/operator'), join(modules, 'offerlet-operator'));
  symlinkSync(resolve('packages/sandbox'), join(modules, 'offerlet-sandbox'));
  const commands = {
    offerlet: 'dist/cli.js',
    'offerlet-operator': 'packages/operator/dist/operator/cli.js',
    'offerlet-sandbox': 'packages/sandbox/dist/sandbox.js',
  };
  for (const [name, path] of Object.entries(commands))
    writeFileSync(join(modules, '.bin', name), `#!/bin/sh\nexec node ${resolve(path)} "$@"\n`, { mode: 0o755 });
}

interface Group {
  readonly child: ChildProcess;
  /** Nothing holds its output any more, background processes included. */
  readonly ended: Promise<unknown>;
}

function outputOf(child: ChildProcess, commands: string, until: RegExp | undefined): Promise<string> {
  return new Promise((found, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (until?.test(output)) found(output);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => {
      if (code === 0) found(output);
      else if (code !== null) reject(new Error(`${commands}\nended with ${code}:\n${output}`));
    });
  });
}

async function end({ child, ended }: Group): Promise<void> {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    return; // the whole group has ended
  }
  await ended;
}

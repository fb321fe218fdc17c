import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serve } from '../../fixtures/serve.ts';
import { pack, temporaryFolder } from '../../package/packages.ts';

/** An npm registry that has the three packages as built here, and everything else from the registry that npm is configured for. */
export interface LocalRegistry {
  readonly url: string;
  close(): void;
}

/** Starts a registry. */
export async function startRegistry(): Promise<LocalRegistry> {
  const folder = temporaryFolder();
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '');
  const tarballs = new Map<string, Buffer>();
  const packages = new Map<string, Record<string, unknown>>();
  const { url, close } = await serve((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const own = packages.get(path);
    if (own) response.setHeader('content-type', 'application/json').end(JSON.stringify(own));
    else if (tarballs.has(path)) response.end(tarballs.get(path));
    else response.writeHead(302, { location: upstream + request.url }).end();
  });

  for (const source of ['.', 'packages/operator', 'packages/sandbox']) {
    const manifest = JSON.parse(readFileSync(`${source}/package.json`, 'utf8')) as { name: string; version: string };
    const bytes = readFileSync(pack(source, folder.path).tarball);
    const path = `${manifest.name}.tgz`;
    tarballs.set(path, bytes);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    packages.set(manifest.name, {
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist: { tarball: `${url}/${path}`, integrity } } },
    });
  }
  return {
    url,
    close() {
      void close();
      folder.remove();
    },
  };
}

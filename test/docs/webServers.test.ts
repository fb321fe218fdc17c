import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort, serve } from '../fixtures/serve.ts';
import { temporaryFolder } from '../package/packages.ts';

// The files of examples/deploy/ for three web servers, each in front of a relay, where the server is installed.

interface WebServer {
  readonly program: string;
  /** In examples/deploy/. */
  readonly file: string;
  /** The whole configuration around the file. The server may write into `folder`. */
  configure(block: string, port: number, folder: string): string;
  /** The arguments that run it in the foreground. */
  run(config: string, folder: string): readonly string[];
}

const SERVERS: readonly WebServer[] = [
  {
    program: 'nginx',
    file: 'nginx.conf',
    configure: (block, port, folder) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      return `daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
server { listen 127.0.0.1:${port}; ${block} } }`;
    },
    run: (config, folder) => ['-p', folder, '-c', config],
  },
  {
    program: 'apache2',
    file: 'apache.conf',
    configure: (block, port, folder) => {
      const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'];
      return `ServerRoot ${folder}
ServerName shop.example
PidFile ${folder}/pid
ErrorLog ${folder}/log
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${block}`;
    },
    run: (config) => ['-D', 'FOREGROUND', '-f', config],
  },
  {
    program: 'caddy',
    file: 'Caddyfile',
    // Its own host would have it fetch a certificate.
    configure: (block, port) => `{\n  admin off\n}\n${block.replace('shop.example {', `http://127.0.0.1:${port} {`)}`,
    run: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  },
];

for (const server of SERVERS)
  test.skipIf(spawnSync(server.program, ['-v']).error)(
    `${server.program} forwards to the relay with the address of the shopper, without the cookies`,
    async () => {
      const relay = await serve(({ url, headers }, response) => response.end(JSON.stringify({ url, headers })));
      const folder = temporaryFolder();
      const block = readFileSync(join('examples/deploy', server.file), 'utf8');
      const port = await freePort();
      const config = join(folder.path, 'config');
      mkdirSync(join(folder.path, 'logs'));
      writeFileSync(
        config,
        server.configure(block.replaceAll('127.0.0.1:4601', `127.0.0.1:${relay.port}`), port, folder.path),
      );
      const child = spawn(server.program, server.run(config, folder.path), {
        env: { ...process.env, HOME: folder.path },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let log = '';
      child.stderr.on('data', (chunk) => (log += String(chunk)));
      const ended = new Promise((resolve) => child.on('exit', resolve));
      try {
        const response = await fetchOnceUp(
          `http://127.0.0.1:${port}/offers/v1/session?a=1`,
          () => child.exitCode !== null,
        );
        if (!response) throw new Error(log);
        expect(response.status, log).toBe(200);
        const { url, headers } = (await response.json()) as { url: string; headers: Record<string, string> };
        expect(url).toBe('/offers/v1/session?a=1');
        expect(headers['host']).toBe(`127.0.0.1:${port}`);
        expect(headers['x-forwarded-for']).toBe('127.0.0.1');
        expect(headers['cookie'] ?? '').toBe('');
      } finally {
        child.kill();
        await ended;
        await relay.close();
        folder.remove();
      }
    },
  );

/** Sends a shopper's request, with an address that it made up, until the server listens or has ended. */
async function fetchOnceUp(url: string, hasEnded: () => boolean): Promise<Response | undefined> {
  while (!hasEnded()) {
    const headers = { cookie: 'account=1', 'x-forwarded-for': '203.0.113.9' };
    const response = await fetch(url, { method: 'POST', body: '{}', headers }).catch(() => undefined);
    if (response) return response;
    await sleep(50);
  }
  return undefined;
}

import { afterEach, expect, test, vi } from 'vitest';
import { listen } from '../../src/program/listen.ts';
import { sandboxCommand } from '../../src/sandbox/sandboxCommand.ts';

afterEach(() => vi.restoreAllMocks());

/** Runs `offerlet sandbox` on a port that another server has; returns what it says and why it ends. */
async function runBeside(health: object, env: Record<string, string>): Promise<{ said: string; error: unknown }> {
  const server = await listen((_, response) => response.end(JSON.stringify(health)), { port: 0 });
  let said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const { port } = new URL(server.url);
  const argv = ['--memory', '--port', port, '--network-port', '0'];
  const error: unknown = await sandboxCommand.run({ argv, env }).catch((reason: unknown) => reason);
  await server.close();
  return { said, error };
}

test('a port that another program has: the message is a command that works', async () => {
  const { said, error } = await runBeside({ status: 'ok' }, { npm_lifecycle_event: 'start' });
  expect(String(error)).toMatch(/Port \d+ is in use\. .* use another port with npm start -- --port 4200\.$/);
  expect(said).toContain('The first start seeds');
  expect(String((await runBeside({}, {})).error)).toMatch(/use another port with --port 4200\.$/);
});

test('a second sandbox names the URL of the one that runs', async () => {
  const { error } = await runBeside({ status: 'ok', environment: 'staging' }, { npm_lifecycle_event: 'start' });
  expect(String(error)).toMatch(
    /The sandbox runs already: open http:\/\/127\.0\.0\.1:\d+\. For another one beside it, use npm start -- --port 4200/,
  );
});

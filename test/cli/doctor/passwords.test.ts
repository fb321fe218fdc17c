import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { doctorCommand } from '../../../src/cli/doctor/doctorCommand.ts';

test.each([[[]], [['--json']]])('the report names no password of a URL (%j)', async (format) => {
  const server = createServer((_, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let printed = '';
  const write = (text: unknown): true => ((printed += String(text)), true);
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const spy of spies) spy.mockImplementation(write);
  const page = `http://me:hunter2@${host}/thank-you`;
  const relay = `http://you:hunter3@${host}/offers`;
  const argv = ['--page', page, '--relay', relay, '--browser', 'none', ...format];
  const error: unknown = await doctorCommand.run({ argv, env: {} }).catch((reason: unknown) => reason);
  for (const spy of spies) spy.mockRestore();
  server.close();
  expect(String(error)).toMatch(/checks failed/);
  expect(printed).toContain(`http://me@${host}/thank-you`);
  expect(printed).toContain(`http://you@${host}/offers`);
  expect(printed).not.toContain('hunter');
});

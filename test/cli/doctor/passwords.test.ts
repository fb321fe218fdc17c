import { expect, test, vi } from 'vitest';
import { doctorCommand } from '../../../src/cli/doctor/doctorCommand.ts';
import { serve } from '../../fixtures/serve.ts';

test.each([[[]], [['--json']]])('the report names no password of a URL (%j)', async (format) => {
  const server = await serve((_, response) => void response.writeHead(404).end());
  const { host } = new URL(server.url);
  let printed = '';
  const write = (text: unknown): true => ((printed += String(text)), true);
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const spy of spies) spy.mockImplementation(write);
  const page = `http://me:hunter2@${host}/thank-you`;
  const relay = `http://you:hunter3@${host}/offers`;
  const argv = [page, '--relay', relay, '--browser', 'none', ...format];
  const error: unknown = await doctorCommand.run({ argv, env: {} }).catch((reason: unknown) => reason);
  for (const spy of spies) spy.mockRestore();
  await server.close();
  expect(String(error)).toMatch(/checks failed/);
  expect(printed).toContain(`http://me@${host}/thank-you`);
  expect(printed).toContain(`http://you@${host}/offers`);
  expect(printed).not.toContain('hunter');
});

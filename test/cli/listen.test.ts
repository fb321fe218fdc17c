import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { startListening } from '../../src/cli/listen.ts';

test('a port in use is blamed on the option that it came from', async () => {
  const first = await startListening(createServer(), { port: 0 });
  const port = Number(new URL(first.url).port);
  const again = (portOption?: string): Promise<unknown> => startListening(createServer(), { port, portOption });
  await expect(again()).rejects.toThrow(
    `Port ${port} is in use. Stop the other program, or use another port with --port.`,
  );
  await expect(again('--network-port')).rejects.toThrow('use another port with --network-port.');
  await first.close();
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { listenerOfShops } from '../../src/cli/openShop.ts';

test('a host that is a shop’s goes to no shop of every host, wherever that is in the file or its path', () => {
  let served = '';
  const shop = (name: string, basePath: string, ...hosts: string[]) => ({
    hosts,
    basePath,
    listener: () => void (served = name),
  });
  const listen = listenerOfShops(
    [
      shop('any', '/offers'),
      shop('deep', '/offers/deep'),
      shop('tea', '/offers', 'tea.example'),
      shop('green', '/offers/green', 'tea.example'),
    ],
    () => {},
  );
  const at = (host: string, url: string): string => {
    listen({ headers: { host }, url } as IncomingMessage, {} as ServerResponse);
    return served;
  };
  expect(at('tea.example', '/offers/events')).toBe('tea');
  expect(at('tea.example.', '/offers/events')).toBe('tea');
  expect(at('TEA.example.:443', '/offers/green/events')).toBe('green');
  expect(at('tea.example', '/offers/deep/events')).toBe('tea');
  expect(at('evil.example', '/offers/events')).toBe('any');
  expect(at('evil.example', '/offers/deep/events')).toBe('deep');
});

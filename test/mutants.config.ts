// What mutants.mjs runs: the tests of one room that kill no process.
import { defineConfig } from 'vitest/config';
import base from '../vite.config.ts';

const { test: { projects = [], ...test } = {}, ...rest } = base({ mode: 'test', command: 'serve' });
const exclude = projects.flatMap((project) => {
  const { name, include } = (project as { test: { name: string; include: string[] } }).test;
  return ['servers', 'long'].includes(name) ? include : [];
});
export default defineConfig({
  ...rest,
  root: `${import.meta.dirname}/..`,
  test: { ...test, include: [`test/${process.env['OFFERLET_ROOM']}/**/*.test.ts`], exclude },
});

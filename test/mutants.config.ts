// What mutants.mjs runs: those of the tests it names that kill no process.
import { defineConfig } from 'vitest/config';
import base from '../vite.config.ts';

const { test: { projects = [], ...test } = {}, ...rest } = base({ mode: 'test', command: 'serve' });
const exclude = projects.flatMap((project) => {
  const { name, include } = (project as { test: { name: string; include: string[] } }).test;
  return ['servers', 'long', 'package'].includes(name) ? include : [];
});
export default defineConfig({
  ...rest,
  root: `${import.meta.dirname}/..`,
  test: { ...test, include: process.env['OFFERLET_TESTS']?.split(',') ?? [], exclude },
});

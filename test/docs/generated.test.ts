import { test } from 'vitest';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { expectGenerated } from './expectGenerated.ts';

// After a change of the scenarios: OFFERLET_WRITE_DOCS=1 npx vitest run test/docs/generated.test.ts
test('the table of scenarios is the one in the code', () => {
  const rows = SCENARIOS.map(({ name, title }) => `| \`${name}\` | ${title} |`);
  expectGenerated('docs/guides/test-your-integration.md', 'scenarios', [
    '| scenario | what happens |',
    '|---|---|',
    ...rows,
  ]);
});

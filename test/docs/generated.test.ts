import { test } from 'vitest';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { expectGenerated } from './expectGenerated.ts';

// After a change of the scenarios: OFFERLET_WRITE_DOCS=1 npx vitest run test/docs/generated.test.ts
test('the scenarios on the page are those in the code', () => {
  const names = SCENARIOS.map(({ name }) => `\`${name}\``).join(', ');
  expectGenerated('docs/guides/test-your-integration.md', 'scenarios', [`${names}.`]);
});

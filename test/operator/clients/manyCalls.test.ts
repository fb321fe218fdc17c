import { expect, test } from 'vitest';
import { ChannelClient } from '../../../src/operator.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// Methods that are more than one call, against the whole sandbox network.

const world = useOperatorWorld();
const open = (): ChannelClient => new ChannelClient({ networkUrl: world.url, apiKey: world.key });

async function itemsOf(prefix: string, count: number) {
  const [category] = await open().categories();
  return Array.from({ length: count }, (_, index) => ({
    brand_name: `${prefix} ${index}`,
    domain: `${prefix}-${index}.example`,
    primary_category_id: category?.remote_id ?? '',
    subcategory_ids: [category?.subcategories[0]?.remote_id ?? ''],
  }));
}

test('addAll takes any number of publishers, and says in order what became of each', async () => {
  const items = await itemsOf('many', 60);
  const told: number[] = [];
  const wrong = items.map((item, index) => (index === 3 ? { ...item, domain: 'no domain' } : item));
  const outcomes = await open().addAll(wrong, { onOutcome: (index) => told.push(index) });
  expect(outcomes.map(({ status }) => status)).toEqual(items.map((_, index) => (index === 3 ? 'invalid' : 'added')));
  expect(new Set(told)).toEqual(new Set(items.keys()));
});

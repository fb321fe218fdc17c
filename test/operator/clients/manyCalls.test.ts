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

test('waitForApproval resolves to the approved publisher, and rejects when its request is rejected', async () => {
  const added = async (prefix: string, count: number): Promise<readonly string[]> =>
    (await open().add(await itemsOf(prefix, count))).map((one) =>
      one.status === 'created' ? one.create_request.pending_publisher_id : '',
    );
  const [yes = '', no = ''] = await added('wait', 2);
  const decide = (id: string, status: string) => world.control('POST', `publishers/${id}/status`, { status });
  const approved = open().waitForApproval(yes, { every: 5 });
  await decide(yes, 'NEEDS_INFO');
  await decide(yes, 'APPROVED');
  await decide(no, 'REJECTED');
  expect((await approved).publisher_remote_id).toMatch(/^[0-9a-f-]{36}$/);
  await expect(open().waitForApproval(no)).rejects.toThrow('The request to add wait 1 was rejected.');
  const [left = ''] = await added('left', 1);
  const waiting = open().waitForApproval(left, { signal: AbortSignal.timeout(50) });
  await expect(waiting).rejects.toThrow('timeout');
});

import { expect, test } from 'vitest';
import { ChannelClient } from '../../../src/operator/clients/ChannelClient.ts';
import { AuthError } from '../../../src/operator/clients/errors.ts';
import {
  excludeForMany,
  readExcludedPublishers,
  type ExclusionOutcome,
  type PublisherChange,
} from '../../../src/operator/operations/excludeForMany.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

const world = useOperatorWorld();
const clientOf = (apiKey = world.key): ChannelClient => new ChannelClient({ networkUrl: world.url, apiKey });

async function change(
  kind: 'add' | 'remove',
  changes: readonly PublisherChange[],
  channel = clientOf(),
): Promise<readonly ExclusionOutcome[]> {
  const outcomes: ExclusionOutcome[] = [];
  await excludeForMany(channel, { kind, changes, onOutcome: (index, outcome) => (outcomes[index] = outcome) });
  return outcomes;
}

test('what was added to many publishers can be undone exactly', async () => {
  const channel = clientOf();
  const categories = await channel.categories();
  const [wine = '', beer = '', tea = ''] = categories.flatMap(({ subcategories }) =>
    subcategories.map(({ remote_id }) => remote_id),
  );
  const [one, other, third] = await readExcludedPublishers(channel);
  if (!one || !other || !third) throw new Error('The demo has three publishers.');
  await channel.setPublisherExclusions(one.id, [wine]);
  await channel.setPublisherExclusions(other.id, [tea]);
  await channel.setPublisherExclusions(third.id, [wine, beer]);
  const before = await readExcludedPublishers(channel);
  const ids = [one.id, other.id, third.id, '6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11'];
  const outcomes = await change(
    'add',
    ids.map((publisher_id) => ({ publisher_id, subcategory_ids: [wine, beer] })),
  );
  expect(outcomes).toEqual([
    { status: 'changed', subcategory_ids: [beer] },
    { status: 'changed', subcategory_ids: [wine, beer] },
    { status: 'unchanged' },
    { status: 'gone' },
  ]);
  expect((await channel.publisher(other.id)).exclusions.subcategories.publisher).toEqual([tea, wine, beer]);
  const undone = outcomes.flatMap((outcome, index) =>
    'subcategory_ids' in outcome ? [{ publisher_id: ids[index] ?? '', subcategory_ids: outcome.subcategory_ids }] : [],
  );
  await change('remove', undone);
  expect(await readExcludedPublishers(channel)).toEqual(before);
});

test('a key that may not write ends the change, and every publisher has an outcome', async () => {
  const publishers = await readExcludedPublishers(clientOf());
  const changes = publishers.map(({ id }) => ({ publisher_id: id, subcategory_ids: ['x'] }));
  const outcomes: ExclusionOutcome[] = [];
  const call = { kind: 'add', changes, onOutcome: (index: number, one: ExclusionOutcome) => (outcomes[index] = one) };
  await expect(excludeForMany(clientOf(world.keys['publishable']), call as never)).rejects.toBeInstanceOf(AuthError);
  expect(outcomes.map(({ status }) => status)).toEqual(
    publishers.map(() => expect.stringMatching(/failed|not sent/) as string),
  );
});

test.each([2, 12])('what somebody else replaces in the same moment is changed again: %i publishers', async (count) => {
  const [one = '', other = ''] = (await clientOf().categories()).flatMap(({ subcategories }) =>
    subcategories.map(({ remote_id }) => remote_id),
  );
  const publishers = await readExcludedPublishers(clientOf());
  const ids = publishers.slice(0, count).map(({ id }) => id);
  for (const id of ids) await clientOf().setPublisherExclusions(id, []);
  let isFirst = true;
  const channel = new ChannelClient({
    networkUrl: world.url,
    apiKey: world.key,
    async fetch(url, init) {
      const response = await fetch(url, init);
      // Somebody who has read the list before replaces it afterwards.
      if (init?.method === 'PUT' && isFirst) {
        isFirst = false;
        await clientOf().setPublisherExclusions(url.split('/').at(-3) ?? '', [other]);
      }
      return response;
    },
  });
  const changes = ids.map((publisher_id) => ({ publisher_id, subcategory_ids: [one] }));
  const outcomes = await change('add', changes, channel);
  expect(isFirst).toBe(false);
  expect(outcomes).toContainEqual({ status: 'changed', subcategory_ids: [one] });
  const now = (await readExcludedPublishers(clientOf())).filter(({ id }) => ids.includes(id));
  expect(now.every(({ subcategory_ids }) => subcategory_ids.includes(one))).toBe(true);
  expect(now.filter(({ subcategory_ids }) => subcategory_ids.includes(other))).toHaveLength(1);
});

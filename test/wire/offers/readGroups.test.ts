import { describe, expect, test } from 'vitest';
import { item, read, shape } from './responses.ts';

describe('every accepted form of the groups', () => {
  const items = [item('b', 1), item('a', 0)];
  const placed = ['a/ins_a', 'b/ins_b'];

  test('an array of groups, items sorted by insertion_order', () => {
    const response = read({
      recommendation_groups: [
        { id: 'g', heading: 'For you', slot_context: 'HERO', items },
        { id: 'h', items: [item('c', 0)] },
      ],
    });
    expect(shape(response)).toEqual([
      ['g', placed],
      ['h', ['c/ins_c']],
    ]);
    expect(response.groups[0]).toMatchObject({ heading: 'For you', slot_context: 'HERO' });
  });

  test('a map of item arrays with properties beside it', () => {
    const response = read({
      recommendation_groups: { group_0: items, group_1: [item('c', 0)] },
      recommendation_group_properties: { group_1: { heading: 'More', slot_context: 'SCROLLABLE' } },
    });
    expect(shape(response)).toEqual([
      ['group_0', placed],
      ['group_1', ['c/ins_c']],
    ]);
    expect(response.groups[1]).toMatchObject({ heading: 'More', slot_context: 'SCROLLABLE' });
  });

  test('a map of groups', () => {
    expect(shape(read({ recommendation_groups: { group_0: { heading: 'H', items } } }))).toEqual([['group_0', placed]]);
  });

  test('an array of arrays of items', () => {
    expect(shape(read({ recommendation_groups: [items, [item('c', 0)]] }))).toEqual([
      ['group_0', placed],
      ['group_1', ['c/ins_c']],
    ]);
  });

  test('an array of items', () => {
    expect(shape(read({ recommendation_groups: items }))).toEqual([['group_0', placed]]);
  });

  test('an array of items whose first entry is not an item', () => {
    expect(shape(read({ recommendation_groups: [null, ...items] }))).toEqual([['group_0', placed]]);
  });

  test.each([undefined, null, [], {}, 'x', 5])(
    'no groups at all (%j): the order of the map, the offer_id as insertion_id',
    (recommendation_groups) => {
      expect(shape(read({ recommendation_groups }))).toEqual([['group_0', ['a/a', 'b/b', 'c/c']]]);
    },
  );

  test('insertion_id falls back to offer_id, and items without insertion_order come last', () => {
    expect(shape(read({ recommendation_groups: [{ items: [{ offer_id: 'c' }, item('a', 7)] }] }))).toEqual([
      ['group_0', ['a/ins_a', 'c/c']],
    ]);
  });

  test('advertiser_id of the item takes precedence over advertiser.id', () => {
    const named = { ...item('a', 0), advertiser_id: 'adv_of_item' };
    const response = read({ recommendation_groups: [named, { ...item('b', 1), advertiser_id: undefined }] });
    expect(response.groups[0]?.offers.map((offer) => offer.advertiser_id)).toEqual(['adv_of_item', 'adv_b']);
  });

  test('an array that mixes these forms loses nothing', () => {
    const mixed = [{ id: 'g', items: [item('a', 0)] }, [item('b', 0)], item('c', 0)];
    expect(shape(read({ recommendation_groups: mixed }))).toEqual([
      ['g', ['a/ins_a']],
      ['group_1', ['b/ins_b']],
      ['group_2', ['c/ins_c']],
    ]);
  });

  test('an unknown slot_context is dropped', () => {
    expect(
      read({ recommendation_groups: [{ id: 'g', slot_context: 'hero', items }] }).groups[0]?.slot_context,
    ).toBeUndefined();
  });
});

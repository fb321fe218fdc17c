// Each rule must be able to fail, for the reason that it names and for no other.
import { expect, test } from 'vitest';
import { ofSuite } from '../fixtures/opened.ts';
import { isVerified } from '../../src/verify/verify.ts';
import { BROKEN_CHANNELS } from './brokenChannels.ts';
import { BROKEN_OFFERS } from './brokenOffers.ts';
import { BROKEN_REPORTS } from './brokenReports.ts';
import { openUnderTest } from './networkUnderTest.ts';

const under = ofSuite(openUnderTest);

test.for([...BROKEN_OFFERS, ...BROKEN_CHANNELS, ...BROKEN_REPORTS])(
  'a network is found in which $does',
  async ({ only, fails, wrapper }) => {
    const found = await under.run({ only }, wrapper(under.keys));
    const failed = found.verdicts.filter(({ state }) => state !== 'holds').map(({ rule }) => rule.id);
    expect([...new Set(failed)].toSorted()).toEqual(fails);
    expect(isVerified(found)).toBe(false);
  },
);

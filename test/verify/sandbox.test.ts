import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectContract } from '../network/contract.ts';
import { DATABASE_KINDS, startPostgres, type Cluster } from '../network/databases.ts';
import { isVerified } from '../../src/verify/verify.ts';
import { recordExamples } from './contractExamples.ts';
import { openUnderTest, type UnderTest } from './networkUnderTest.ts';

/** Seconds of a call to a slow network, and of what the rules on effects wait. */
const CALL_S = 0.2;
const PAUSES_S = 3 * 1.5;

describe.each(DATABASE_KINDS)('the sandbox on %s', (kind) => {
  let cluster: Cluster | undefined;
  let under: UnderTest;
  beforeAll(async () => {
    cluster = kind === 'postgres' ? await startPostgres() : undefined;
    under = await openUnderTest(await cluster?.freshUrl());
  });
  afterAll(async () => {
    await under?.close();
    await cluster?.stop();
  });

  test('holds every rule and the contract, in less than two minutes if a call takes 200 ms', async () => {
    const examples = recordExamples();
    const found = await under.run({ onVerdict: examples.onVerdict }, async (call, send) => {
      const response = await send(call);
      await expectContract({ method: call.method, path: call.path, body: call.body }, response);
      await examples.add(call, response);
      return response;
    });
    await examples.expectStored();
    expect(found.verdicts.filter(({ state }) => state !== 'holds')).toEqual([]);
    expect(isVerified(found)).toBe(true);
    expect(found.calls * CALL_S + PAUSES_S).toBeLessThan(120);
  });
});

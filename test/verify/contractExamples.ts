import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { CONTRACT } from '../../src/network/openapi.ts';
import { own, parseJson } from '../../src/wire/json.ts';
import { RULES } from '../../src/verify/verify.ts';
import type { Verdict } from '../../src/verify/verify.ts';
import { expectContract, templateOf } from '../network/contract.ts';
import type { Call } from './networkUnderTest.ts';

const FILE = 'src/network/contract/examples.json';
/** An exchange of more characters is an example only where none is shorter. */
const LONG = 1_600;
/** The examples of a rule that is not the best by length. */
const CHOSEN: Readonly<Record<string, string>> = { 'POST /recommendations 200': 'A5.optional' };

/** What a rule sent and got. */
interface Example {
  readonly rule: string;
  readonly request?: unknown;
  readonly response: unknown;
}
type Examples = Record<string, Record<string, Example>>;

/** Records what rules send and get, as examples of the contract's operations. */
export function recordExamples(): {
  add(call: Call, response: Response): Promise<void>;
  onVerdict(verdict: Verdict): void;
  /** Expects the stored examples to be of the same operations, or stores what was recorded. */
  expectStored(): Promise<void>;
} {
  const examples: Examples = {};
  let unnamed: { call: Call; status: number; text: string }[] = [];

  return {
    async add(call, response) {
      unnamed.push({ call, status: response.status, text: await response.clone().text() });
    },
    onVerdict({ rule }) {
      for (const { call, status, text } of unnamed) {
        const template = templateOf(call.path);
        const response = parseJson(text);
        const operation = `${call.method} ${template}`;
        if (
          template === undefined ||
          response === undefined ||
          !own(CONTRACT.paths[template], call.method.toLowerCase())
        )
          continue;
        const request = status < 300 || status === 502 ? parseJson(call.body) : undefined;
        const example = { rule: rule.id, ...(request !== undefined && { request }), response };
        const byStatus = (examples[operation] ??= {});
        const known = byStatus[status];
        const chosen = CHOSEN[`${operation} ${status}`];
        if (!known || rule.id === chosen || (known.rule !== chosen && isBetter(example, known)))
          byStatus[status] = example;
      }
      unnamed = [];
    },
    async expectStored() {
      if (process.env['OFFERLET_WRITE_DOCS'] === '1') writeFileSync(FILE, linesOf(steady(examples)));
      const stored = JSON.parse(readFileSync(FILE, 'utf8')) as Examples;
      const places = (all: Examples): string[] =>
        Object.entries(all).flatMap(([operation, byStatus]) => Object.keys(byStatus).map((at) => `${operation} ${at}`));
      expect(places(stored).sort()).toEqual(places(examples).sort());
      for (const [operation, byStatus] of Object.entries(stored))
        for (const [status, { rule, request, response }] of Object.entries(byStatus)) {
          const [method = '', path = ''] = operation.split(' ');
          expect(RULES.map(({ id }) => id)).toContain(rule);
          await expectContract(
            { method, path, body: request ?? {} },
            Response.json(response, { status: Number(status) }),
          );
        }
    },
  };
}

/** The longest that is not too long, or else the shortest: what is empty shows little. */
function isBetter(example: Example, known: Example): boolean {
  const [length, before] = [JSON.stringify(example).length, JSON.stringify(known).length];
  return before > LONG ? length < before : length > before && length <= LONG;
}

/** The same with one offer, with ids by their order and without keys, so that recording again changes little. */
function steady(examples: Examples): Examples {
  const ids = new Map<string, string>();
  const text = JSON.stringify(examples, withOneOffer)
    .replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, (id) => {
      const known = ids.get(id) ?? `${String(ids.size + 1).padStart(8, '0')}-0000-4000-8000-000000000000`;
      ids.set(id, known);
      return known;
    })
    .replaceAll(/(adnet_\w+?_test_)\w+/g, '$1EXAMPLE')
    .replaceAll('http://127.0.0.1:4600', 'https://network.example');
  return JSON.parse(text) as Examples;
}

function withOneOffer(name: string, value: unknown): unknown {
  if (name === 'recommendations') return Object.fromEntries(Object.entries(Object(value)).slice(0, 1));
  if (name !== 'recommendation_groups') return value;
  const [group] = value as [{ items: unknown[] }?];
  return group ? [{ ...group, items: group.items.slice(0, 1) }] : [];
}

/** JSON with a line for each operation. */
function linesOf(examples: Examples): string {
  const lines = Object.entries(examples).map((entry) => `  ${entry.map((part) => JSON.stringify(part)).join(': ')}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

import { hashEmail } from '../../wire/offers/hashEmail.ts';
import { isObject, own, type JsonObject, type Problem } from '../../wire/json.ts';
import { IDENTIFIERS, REQUEST_FIELDS, type Attributes, type UserDetails } from '../../wire/offers/request.ts';
import type { RelayContext } from '../options/options.ts';

export interface ComposeOptions {
  /** What the page sent: a JSON object. */
  readonly page: JsonObject;
  /** What the merchant's server knows. */
  readonly known: RelayContext;
  /** What the request's headers say; fills gaps only. */
  readonly observed: Attributes;
  readonly emails: 'hash' | 'raw';
  readonly sandbox: SandboxRule;
}

/** `always`: every question is a test. `asked`: those are that the page marks. `never`: the page's mark is removed. */
export type SandboxRule = 'always' | 'asked' | 'never';

/**
 * The question for the network: the page's known fields, with what the server knows in the place of what the page said,
 * exactly one identifier, and no plain e-mail unless asked for.
 */
export async function composeQuestion({
  page,
  known,
  observed,
  emails,
  sandbox,
}: ComposeOptions): Promise<Record<string, unknown>> {
  const question: Record<string, unknown> = {};
  for (const field of REQUEST_FIELDS) {
    const value = own(page, field);
    if (value !== undefined && value !== null) question[field] = value;
  }
  const user = mergeUser(own(page, 'user_details'), known.user_details);
  if (user) question['user_details'] = emails === 'hash' ? await withoutEmail(user) : user;
  const order = merge(own(page, 'order_details'), known.order_details);
  if (order) question['order_details'] = order;
  if (known.purchases) question['purchases'] = known.purchases;
  const attributes = merge(merge(observed, own(page, 'attributes')), known.attributes);
  if (attributes && Object.keys(attributes).length > 0) question['attributes'] = attributes;
  else delete question['attributes'];
  markSandbox(question, sandbox);
  return question;
}

function markSandbox(question: Record<string, unknown>, rule: SandboxRule): void {
  const metadata = merge({}, question['custom_metadata']);
  if (rule === 'always') question['custom_metadata'] = { ...metadata, is_sandbox: true };
  if (rule !== 'never' || own(metadata, 'is_sandbox') === undefined) return;
  delete metadata?.['is_sandbox'];
  question['custom_metadata'] = metadata;
}

/** What a question must hold before it is worth asking; whether its values please is for the network to say. */
export function missingParts(question: Readonly<Record<string, unknown>>): readonly Problem[] {
  const problems: Problem[] = [];
  const user = own(question, 'user_details');
  if (!isObject(user)) problems.push({ path: 'user_details', message: 'must be an object' });
  else if (!IDENTIFIERS.some((name) => isText(own(user, name)))) {
    problems.push({ path: 'user_details', message: `must have exactly one of ${IDENTIFIERS.join(', ')}` });
  }
  const placement = own(question, 'placement_details');
  if (!isObject(placement)) problems.push({ path: 'placement_details', message: 'must be an object' });
  for (const name of isObject(placement) ? ['view', 'display_mode'] : []) {
    if (!isText(own(placement, name))) problems.push({ path: `placement_details.${name}`, message: 'is required' });
  }
  return problems;
}

function mergeUser(page: unknown, known: unknown): Record<string, unknown> | undefined {
  const user = merge(page, known);
  const source = IDENTIFIERS.some((name) => isText(own(known, name))) ? known : page;
  const kept = IDENTIFIERS.find((name) => isText(own(source, name)));
  for (const name of IDENTIFIERS) if (user && name !== kept) delete user[name];
  return user;
}

async function withoutEmail(user: Record<string, unknown>): Promise<UserDetails> {
  const { email, ...rest } = user;
  return typeof email === 'string' ? { ...rest, email_hash: await hashEmail(email) } : rest;
}

/** A fresh object with the fields of both; `over` wins. A field called `__proto__` stays behind. */
function merge(under: unknown, over: unknown): Record<string, unknown> | undefined {
  if (!isObject(under) && !isObject(over)) return undefined;
  const merged: Record<string, unknown> = {};
  for (const part of [under, over]) {
    for (const key of isObject(part) ? Object.keys(part) : []) {
      const value = own(part, key);
      if (key !== '__proto__' && value !== undefined) merged[key] = value;
    }
  }
  return merged;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

import { isObject, own, type JsonObject, type Problem } from '../../wire/json.ts';
import { hashEmail } from '../../wire/offers/hashEmail.ts';
import { IDENTIFIERS, REQUEST_FIELDS, type Attributes, type UserDetails } from '../../wire/offers/request.ts';
import type { SandboxRule } from '../options/readOptions.ts';
import type { RelayContext } from '../options/relayOptions.ts';

export interface RequestParts {
  /** What the page sent. */
  readonly page: JsonObject;
  /** What the merchant's server knows. */
  readonly known: RelayContext;
  /** What the page's headers say; fills gaps only. */
  readonly observed: Attributes;
  readonly emails: 'hash' | 'raw';
  readonly sandbox: SandboxRule;
}

/**
 * Composes the request to the network: the page's known fields, replaced by what the server knows, exactly one
 * identifier, and by default no plain email.
 */
export async function composeRequest(parts: RequestParts): Promise<Record<string, unknown>> {
  const { page, known, observed, emails, sandbox } = parts;
  const request: Record<string, unknown> = {};
  for (const field of REQUEST_FIELDS) {
    const value = own(page, field);
    if (value !== undefined && value !== null) request[field] = value;
  }
  const user = mergeUser(own(page, 'user_details'), known.user_details);
  if (user) request['user_details'] = emails === 'hash' ? await withoutEmail(user) : user;
  const order = merge(own(page, 'order_details'), known.order_details);
  if (order) request['order_details'] = order;
  if (known.purchases) request['purchases'] = known.purchases;
  const attributes = merge(merge(observed, own(page, 'attributes')), known.attributes);
  if (attributes && Object.keys(attributes).length > 0) request['attributes'] = attributes;
  else delete request['attributes'];
  markSandbox(request, sandbox);
  return request;
}

/** What a request must have before it is worth sending. Its values are for the network to check. */
export function findMissing(request: Readonly<Record<string, unknown>>): readonly Problem[] {
  const problems: Problem[] = [];
  const user = own(request, 'user_details');
  if (!isObject(user)) problems.push({ path: 'user_details', message: 'must be an object' });
  else if (!IDENTIFIERS.some((name) => isText(own(user, name)))) {
    const message = `must hold exactly one of ${IDENTIFIERS.join(', ')}, from the page or from the relay's context`;
    problems.push({ path: 'user_details', message });
  }
  const placement = own(request, 'placement_details');
  if (!isObject(placement)) problems.push({ path: 'placement_details', message: 'must be an object' });
  for (const name of isObject(placement) ? ['view', 'display_mode'] : []) {
    if (!isText(own(placement, name))) problems.push({ path: `placement_details.${name}`, message: 'is required' });
  }
  return problems;
}

/** What a browser's headers say about the shopper's device and language. */
export function observeAttributes(header: ReadHeader): Attributes {
  const attributes: Attributes = {};
  const device = deviceOf(header);
  const language = languageOf(header('accept-language'));
  if (device) attributes.device_type = device;
  if (language) attributes.language = language;
  return attributes;
}

type ReadHeader = (name: string) => string | null;

function deviceOf(header: ReadHeader): Attributes['device_type'] {
  const agent = (header('user-agent') ?? '').slice(0, 1_000);
  if (/iPad|Tablet|PlayBook|Silk(?!.*Mobile)|Android(?!.*Mobile)/i.test(agent)) return 'TABLET';
  if (header('sec-ch-ua-mobile') === '?1' || /Mobi|iPhone|iPod/i.test(agent)) return 'MOBILE';
  return /Windows NT|Macintosh|X11|Linux|CrOS/i.test(agent) ? 'DESKTOP' : undefined;
}

/** The ISO 639 code of the preferred language: `de` of `de-CH,de;q=0.9,en;q=0.8`. */
function languageOf(accepted: string | null): string | undefined {
  // A first language without a weight is the preferred one.
  const first = /^([a-z]{2,3})(?:-[\w-]+)?(?:,|$)/i.exec(accepted ?? '')?.[1];
  if (first !== undefined) return first.toLowerCase();
  const languages = (accepted ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => ({
      tag: /^\s*([a-z]{2,3})(?:-[\w-]+)?\s*(?:;|$)/i.exec(part)?.[1]?.toLowerCase(),
      q: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1),
    }))
    .filter((part) => part.tag !== undefined && part.q > 0);
  return languages.sort((a, b) => b.q - a.q)[0]?.tag;
}

function markSandbox(request: Record<string, unknown>, rule: SandboxRule): void {
  const metadata = merge({}, request['custom_metadata']);
  if (rule === 'always') request['custom_metadata'] = { ...metadata, is_sandbox: true };
  if (rule !== 'never' || own(metadata, 'is_sandbox') === undefined) return;
  delete metadata?.['is_sandbox'];
  request['custom_metadata'] = metadata;
}

function mergeUser(page: unknown, known: unknown): Record<string, unknown> | undefined {
  const user = merge(page, known);
  const source = IDENTIFIERS.some((name) => isText(own(known, name))) ? known : page;
  const identifier = IDENTIFIERS.find((name) => isText(own(source, name)));
  for (const name of IDENTIFIERS) if (user && name !== identifier) delete user[name];
  return user;
}

async function withoutEmail(user: Record<string, unknown>): Promise<UserDetails> {
  const { email, ...rest } = user;
  return typeof email === 'string' ? { ...rest, email_hash: await hashEmail(email) } : rest;
}

/** A new object with the fields of both; `over` takes precedence. A field called `__proto__` is dropped. */
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

import type { EventName, WireEvent } from '../wire/events.ts';
import { isObject, own } from '../wire/json.ts';
import type { Scenario } from '../wire/scenarios/scenarios.ts';
import type { DeliveredEvent, Receipt } from './createFakeNetwork.ts';
import { impossibleHere } from './environment.ts';

/** What was expected, and everything that can explain why it did not happen. */
export interface FailedDelivery {
  readonly name: EventName;
  readonly fields: EventFields;
  readonly network: {
    readonly delivered: readonly DeliveredEvent[];
    readonly receipts: readonly Receipt[];
    readonly requests: readonly unknown[];
  };
  readonly scenario: Scenario | undefined;
  /** What the page says about itself, line by line. */
  readonly page?: readonly string[];
}

/** Returns the message of a failed expectation: what arrived instead, and the likely reason. */
export function describeDelivery({ name, fields, network, scenario, page = [] }: FailedDelivery): string {
  const { delivered, receipts, requests } = network;
  const wanted = Object.keys(fields).length > 0 ? ` with ${JSON.stringify(fields)}` : '';
  const sameName = delivered.filter((event) => event.event_name === name);
  const refused = receipts.filter(({ status }) => status === 'refused');
  return [
    `No ${name}${wanted} was delivered.`,
    delivered.length > 0 ? `Delivered: ${countNames(delivered)}.` : 'No event was delivered.',
    ...sameName.map((event) => `  ${name}: ${JSON.stringify(ownFields(event))}`),
    ...refused.map(({ event, reason }) => `Refused: ${eventName(event)}: ${reason}`),
    requests.length > 0 ? '' : 'No request for offers reached the network.',
    ...page,
    scenario ? `Scenario ${scenario.name}: ${scenario.mustSee}` : '',
    impossibleHere(name) ?? '',
  ]
    .filter(Boolean)
    .join('\n');
}

/** Lists names with how often each occurs, such as `WIDGET_LOAD, BRAND_CLICK × 2`. */
export function countNames(events: readonly { readonly event_name: string }[]): string {
  const counts = new Map<string, number>();
  for (const { event_name } of events) counts.set(event_name, (counts.get(event_name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} × ${count}` : name)).join(', ');
}

function ownFields({
  event_name: _name,
  event_id: _id,
  event_datetime: _at,
  session_id: _session,
  ...rest
}: DeliveredEvent): object {
  return rest;
}

function eventName(event: unknown): string {
  const { event_name = 'an event' } = Object(event) as { event_name?: unknown };
  return String(event_name);
}

type Fields<Whole> = {
  readonly [Name in keyof Whole]?: Whole[Name] extends object | undefined ? Fields<Whole[Name]> : Whole[Name];
};

/** Fields that an event must have, such as `{ brand_properties: { offer_id: 'offer-1' } }`. */
export type EventFields = Fields<Omit<WireEvent, 'event_name'>>;

/** Whether a value has all these fields. Other fields do not matter. */
export function matchesFields(value: unknown, fields: object): boolean {
  return Object.entries(fields).every(([name, expected]: [string, unknown]) => {
    const actual = own(value, name);
    return isObject(expected) ? matchesFields(actual, expected) : Object.is(actual, expected);
  });
}

import type { WireEvent } from '../wire/events/wireEvent.ts';
import { isObject, own } from '../wire/json.ts';

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

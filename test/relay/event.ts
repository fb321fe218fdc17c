export const SESSION = '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10';

/** A well-formed event with a unique id. */
export function event(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    event_id: crypto.randomUUID(),
    event_name: 'BRAND_DISPLAY',
    event_datetime: new Date().toISOString(),
    session_id: SESSION,
    initiating_target: 'INLINE_SLOT',
    brand_properties: { offer_id: 'o1', advertiser_id: 'a1', insertion_id: 'i1' },
    ...fields,
  };
}

import * as v from 'valibot';
import { parseDatetime } from '../../wire/parseDatetime.ts';

/** Years that a control takes: around them dates are counted back by the history and on by a day, and all of them must have four digits. */
const YEAR = { first: 1970, last: 9_000 };
const IN_THESE_YEARS = `of the years ${YEAR.first} to ${YEAR.last}`;

/** An ISO 8601 time with its zone. */
export const timeField = v.pipe(
  v.string(),
  v.check(isTime, `must be an ISO time ${IN_THESE_YEARS}, such as 2025-11-20T10:30:00Z`),
  v.transform((text) => new Date(parseDatetime(text) ?? 0)),
);

/** A UTC date. */
export const dateField = v.pipe(
  v.string(),
  v.check(
    (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`),
    `must be a date ${IN_THESE_YEARS}, such as 2025-11-20`,
  ),
);

/** A UUID, in lower case from here on. */
export const uuidField = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase());

/** Exact decimal text of 0 or more; numbers are taken at their shortest decimal form. */
export const moneyField = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((value) => (typeof value === 'number' && /e-/.test(String(value)) ? value.toFixed(12) : String(value))),
  v.check((text) => /^\d{1,15}(\.\d{1,12})?$/.test(text), 'must be a decimal number of 0 or more, such as 1.25'),
);

/** A whole number of 0 or more. */
export const countField = v.pipe(
  v.number(),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must be 0 or more'),
);

/** Text that is not blank. */
export const textField = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('must not be blank'),
  v.maxLength(2_000, 'must be 2000 characters or fewer'),
);

/** An address that a browser opens, or one that begins with `/`: the network's own. */
export const addressField = v.pipe(v.string(), v.maxLength(8_192), v.check(isAddress, 'must be an http or https URL'));

function isTime(text: string): boolean {
  const year = new Date(parseDatetime(text) ?? Number.NaN).getUTCFullYear();
  return year >= YEAR.first && year <= YEAR.last;
}

function isAddress(text: string): boolean {
  if (/^\/(?!\/)[\x21-\x7e]*$/.test(text)) return true;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

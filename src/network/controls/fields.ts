import * as v from 'valibot';
import { URL_MAX_LENGTH } from '../../wire/limits.ts';
import { parseDatetime } from '../../wire/parseDatetime.ts';
import { readUuid } from '../database/readUuid.ts';

/** The years that controls accept. History before and a day after them must still have years of four digits. */
const YEAR = { first: 1970, last: 9_000 };
const IN_THESE_YEARS = `in the years ${YEAR.first} to ${YEAR.last}`;

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

/** A UUID, which becomes lower case. */
export const uuidField = v.pipe(
  v.string(),
  v.check((text) => readUuid(text) !== undefined, 'must be a UUID'),
  v.toLowerCase(),
);

/** A decimal number of 0 or more, as exact text. A number becomes its shortest decimal form. */
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

/** An http or https URL, or a path on the network itself. */
export const urlField = v.pipe(
  v.string(),
  v.maxLength(URL_MAX_LENGTH, `must be ${URL_MAX_LENGTH} characters or fewer`),
  v.check(isUrl, 'must be an http or https URL'),
);

function isTime(text: string): boolean {
  const year = new Date(parseDatetime(text) ?? Number.NaN).getUTCFullYear();
  return year >= YEAR.first && year <= YEAR.last;
}

function isUrl(text: string): boolean {
  if (/^\/(?!\/)[\x21-\x7e]*$/.test(text)) return true;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

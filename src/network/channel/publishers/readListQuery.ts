import { LIST_PAGE_SIZE } from '../../../wire/limits.ts';
import { brandKey } from './normalForm.ts';
import { isPlainText } from './isPlainText.ts';

/** The parameters of GET publishers list. */
export interface ListQuery {
  readonly page: number;
  readonly page_size: number;
  /** As sent; '' if missing. */
  readonly q: string;
  /** Normalized like brand names. An empty list means no filter. */
  readonly words: readonly string[];
}

type Fields = Record<string, readonly string[]>;

/** Reads the list's parameters, or returns messages by parameter. Unknown parameters are ignored. */
export function readListQuery(
  parameters: URLSearchParams,
): { ok: true; query: ListQuery } | { ok: false; fields: Fields } {
  const fields: Fields = {};
  const page = count(parameters, 'page', fields) ?? 1;
  const page_size = count(parameters, 'page_size', fields) ?? LIST_PAGE_SIZE.default;
  const q = parameters.get('q') ?? '';
  if (page_size > LIST_PAGE_SIZE.max)
    fields['page_size'] = [`Expected a whole number from 1 to ${LIST_PAGE_SIZE.max}.`];
  if (parameters.getAll('q').length > 1) fields['q'] = [ONCE];
  // Tabs and newlines are control characters, too, but here they separate words like any other white space.
  else if (!isPlainText(q.replaceAll(/\s/gu, ' '))) fields['q'] = ['Expected text without control characters.'];
  if (Object.keys(fields).length > 0) return { ok: false, fields };
  return { ok: true, query: { page, page_size, q, words: brandKey(q).split(/\s+/u).filter(Boolean) } };
}

const ONCE = 'Give this parameter once.';

function count(parameters: URLSearchParams, name: string, fields: Fields): number | undefined {
  const [text, ...more] = parameters.getAll(name);
  if (text === undefined) return undefined;
  if (more.length > 0) fields[name] = [ONCE];
  // A number represents up to fifteen digits exactly.
  else if (!/^\d{1,15}$/.test(text) || Number(text) === 0)
    fields[name] = [
      name === 'page' ? 'Expected a whole number from 1.' : `Expected a whole number from 1 to ${LIST_PAGE_SIZE.max}.`,
    ];
  return Number(text);
}

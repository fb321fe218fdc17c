import { LIST_PAGE_SIZE } from '../../../wire/limits.ts';
import { brandKey } from './normalForm.ts';
import { isPlainText } from './isPlainText.ts';

/** What GET publishers list was asked. */
export interface ListQuery {
  readonly page: number;
  readonly page_size: number;
  /** As sent; '' when there was none. */
  readonly q: string;
  /** In the form in which brands are compared; none means no filter (C13). */
  readonly words: readonly string[];
}

type Fields = Record<string, readonly string[]>;

/** Reads the list's parameters, or says by parameter what is wrong (C11). Unknown parameters are ignored. */
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

const ONCE = 'Expected this parameter once.';

function count(parameters: URLSearchParams, name: string, fields: Fields): number | undefined {
  const [text, ...more] = parameters.getAll(name);
  if (text === undefined) return undefined;
  if (more.length > 0) fields[name] = [ONCE];
  // Fifteen digits: what a number holds exactly.
  else if (!/^\d{1,15}$/.test(text) || Number(text) === 0)
    fields[name] = [
      name === 'page' ? 'Expected a whole number from 1.' : `Expected a whole number from 1 to ${LIST_PAGE_SIZE.max}.`,
    ];
  return Number(text);
}

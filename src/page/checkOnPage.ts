import { dom } from '../dom/dom.ts';
import { type AuthorContext, checkOptions, nameOf, type Placement } from '../session/checkOptions.ts';
import { type Failure, invalid, outcome } from '../session/openTrace.ts';
import type { ShowOptions } from './showOptions.ts';

/** Checks the options of offers on a page. */
export function checkOnPage(options: ShowOptions, { prefix, consentTexts }: AuthorContext): Placement | Failure {
  if (!dom.baseURI) return outcome('invalid_config', 'There is no page here', 'Call it in the browser only.');
  const checked = checkOptions(options, { base: dom.baseURI, prefix, consentTexts });
  if ('code' in checked) return checked;
  if (checked.mode === 'INLINE' && !options.target)
    return invalid(nameOf('target', prefix), 'a selector, such as "#offers"');
  const { request } = checked;
  const [language] = /^[a-z]{2,3}(?![a-z])/.exec(localeOf(checked.options).toLowerCase()) ?? [];
  return { ...checked, request: { ...request, attributes: { language, ...request.attributes } } };
}

/** Returns the language of the offers and of the widget's own texts. */
export function localeOf({ locale }: Pick<ShowOptions, 'locale'>): string {
  return locale ?? (dom.documentElement.lang || navigator.language);
}

/** Whether the offers are part of the page, and not a layer over it. */
export function isInline({ request }: ShowOptions): boolean {
  return request.placement_details.display_mode === 'INLINE';
}

/** Whether the offers have somewhere to go. */
export function isPlaced(options: ShowOptions): boolean {
  return !isInline(options) || Boolean(findTarget(options)?.isConnected);
}

/** Returns the element that the offers go to, where there is one now. */
export function findTarget({ target }: ShowOptions): Element | undefined {
  try {
    return (typeof target === 'string' ? dom.querySelector(target) : target) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The outcome of offers that have nowhere to go. */
export function noTarget({ target }: ShowOptions, prefix: AuthorContext['prefix']): Failure {
  const name = nameOf('target', prefix);
  return outcome(
    'invalid_config',
    typeof target === 'string' ? `"${target}" matches nothing on this page` : `${name} is not on this page`,
    `Set ${name} to the element for the offers, or its selector, on the page before it has loaded.`,
  );
}

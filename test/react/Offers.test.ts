import { createElement } from 'react';
// @ts-expect-error react-dom's types are not installed: only tests would use them
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Offers, type OffersProps } from '../../src/react.ts';
import { pageAt } from '../docs/pages.ts';

const render = (props: Partial<OffersProps> = {}, display_mode: 'INLINE' | 'OVERLAY' = 'INLINE'): string =>
  renderToString(
    createElement(Offers, {
      relay: '/offers',
      request: { placement_details: { view: 'THANK_YOU', display_mode } },
      ...props,
    }),
  ) as string;

test('a server renders the empty place with the space that the documentation recommends', () => {
  const [, wide, width, narrow] =
    /block-size: (\d+px)[^@]*@media screen and \(width < (\d+px)\)[^}]*block-size: (\d+px)/.exec(
      pageAt('docs/reference/page.md').text,
    ) ?? [];
  expect(render()).toBe(`<div style="min-block-size:max(${wide}, min(${narrow}, (${width} - 100vw) * 999))"></div>`);
});

test('a class or a style of the page’s own replaces the reserved space, so that no style attribute is needed', () => {
  expect(render({ className: 'offers', id: 'o' })).toBe('<div id="o" class="offers"></div>');
  expect(render({ style: { minBlockSize: 400 } })).toBe('<div style="min-block-size:400px"></div>');
});

test('a dialog or sheet takes no place in the page', () => {
  expect(render({}, 'OVERLAY')).toBe('');
});

test('options that cannot be compared, or are missing, do not stop the rendering', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(render({ request: { placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', circular } } })).toMatch(
    /^<div/,
  );
  expect(renderToString(createElement(Offers as (props: object) => null, {}))).toBe('');
});

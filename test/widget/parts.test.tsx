// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';
import { FooterLine } from '../../src/widget/Widget.tsx';
import { Disclosure, Logo } from '../../src/widget/OfferCard.tsx';
import { messagesFor } from '../../src/widget/messages.ts';
import type { ShopperAction, WidgetProps } from '../../src/widget/props.ts';
import type { Footer } from '../../src/wire/offers/response.ts';
import { FOOTER, hero, placed } from './offers.ts';

const messages = messagesFor('en');
afterEach(cleanup);

function footerProps(footer: Footer, on: (action: ShopperAction) => void = () => {}): WidgetProps {
  return {
    mode: 'INLINE',
    groups: [hero(placed())],
    footer,
    sandbox: false,
    messages,
    theme: 'auto',
    locale: 'en',
    watch: () => {},
    on,
  };
}

test('a disclosure of one line is text, and a link when it has an address', () => {
  const { rerender } = render(<Disclosure details={{ copy: 'Terms apply.' }} messages={messages} />);
  expect(screen.getByText('Terms apply.')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();

  rerender(
    <Disclosure details={{ copy: 'Terms apply.', target_url: 'https://brand.test/terms' }} messages={messages} />,
  );
  const link = screen.getByRole('link', { name: 'Terms apply.' });
  expect(link.getAttribute('href')).toBe('https://brand.test/terms');
  expect(link.getAttribute('rel')).toContain('noopener');
  expect(link.getAttribute('target')).toBe('_blank');
});

test('a longer disclosure opens in place and ends in its terms', () => {
  render(
    <Disclosure
      details={{ copy: 'New customers only.', content: 'One per household.', target_url: 'https://brand.test/terms' }}
      messages={messages}
    />,
  );
  const details = screen.getByRole('group');
  expect(within(details).getByText('New customers only.').closest('summary')).toBeTruthy();
  expect(details.textContent).toContain('One per household.');
  expect(within(details).getByRole('link', { name: messages.terms })).toBeTruthy();
});

test('a line of terms that is too long for two lines is cut after a word, never inside an amount, and keeps its link', () => {
  const copy = `${'One per household. '.repeat(4)}Minimum order 25,00 € in every shop of the brand, once.`;
  render(<Disclosure details={{ copy, target_url: 'https://brand.test/terms' }} messages={messages} />);
  const details = screen.getByRole('group');
  const shown = details.querySelector('summary')?.textContent ?? '';
  const hidden = details.querySelector('p')?.textContent ?? '';
  expect(shown).toMatch(/ Minimum …$/);
  expect(shown.replace(' …', '') + hidden.replace('…', '')).toContain(copy);
  expect(within(details).getByRole('link', { name: messages.terms })).toBeTruthy();
});

test('a logo that does not come leaves the first letter of the name, emoji and all', () => {
  const { container } = render(
    <Logo advertiser={{ id: 'a', name: '🌊 Tidewater', logo_url: 'https://images.test/logo.svg' }} />,
  );
  const image = container.querySelector('img') ?? expect.fail('there is no picture');
  expect(container.textContent).toBe('🌊');
  expect(image.hidden).toBe(false);
  fireEvent.error(image);
  expect(image.hidden).toBe(true);
});

test('the footer says who is behind the offers and reports which of its links was followed', () => {
  const actions: ShopperAction[] = [];
  window.addEventListener('click', (event) => event.preventDefault()); // nothing leaves this page
  render(<FooterLine {...footerProps(FOOTER, (action) => actions.push(action))} />);
  for (const link of within(screen.getByRole('contentinfo')).getAllByRole('link')) fireEvent.click(link);
  expect(actions).toEqual([
    { type: 'footer', link: 'brand' },
    { type: 'footer', link: 'privacy' },
  ]);
});

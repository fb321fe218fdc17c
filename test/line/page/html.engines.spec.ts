// What every engine must do with a card in the HTML: show it before the script, and let the script take its nodes.
import { expect, test } from '../drivers/driver.ts';
import { poll } from '../drivers/poll.ts';
import { cardOf, styleHash } from './htmlPage.ts';
import { offersOf, useFixture } from './pageFixture.ts';
import { block, inScript, scriptTag } from './pageShop.ts';

const fixture = useFixture();

test('the card is seen before the script, and its nodes, focus and opened text stay when the script comes', async ({
  driver: page,
}) => {
  const response = offersOf(2) as { recommendations: Record<string, { offer: object }> };
  const disclosure_details = { copy: 'New customers only.', content: 'One per household.' };
  for (const { offer } of Object.values(response.recommendations)) Object.assign(offer, { disclosure_details });
  const json = block({ response });
  const html = cardOf(json);
  const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; img-src https: data:; style-src ${styleHash}`;
  await page.goto(
    fixture.page(
      '/thanks',
      `<!doctype html><html lang="en"><title>Thank you</title><link rel="icon" href="data:,"><div id="offers">${html}</div>${inScript(json)}`,
      { 'content-security-policy': policy },
    ),
  );
  const before = await page.eval(() => {
    const root = document.querySelector('#offers > div')?.shadowRoot;
    const accept = root?.querySelector<HTMLElement>('[part=accept]');
    accept?.focus();
    root?.querySelector('details')?.setAttribute('open', '');
    Object.assign(window, { root, nodes: [...(root?.querySelectorAll('section, section *') ?? [])] });
    return {
      height: accept?.getBoundingClientRect().height,
      decoration: accept && getComputedStyle(accept).textDecorationLine,
    };
  });
  expect(before).toEqual({ height: 48, decoration: 'none' });
  await page.eval((tag) => {
    const script = Object.assign(document.createElement('script'), { src: '/offerlet.js' });
    for (const [, name = '', value = ''] of tag.matchAll(/ (data-[\w-]+)="([^"]*)"/g)) script.setAttribute(name, value);
    document.body.append(script);
  }, scriptTag());
  await poll(() =>
    page.eval(() => document.querySelector('[data-offerlet-card]:not([data-offerlet-card=""])') === null),
  ).toBe(true);
  expect(
    await page.eval(() => {
      const { root, nodes } = window as unknown as { root: ShadowRoot; nodes: Element[] };
      const now = [...root.querySelectorAll('section, section *')];
      const { height } = root.querySelector('[part=accept]')?.getBoundingClientRect() ?? {};
      const isOpen = root.querySelector('details')?.open;
      return {
        isSame: nodes.every((node, at) => node === now[at]),
        focus: root.activeElement?.getAttribute('part'),
        isOpen,
        height,
      };
    }),
  ).toEqual({ isSame: true, focus: 'accept', isOpen: true, height: 48 });
  await poll(fixture.names).toContain('WIDGET_VIEW');
});

test('a card that is streamed last is in its place once it comes, where the browser does not put it there as well', async ({
  driver: page,
  browserName,
}) => {
  test.skip(browserName === 'webkit', 'It shows nothing of a page that is still on its way: docs/guides/prefetch.md');
  const json = block();
  let release = (): void => {};
  const late = new Promise<string>((resolve) => (release = () => resolve(cardOf(json, { streamed: true }))));
  fixture.reply = () => {
    release();
    return new Promise(() => {});
  };
  const start = `<!doctype html><html lang="en"><title>Thank you</title><link rel="icon" href="data:,"><div id="offers"><?marker name="offerlet"></div><p>Below</p>`;
  await page.goto(fixture.page('/streamed', [start + scriptTag(), late, inScript(json)]));
  const seen = () =>
    page.eval(() =>
      [...document.querySelectorAll('#offers *')].map(
        ({ shadowRoot }) => shadowRoot?.querySelector('[part=heading]')?.getBoundingClientRect().height,
      ),
    );
  await poll(seen).toEqual([expect.any(Number)]);
  await poll(() =>
    page.eval(() => document.querySelector('[data-offerlet-card]:not([data-offerlet-card=""])') === null),
  ).toBe(true);
  await poll(fixture.names).toContain('WIDGET_VIEW');
  expect(new Set(fixture.events.map(({ session_id }) => session_id))).toEqual(
    new Set([(json.response as { session_id: string }).session_id]),
  );
});

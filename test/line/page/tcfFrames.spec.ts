import { readFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

useClock();

const SHOP = 'https://shop.example';
const FRAME = 'https://checkout.example';

/** A page whose consent platform takes messages as the framework says, around a frame of another origin. */
const OUTER = `<!doctype html>
<iframe name="__tcfapiLocator" hidden></iframe>
<iframe id="checkout" src="${FRAME}/"></iframe>
<script>
  const listeners = new Map();
  window.consents = false;
  window.asText = false;
  window.emit = (eventStatus) => {
    for (const [listenerId, { source, callId }] of listeners) {
      const purpose = { consents: { 1: window.consents } };
      const message = { __tcfapiReturn: { callId, success: true, returnValue: { eventStatus, gdprApplies: true, listenerId, purpose } } };
      source.postMessage(window.asText ? JSON.stringify(message) : message, '*');
    }
  };
  addEventListener('message', ({ data, source }) => {
    const { command, callId, parameter } = data.__tcfapiCall ?? {};
    if (command === 'addEventListener') listeners.set(listeners.size + 1, { source, callId }), emit('cmpuishown');
    if (command === 'removeEventListener') listeners.delete(parameter);
    window.listening = listeners.size;
  });
</script>`;

/** Two frames deep, the source decides. Beside it, a frame that would like to. */
const MIDDLE = `<!doctype html><iframe src="${FRAME}/inner"></iframe>`;
const INNER = `<!doctype html><iframe name="forger"></iframe>
<script type="module">
  import { tcf } from '/dist/consent.js';
  window.decisions = [];
  window.stop = tcf({ purposes: [1] })((isGiven) => window.decisions.push(isGiven));
</script>`;

async function open(page: Page, outer = OUTER) {
  await page.route(`${SHOP}/`, (route) => route.fulfill({ contentType: 'text/html', body: outer }));
  await page.route(`${FRAME}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: MIDDLE });
    if (pathname === '/inner') return route.fulfill({ contentType: 'text/html', body: INNER });
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(`.${pathname}`, 'utf8') });
  });
  await page.goto(`${SHOP}/`);
  const inner = () => page.frames().find((frame) => frame.url() === `${FRAME}/inner`);
  await poll(() => inner()?.evaluate('Array.isArray(window.decisions)')).toBe(true);
  return {
    decisions: () => inner()?.evaluate('window.decisions'),
    stop: () => inner()?.evaluate('window.stop()'),
    forge: (message: object) =>
      inner()?.evaluate(
        `window.frames[0].eval(${JSON.stringify(`parent.postMessage(${JSON.stringify(message)}, '*')`)})`,
      ),
    inner,
  };
}

test('in a frame of another origin, the platform of the page around it decides', async ({ page }) => {
  const { decisions, stop } = await open(page);
  await poll(() => page.evaluate('window.listening')).toBe(1);
  expect(await decisions()).toEqual([]);
  await page.evaluate("window.consents = true; window.emit('useractioncomplete')");
  await poll(decisions).toEqual([true]);
  // Older platforms send text.
  await page.evaluate("window.consents = false; window.asText = true; window.emit('useractioncomplete')");
  await poll(decisions).toEqual([true, false]);
  await stop();
  await poll(() => page.evaluate('window.listening')).toBe(0);
});

test('a message of any other frame decides nothing', async ({ page }) => {
  const { decisions, forge, inner } = await open(page);
  await poll(() => page.evaluate('window.listening')).toBe(1);
  const callId = await inner()?.evaluate(
    () =>
      new Promise((resolve) => {
        // The forger may even know the id of the call.
        const { top } = window;
        if (top) top.postMessage({ __tcfapiCall: { command: 'addEventListener', callId: 'mine' } }, '*');
        addEventListener('message', ({ data }) => resolve(data.__tcfapiReturn.callId));
      }),
  );
  const returnValue = { eventStatus: 'tcloaded', gdprApplies: false, listenerId: 1 };
  await forge({ __tcfapiReturn: { callId, success: true, returnValue } });
  await letPass(page, 300);
  expect(await decisions()).toEqual([]);
});

test('without a platform around the frame there is no decision, and nothing is thrown', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => void errors.push(message));
  const { decisions } = await open(page, OUTER.replace('__tcfapiLocator', 'another'));
  await letPass(page, 700);
  expect([await decisions(), errors]).toEqual([[], []]);
});

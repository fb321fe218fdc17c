// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { createGestures } from '../../src/widget/mountWidget.tsx';

/** A panel with every kind of control, whose clicks go through the filter at the given times. */
function setUp(isLayer: boolean) {
  const clock = { now: 1_000 };
  const panel = document.createElement('div');
  panel.innerHTML =
    '<a href="#accept">Accept</a><button class="decline"></button><button class="handle" aria-expanded="true"></button>';
  const gestures = createGestures(isLayer, () => clock.now);
  panel.addEventListener('click', gestures.filter, true);
  const counted: string[] = [];
  panel.addEventListener('click', (event) => counted.push((event.target as Element).localName));
  /** Clicks a control, and returns whether the click counted. */
  const click = (selector: string, detail = 1): boolean => {
    const before = counted.length;
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, detail });
    panel.querySelector(selector)?.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(counted.length === before);
    return counted.length > before;
  };
  return { clock, gestures, click };
}

test('a layer ignores clicks on links for the first 400 ms, and other modes do not', () => {
  const { clock, gestures, click } = setUp(true);
  expect(setUp(false).click('a')).toBe(true);
  expect([click('a'), click('.decline'), gestures.ignoresInput()]).toEqual([false, true, true]);
  clock.now += 399;
  expect(click('a')).toBe(false);
  clock.now += 1;
  expect([click('a'), gestures.ignoresInput()]).toEqual([true, false]);
});

test('clicks on the same control within 500 ms count once, however often they are repeated', () => {
  const { clock, click } = setUp(false);
  const counted = [0, 100, 500, 900, 1_399, 1_899, 2_500].map((time) => {
    clock.now = time;
    return click('a');
  });
  expect(counted).toEqual([true, false, false, false, false, true, true]);
  expect(click('.decline')).toBe(true);
});

test('the second click of a double click counts nowhere, except on what opens and closes in place', () => {
  const { click } = setUp(false);
  expect([click('a', 2), click('.decline', 2)]).toEqual([false, false]);
  expect([click('.handle'), click('.handle', 2), click('.handle', 3)]).toEqual([true, true, true]);
});

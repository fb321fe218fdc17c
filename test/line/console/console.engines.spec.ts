// The console in every engine: report, breakdown, chart by keyboard, publishers, exclusions.
import { useSandbox } from '../drivers/sandbox.ts';
import { expect, test } from '../drivers/driver.ts';

const sandbox = useSandbox();

/** The text of an element, or its absence. */
function textOf(selector: string): string {
  return document.querySelector(selector)?.textContent ?? '';
}

test('a report has totals, a chart with exact values, and a table that can be sorted', async ({ driver }) => {
  await driver.goto(`${sandbox.shop}/console/?period=last_7_days`);
  await expect.poll(() => driver.eval(textOf, '.tiles .number')).toMatch(/^[\d,]+\.\d\d$/);
  await expect.poll(() => driver.eval(() => document.querySelectorAll('.time-chart .line').length)).toBeGreaterThan(0);
  await driver.eval(() => document.querySelector<HTMLElement>('.plot')?.focus());
  await driver.key('ArrowLeft');
  await expect
    .poll(() => driver.eval(() => document.querySelector('.plot')?.getAttribute('aria-valuetext')))
    .toMatch(/ UTC/);
  await expect.poll(() => driver.eval(textOf, '.tooltip')).toMatch(/UTC/);
  await driver.click('.report thead th:nth-child(2) button');
  await expect.poll(() => driver.eval(() => location.search)).toContain('sort=-channel_payout');
  await expect
    .poll(() => driver.eval(() => document.querySelector('.report thead th:nth-child(2)')?.getAttribute('aria-sort')))
    .toBe('descending');
  await driver.back();
  await expect.poll(() => driver.eval(() => location.search)).toBe('?period=last_7_days');
});

test('a breakdown is chosen in a popover, which Esc closes', async ({ driver }) => {
  await driver.goto(`${sandbox.shop}/console/?grain=total&compare=none`);
  await expect.poll(() => driver.eval(textOf, '.tiles .number')).toMatch(/\d/);
  await driver.click('.controls .row:last-child > .button:first-child');
  await expect.poll(() => driver.eval(() => document.querySelectorAll('.popover:popover-open').length)).toBe(1);
  await driver.click('.popover:popover-open label:nth-of-type(1) input');
  await expect.poll(() => driver.eval(() => document.querySelectorAll('.bars li').length)).toBeGreaterThan(5);
  await driver.key('Escape');
  await expect.poll(() => driver.eval(() => document.querySelectorAll('.popover:popover-open').length)).toBe(0);
});

test('exclusions are saved and undone', async ({ driver }) => {
  await driver.goto(`${sandbox.shop}/console/exclusions`);
  await expect.poll(() => driver.eval(() => document.querySelectorAll('.leaf').length)).toBeGreaterThan(20);
  await driver.click('.branch:first-child .leaf:nth-of-type(2) input');
  await expect.poll(() => driver.eval(textOf, '.savebar')).toContain('1 more excluded');
  await driver.click('.savebar .primary');
  await expect.poll(() => driver.eval(textOf, '.notice')).toContain('Saved.');
  await driver.click('.notice button');
  await expect
    .poll(() =>
      driver.eval(
        () => document.querySelector<HTMLInputElement>('.branch:first-child .leaf:nth-of-type(2) input')?.checked,
      ),
    )
    .toBe(false);
});

import { COUNTS, PAYOUT, type Line, type Sale, type ShopReport } from '../report/metrics.ts';
import { barsOf, drawChart } from './chart.ts';

/** Milliseconds between two reads of the report while the page is visible. */
const EVERY_MS = 1_500;
/** Formats an amount. Reports name no currency: the sandbox network's prices are in euros, as are the shop's. */
export const MONEY = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });

/** Fills a report's elements with numbers, and updates them while the page is visible. */
export function openReport(root: ParentNode, showDays?: (report: ShopReport) => void): void {
  root.querySelector('[data-sale]')?.addEventListener('click', () => void reportSale(root));
  root.querySelector('[data-restart]')?.addEventListener('click', () => void restart());

  async function look(): Promise<void> {
    try {
      const report = await read<ShopReport>(showDays ? '/report.json?days' : '/report.json');
      show(root, report);
      showDays?.(report);
    } catch (error) {
      say(root, '[data-verdict]', `The report could not be read: ${messageOf(error)}. Trying again.`);
    }
  }

  async function restart(): Promise<void> {
    await fetch('/report/restart', { method: 'POST' }).catch(() => undefined);
    await look();
  }

  void (async () => {
    for (;;) {
      await untilSeen();
      await look();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  })();
}

/** Resolves when the page is visible: a hidden tab sends no requests. */
function untilSeen(): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden) return resolve();
    document.addEventListener('visibilitychange', () => resolve(), { once: true });
  });
}

function show(root: ParentNode, report: ShopReport): void {
  const chart = root.querySelector('[data-chart]');
  if (chart) drawChart(chart, barsOf(report.samples, Date.parse(report.updated_at)));
  for (const line of [...COUNTS, PAYOUT]) {
    for (const variant of ['channel', 'publisher'] as const) {
      const value = report.shop[variant][line[variant]] ?? 0;
      for (const cell of root.querySelectorAll(
        `[data-line="${line.name}"] [data-of=${variant}], [data-line="${line.name}"][data-of=${variant}]`,
      ))
        put(cell, line === PAYOUT ? MONEY.format(value) : value.toLocaleString('en'));
    }
  }
  say(root, '[data-since]', `since ${new Date(report.since).toLocaleTimeString('en-GB')}`);
  const differing = COUNTS.filter((line) => !agrees(line, report));
  const verdict = root.querySelector<HTMLElement>('[data-verdict]');
  if (verdict) verdict.dataset.verdict = differing.length === 0 ? 'same' : 'differ';
  say(root, '[data-verdict]', verdictOf(report, differing));
}

function agrees({ channel, publisher }: Line, { shop }: ShopReport): boolean {
  return (shop.channel[channel] ?? 0) === (shop.publisher[publisher] ?? 0);
}

function verdictOf({ tracking, shop }: ShopReport, differing: readonly Line[]): string {
  const aside = tracking['feed_loads'] ?? 0;
  const [loads, billed] = [
    aside > 0
      ? ` Not included: ${aside} ${aside === 1 ? 'load' : 'loads'} on tracking pages, which the publisher report leaves out.`
      : '',
    shop.channel['billable_ad_spend_amount'] ?? 0,
  ];
  if (differing.length > 0)
    return `The two reports differ in ${differing.map(({ name }) => name.toLowerCase()).join(', ')}.${loads}`;
  const paid = billed > 0 ? ` The payouts are their shares of ${MONEY.format(billed)} paid by advertisers.` : '';
  return `Both reports count the same.${paid}${loads}`;
}

/** Changes a number, and highlights the change. */
function put(cell: Element, text: string): void {
  if (cell.textContent === text) return;
  const isFirst = cell.textContent === '–';
  cell.textContent = text;
  if (isFirst) return;
  cell.classList.remove('changed');
  void (cell as HTMLElement).offsetWidth; // restarts the animation
  cell.classList.add('changed');
}

async function reportSale(root: ParentNode): Promise<void> {
  try {
    const sale = await read<Sale>('/report/sale', 'POST');
    say(
      root,
      '[data-said]',
      sale.isCounted
        ? `${sale.advertiser} reported a sale: ${MONEY.format(sale.channel_payout)} for the channel, ${MONEY.format(sale.publisher_payout)} for the shop.`
        : `${sale.advertiser} reported a sale. The network accepted it but does not count it, because test orders never earn. Switch “Orders” to “Counted orders”, accept an offer and try again.`,
    );
  } catch (error) {
    say(root, '[data-said]', messageOf(error));
  }
}

async function read<Body>(path: string, method = 'GET'): Promise<Body> {
  const response = await fetch(path, { method });
  const body = (await response.json()) as Body & { message?: string };
  if (!response.ok) throw new Error(body.message ?? `the shop returned ${response.status}`);
  return body;
}

function say(root: ParentNode, selector: string, text: string): void {
  const element = root.querySelector(selector);
  if (element && element.textContent !== text) element.textContent = text;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'something went wrong';
}

// The site's playground: the built script on a page, against the test kit's relay, in the reader's browser alone.
import type { Mount, PageEvent, ShowOptions } from 'offerlet';
import { fakeRelay, type ScenarioName } from 'offerlet/testing';
import { DISK, OFFERS } from './offers.ts';
import { openThemeEditor } from '../../../demo/browser/themeEditor.ts';
import { findScenario, SCENARIOS } from '../../../src/wire/scenarios/scenarios.ts';

interface Settings {
  readonly mode: string;
  readonly theme: 'light' | 'dark';
  readonly locale: string;
  readonly scenario: string;
}

/** No such host exists, and nothing is sent to it. */
const RELAY = 'https://shop.example/offers';
/** What the state of an event means, in the words of the table. */
const STATES = {
  waiting: 'waits on this device',
  delivered: 'delivered',
  dead: 'refused for good',
  dropped: 'dropped',
};

/** The space that docs/reference/page.md recommends, where the offers stand. */
const PLACE = `<style>
@media screen {
  #offers { min-block-size: 390px }
}
@media screen and (width < 700px) {
  #offers { min-block-size: 570px }
}
</style>
<div id="offers"></div>`;

/** Events that are listed: those of three or four orders. */
const ROWS_MAX = 40;
/** Requests that are listed. */
const REQUESTS_MAX = 12;

// On a server without TLS the widget accepts pictures for tests only.
const relay = fakeRelay({ sandbox: location.protocol === 'http:', offers: OFFERS });
const form = find('[data-settings]') as HTMLFormElement;
const storage = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB');
let offers: Mount | undefined;

const scenarios = find('[data-scenarios]');
for (const { name, title } of SCENARIOS) scenarios.append(new Option(title, name));
restore();
form.addEventListener('change', start);
find('[data-again]').addEventListener('click', start);
for (const button of document.querySelectorAll<HTMLElement>('[data-decide]'))
  button.addEventListener('click', () => offers?.consent(button.dataset.decide === 'yes'));
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]'))
  button.addEventListener('click', () => {
    const code = button.closest('figure')?.querySelector('code');
    if (!code) return;
    navigator.clipboard?.writeText(code.textContent ?? '').catch(() => getSelection()?.selectAllChildren(code));
  });
openThemeEditor(find('[data-theme-editor]'), () => undefined);
const { set } = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src') ?? {};
Object.defineProperty(HTMLImageElement.prototype, 'src', {
  set(this: HTMLImageElement, url: string) {
    set?.call(this, url.replace(DISK, ''));
  },
});
start();

/** Shows the offers of a new order with what is set now. */
function start(): void {
  const settings = Object.fromEntries(new FormData(form)) as unknown as Settings;
  const scenario = findScenario(settings.scenario);
  const { page } = scenario ?? {};
  offers?.destroy();
  relay.setScenario((scenario?.name as ScenarioName | undefined) ?? undefined);
  history.replaceState(null, '', `#${new URLSearchParams({ ...settings })}`);
  find('[data-note]').textContent = scenario ? `You must see: ${scenario.mustSee}` : '';
  find('[data-note]').hidden = !scenario;
  find('[data-consent]').hidden = page?.consent !== 'pending';
  find('[data-tag]').textContent = tagOf(settings);
  find('[data-outcome]').textContent = 'None yet.';
  document.documentElement.dataset.theme = settings.theme;
  document.documentElement.dir = settings.locale === 'ar' ? 'rtl' : 'ltr';
  if (page?.storage === 'refused')
    Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: { open: () => fail('Refused') } });
  else if (storage) Object.defineProperty(globalThis, 'indexedDB', storage);
  const options: ShowOptions = {
    relay: page?.relay === 'missing' ? '' : RELAY,
    target: '#offers',
    theme: settings.theme,
    locale: settings.locale,
    fetch: send,
    consent: page?.consent === 'pending' ? 'required' : page?.consent !== 'denied',
    request: {
      user_details: { external_guid: 'ada' },
      // A new order each time: the offers of the last one are remembered, also by a page that is loaded again.
      order_details: { order_id: crypto.randomUUID() },
      placement_details: { view: 'THANK_YOU', display_mode: settings.mode as 'INLINE' },
    },
    onEvent: follow,
  };
  offers = window.offerlet?.show?.(options);
}

/** Sets what the URL says. */
function restore(): void {
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    const control = form.elements.namedItem(name);
    if (!(control instanceof HTMLSelectElement || control instanceof RadioNodeList)) continue;
    const last = control.value;
    control.value = value;
    if (control.value !== value) control.value = last;
  }
}

/** Passes a request of the page to the relay, and lists it with its answer. */
async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { method, url } = request;
  const sent = await request.clone().text();
  const response = await relay(request);
  const title = document.createElement('summary');
  title.textContent = `${method} ${new URL(url).pathname} → ${response.status}`;
  const bodies = document.createElement('pre');
  bodies.tabIndex = 0;
  bodies.textContent = [sent, await response.clone().text()].map(indented).join('\n\n');
  const entry = document.createElement('details');
  entry.append(title, bodies);
  const list = find('[data-wire]');
  list.prepend(entry);
  list.children[REQUESTS_MAX]?.remove();
  return response;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text || 'no body';
  }
}

function follow(event: PageEvent): void {
  if (event.type === 'outcome') {
    const { code, message, hint } = event;
    find('[data-outcome]').textContent = [`${code}: ${message}.`, hint].filter(Boolean).join(' ');
  }
  if (event.type === 'tracked') {
    const { event_id, event_name } = event.event;
    const row = document.createElement('tr');
    row.dataset.id = event_id;
    const state = document.createElement('td');
    state.textContent = STATES.waiting;
    const name = document.createElement('td');
    name.textContent = event_name;
    row.append(name, state);
    const table = find('[data-events]') as HTMLTableSectionElement;
    table.prepend(row);
    table.rows[ROWS_MAX]?.remove();
  }
  // The kit knows what became of each.
  requestAnimationFrame(settle);
}

function settle(): void {
  const { events: _, ...explanation } = offers?.explain() ?? {};
  find('[data-explain]').textContent = JSON.stringify(explanation, null, 1);
  for (const { event, status, reason } of relay.receipts) {
    const { event_id } = event as { event_id?: string };
    const row = document.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(event_id ?? '')}"]`);
    if (!row?.lastElementChild) continue;
    row.dataset.status = status;
    row.lastElementChild.textContent = status === 'refused' ? (reason ?? STATES.dead) : STATES.delivered;
  }
}

/** What does on a merchant's page what is set here: the space of the offers, and the tag. */
function tagOf({ mode, theme, locale }: Settings): string {
  const attributes = [
    'src="/offerlet.js"',
    'data-relay="/offers"',
    'data-view="THANK_YOU"',
    `data-display-mode="${mode}"`,
    ...(mode === 'INLINE' ? ['data-target="#offers"'] : []),
    'data-email="ada@example.com"',
    'data-order-id="1001"',
    ...(theme === 'dark' ? ['data-theme="dark"'] : []),
    ...(locale === 'en' ? [] : [`data-locale="${locale}"`]),
  ];
  const tag = `<script async ${attributes.join('\n  ')}></script>`;
  return mode === 'INLINE' ? `${PLACE}\n${tag}` : tag;
}

function find(selector: string): HTMLElement {
  return document.querySelector<HTMLElement>(selector) ?? fail(`${selector} is missing`);
}

function fail(message: string): never {
  throw new Error(message);
}

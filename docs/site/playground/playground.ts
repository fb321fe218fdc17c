// The site's playground: the built script on a page, against the test kit's relay, in the reader's browser alone.
import type { Mount, PageEvent, ShowOptions } from 'offerlet';
import { fakeRelay, type ScenarioName } from 'offerlet/testing';
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

/** Events that are listed: those of three or four orders. */
const ROWS_MAX = 40;

const relay = fakeRelay({ sandbox: false });
const form = find('[data-settings]') as HTMLFormElement;
const storage = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB');
let offers: Mount | undefined;
let order = 1000;

const scenarios = find('[data-scenarios]');
for (const { name, title } of SCENARIOS) scenarios.append(new Option(title, name));
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
start();

/** Shows the offers of a new order with what is set now. */
function start(): void {
  const settings = Object.fromEntries(new FormData(form)) as unknown as Settings;
  const scenario = findScenario(settings.scenario);
  const { page } = scenario ?? {};
  offers?.destroy();
  relay.setScenario((scenario?.name as ScenarioName | undefined) ?? undefined);
  find('[data-note]').textContent = scenario ? `You must see: ${scenario.mustSee}` : '';
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
    fetch: (input, init) => relay(new Request(input, init)),
    consent: page?.consent === 'pending' ? 'required' : page?.consent !== 'denied',
    request: {
      user_details: { external_guid: 'ada' },
      order_details: { order_id: `${++order}` },
      placement_details: { view: 'THANK_YOU', display_mode: settings.mode as 'INLINE' },
    },
    onEvent: follow,
  };
  offers = window.offerlet?.show?.(options);
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
  for (const { event, status, reason } of relay.receipts) {
    const { event_id } = event as { event_id?: string };
    const row = document.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(event_id ?? '')}"]`);
    if (!row?.lastElementChild) continue;
    row.dataset.status = status;
    row.lastElementChild.textContent = status === 'refused' ? (reason ?? STATES.dead) : STATES.delivered;
  }
}

/** The tag that does on a merchant's page what is set here. */
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
  return `<script async ${attributes.join('\n  ')}></script>`;
}

function find(selector: string): HTMLElement {
  return document.querySelector<HTMLElement>(selector) ?? fail(`${selector} is missing`);
}

function fail(message: string): never {
  throw new Error(message);
}

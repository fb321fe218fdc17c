// The demo's bar: a choice opens a new order that shows it.
import { queryOf, readChoices, type Choices } from '../choices/choices.ts';
import { openThemeEditor } from '../browser/themeEditor.ts';

const root = document.querySelector('demo-desk')?.shadowRoot;
if (root) openDesk(root);

function openDesk(root: ShadowRoot): void {
  const form = root.querySelector('form');
  if (form) followChoices(form);
  openConsole(root);
  const editor = root.querySelector('[data-theme-editor]');
  if (editor) openThemeEditor(editor, (look) => remember(root, { look }));
  toggleSheet(root);
  toggleTheme(root);
  togglePanel(root);
  // They were disabled until they could respond.
  for (const button of root.querySelectorAll<HTMLButtonElement>('.more, .toggle-theme, .toggle-panel'))
    button.disabled = false;
  for (const button of root.querySelectorAll<HTMLElement>('[data-copy]'))
    button.addEventListener('click', () => void copy(button));
}

/** Opens the page for what is chosen, and for what was chosen before this script had loaded. */
function followChoices(form: HTMLFormElement): void {
  const address = (): string => {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') given.append(name, value);
    return `/${queryOf(readChoices(given), given)}`;
  };
  const changed = address();
  form.reset();
  const shown = address();
  if (changed !== shown) location.assign(changed);
  form.addEventListener('change', () => location.assign(address()));
  // After the back button the form shows what the page shows, not what was chosen last.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) form.reset();
  });
}

/** Opens the choices behind the button. The button, Esc and a click elsewhere close them. */
function toggleSheet(root: ShadowRoot): void {
  const button = root.querySelector<HTMLElement>('.more');
  const set = (isOpen: boolean): void => {
    button?.setAttribute('aria-expanded', String(isOpen));
    if (isOpen && isNarrow()) closeOthers(root, '.more');
  };
  button?.addEventListener('click', () => set(!isOpen(root, '.more')));
  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Escape' || !isOpen(root, '.more')) return;
    set(false);
    button?.focus();
  });
  document.addEventListener('click', (event) => {
    const inside = event.composedPath().some((node) => node instanceof Element && node.matches('.bar'));
    if (!inside) set(false);
  });
}

/** Pixels between the button of the offer and the sheet below it. */
const SHEET_GAP = 12;

/** On a phone, toggles the theme editor: a low sheet, above which the shop scrolls to its offers. */
function toggleTheme(root: ShadowRoot): void {
  const button = root.querySelector<HTMLElement>('.toggle-theme');
  const sheet = root.querySelector<HTMLElement>('.panel');
  // It grows when there is CSS to copy.
  if (sheet && isNarrow()) new ResizeObserver(() => revealOffer(sheet)).observe(sheet);
  button?.addEventListener('click', () => {
    const open = !isOpen(root, '.toggle-theme');
    closeOthers(root, open ? '.toggle-theme' : '');
    if (!open) return;
    button.setAttribute('aria-expanded', 'true');
    document.documentElement.dataset.theming = '';
    document.querySelector('.offers')?.scrollIntoView();
    if (sheet) revealOffer(sheet);
  });
}

/** Scrolls the shop until the sheet does not cover the first button of the offer that is themed. */
function revealOffer(sheet: HTMLElement): void {
  if (document.documentElement.dataset.theming === undefined) return;
  const accept = document.querySelector('#offers > *')?.shadowRoot?.querySelector('[part~=accept]');
  if (!accept) return;
  const covered = accept.getBoundingClientRect().bottom + SHEET_GAP - (innerHeight - sheet.offsetHeight);
  if (covered > 0) scrollBy(0, covered);
}

/** Toggles the panel. In a wide window it is beside the shop and the URL remembers it; on a phone it covers the shop. */
function togglePanel(root: ShadowRoot): void {
  const button = root.querySelector<HTMLElement>('.toggle-panel');
  if (isNarrow()) button?.setAttribute('aria-expanded', 'false');
  button?.addEventListener('click', () => {
    const open = !isOpen(root, '.toggle-panel');
    button.dataset.asked = '';
    button.setAttribute('aria-expanded', String(open));
    if (open && isNarrow()) closeOthers(root, '.toggle-panel');
    if (isNarrow()) return;
    const desk = open ? 'open' : 'bar';
    document.documentElement.dataset.desk = desk;
    remember(root, { desk });
  });
}

/** On a phone one thing is open at a time. */
function closeOthers(root: ShadowRoot, kept: string): void {
  for (const selector of ['.more', '.toggle-theme', '.toggle-panel'])
    if (selector !== kept) root.querySelector(selector)?.setAttribute('aria-expanded', 'false');
  if (kept !== '.toggle-theme') delete document.documentElement.dataset.theming;
}

/** Keeps a choice that needs no new page in the URL, and for the pages that other choices open. */
function remember(root: ShadowRoot, chosen: Partial<Choices>): void {
  const query = new URLSearchParams(location.search);
  const choices: Choices = { ...readChoices(query), ...chosen };
  history.replaceState(history.state, '', location.pathname + queryOf(choices, query));
  for (const [name, value] of Object.entries(chosen)) {
    const field = root.querySelector<HTMLInputElement>(`input[type=hidden][name=${name}]`);
    if (field) field.value = value;
  }
}

/** Loads the console once the shop has loaded and the panel is visible. */
function openConsole(root: ShadowRoot): void {
  const open = (): void => root.querySelector('iframe')?.setAttribute('src', '/report');
  if (document.readyState === 'complete') open();
  else addEventListener('load', open, { once: true });
}

function isOpen(root: ShadowRoot, selector: string): boolean {
  return root.querySelector(selector)?.getAttribute('aria-expanded') === 'true';
}

function isNarrow(): boolean {
  return matchMedia('(max-width: 1199px)').matches;
}

async function copy(button: HTMLElement): Promise<void> {
  const code = button.closest('figure')?.querySelector('code');
  if (!code) return;
  const done = await navigator.clipboard.writeText(code.textContent ?? '').then(
    () => true,
    () => false,
  );
  if (!done) getSelection()?.selectAllChildren(code);
  button.textContent = done ? 'Copied' : 'Press Ctrl-C';
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
}

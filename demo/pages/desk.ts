// The demo's bar: a choice opens a new order that shows it.
import { queryOf, readChoices, type Choices } from '../choices/choices.ts';
import { openThemeEditor } from '../browser/themeEditor.ts';

const root = document.querySelector('demo-desk')?.shadowRoot;
if (root) openDesk(root);

function openDesk(root: ShadowRoot): void {
  const form = root.querySelector('form');
  if (form) followChoices(form);
  openConsole(root);
  root.querySelector('[data-sale]')?.addEventListener('click', () => void reportSale(root));
  const editor = root.querySelector('[data-theme-editor]');
  if (editor) openThemeEditor(editor);
  toggleSheet(root);
  togglePanel(root);
  // They were disabled until they could respond.
  for (const button of root.querySelectorAll<HTMLButtonElement>('.more, .toggle-panel')) button.disabled = false;
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
    if (isOpen && isNarrow()) closePanel();
  };
  const closePanel = (): void => {
    if (isOpen(root, '.toggle-panel')) root.querySelector<HTMLElement>('.toggle-panel')?.click();
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

/** Toggles the panel. In a wide window it is beside the shop and the URL remembers it; on a phone it covers the shop. */
function togglePanel(root: ShadowRoot): void {
  const button = root.querySelector<HTMLElement>('.toggle-panel');
  if (isNarrow()) button?.setAttribute('aria-expanded', 'false');
  button?.addEventListener('click', () => {
    const open = !isOpen(root, '.toggle-panel');
    button.dataset.asked = '';
    button.setAttribute('aria-expanded', String(open));
    if (open && isNarrow()) root.querySelector('.more')?.setAttribute('aria-expanded', 'false');
    if (isNarrow()) return;
    const query = new URLSearchParams(location.search);
    const choices: Choices = { ...readChoices(query), desk: open ? 'open' : 'bar' };
    document.documentElement.dataset.desk = choices.desk;
    history.replaceState(history.state, '', location.pathname + queryOf(choices, query));
    const field = root.querySelector<HTMLInputElement>('input[name=desk]');
    if (field) field.value = choices.desk;
  });
}

/** Loads the console once the shop has loaded and the panel is visible. */
function openConsole(root: ShadowRoot): void {
  const open = (): void => root.querySelector('iframe')?.setAttribute('src', '/report');
  if (document.readyState === 'complete') open();
  else addEventListener('load', open, { once: true });
}

async function reportSale(root: ShadowRoot): Promise<void> {
  const response = await fetch('/sale', { method: 'POST' }).catch(() => undefined);
  const body = (await response?.json().catch(() => undefined)) as { advertiser?: string; message?: string } | undefined;
  const status = root.querySelector('.report [role=status]');
  if (status)
    status.textContent = body?.advertiser
      ? `${body.advertiser} reported a sale. A counted order’s sale is in the console now. The network accepts that of a test order but does not count it, because test orders never earn.`
      : (body?.message ?? 'The shop did not respond.');
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

import type { Choices } from '../choices/choices.ts';
import { measureContrast } from './measureContrast.ts';

type Look = Choices['look'];

/** Where this tab keeps what was set: a choice in the bar opens a new page. */
const KEY = 'demo-theme';
/** Density has no property: padding and height are parts. */
const DENSITY: Readonly<Record<string, string>> = {
  compact: `::part(card) {
  padding: 14px 14px 8px;
  gap: 12px;
}
::part(accept),
::part(decline) {
  padding-block: 4px;
}`,
  airy: `::part(card) {
  padding: 32px 32px 20px;
  gap: 24px;
}
::part(accept),
::part(decline) {
  min-height: 56px;
}`,
};

/** Where the shop sets no colour, the offers have those of the widget. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  light: { accent: '#1d4ed8', surface: '#ffffff' },
  dark: { accent: '#8ab4ff', surface: '#1b1b1b' },
};

/** Applies what is set in the editor to the offers on the page, and shows the CSS for it and the contrast of the result. */
export function openThemeEditor(editor: Element, follow: (look: Look) => void): void {
  const form = editor.querySelector('form');
  const list = editor.querySelector('[data-contrast]');
  const code = editor.querySelector('[data-css]');
  const figure = editor.querySelector('figure');
  if (!form || !list || !code || !figure) return;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // Only what was touched is set: the rest follows from it.
  let touched = readTouched();
  show();
  form.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
    touched = { ...touched, [target.name]: target.value };
    wear('shop');
  });
  editor.querySelector('[data-reset]')?.addEventListener('click', () => {
    touched = {};
    wear('shop');
  });
  const looks = [...editor.querySelectorAll<HTMLInputElement>('[name=look]')];
  for (const look of looks)
    look.addEventListener('change', () => wear(look.value === 'unthemed' ? 'unthemed' : 'shop'));
  // Offers come, go and follow each other by themselves.
  setInterval(showContrast, 500);

  /** Switches the theme on or off. Without it, the offers ignore the settings, and the editor retains them. */
  function wear(worn: Look): void {
    document.documentElement.dataset.look = worn;
    for (const look of looks) look.checked = look.value === worn;
    follow(worn);
    show();
  }

  function show(): void {
    const css = cssOf(touched);
    sheet.replaceSync(document.documentElement.dataset.look === 'unthemed' ? '' : css + initialOf(touched));
    if (Object.keys(touched).length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(touched));
    const style = getComputedStyle(document.documentElement);
    const scheme = document.documentElement.dataset.theme ?? 'light';
    for (const control of form?.elements ?? []) {
      if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
      const { name, type, nextElementSibling } = control;
      const set = touched[name];
      if (type === 'color')
        control.value = set ?? hexOf(style.getPropertyValue(`--offerlet-${name}`)) ?? DEFAULTS[scheme]?.[name] ?? '';
      else control.value = set ?? (type === 'range' ? '16' : '');
      if (nextElementSibling instanceof HTMLOutputElement)
        nextElementSibling.value = type === 'range' ? `${control.value} px` : control.value;
    }
    if (code) code.textContent = css;
    if (figure) figure.hidden = css === '';
    showContrast();
  }

  function showContrast(): void {
    const texts = measureContrast().map(
      ({ name, ratio }) => `${name} ${ratio.toFixed(1)} : 1 ${ratio < 4.5 ? '— too low' : '✓'}`,
    );
    if (texts.join() === [...(list?.children ?? [])].map(({ textContent }) => textContent).join()) return;
    list?.replaceChildren(
      ...texts.map((text) => {
        const item = document.createElement('li');
        item.textContent = text;
        item.classList.toggle('low', text.includes('too low'));
        return item;
      }),
    );
  }
}

/** Returns the CSS for what was set, as a merchant would write it. */
export function cssOf({ accent, surface, radius, font, density }: Readonly<Record<string, string>>): string {
  const properties = [
    accent && `  --offerlet-accent: ${accent};`,
    surface && `  --offerlet-surface: ${surface};`,
    radius && `  --offerlet-radius: ${radius}px;\n  --offerlet-button-radius: ${Math.round(Number(radius) * 0.625)}px;`,
    font && `  --offerlet-font: ${font};`,
  ].filter(Boolean);
  const parts = [properties.length > 0 && `:root {\n${properties.join('\n')}\n}`, DENSITY[density ?? '']];
  return parts.filter(Boolean).join('\n');
}

/** Unsets what this shop has set for another surface or accent. A shop that copies the CSS has not. */
function initialOf({ accent, surface }: Readonly<Record<string, string>>): string {
  const names = [...(surface ? ['text', 'muted', 'line'] : []), ...(accent ? ['on-accent'] : [])];
  return `:root { ${names.map((name) => `--offerlet-${name}: initial;`).join(' ')} }`;
}

function readTouched(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

/** Colour inputs take six digits only. */
function hexOf(color: string): string | undefined {
  const value = color.trim();
  if (/^#[\da-f]{6}$/i.test(value)) return value;
  return /^#[\da-f]{3}$/i.test(value) ? value.replaceAll(/[\da-f]/gi, '$&$&') : undefined;
}

import { measureContrast } from './measureContrast.ts';

/** Where this tab keeps what was set: a choice in the bar opens a new page. */
const KEY = 'demo-theme';
/** Density has no property: padding and height are parts. */
const DENSITY: Readonly<Record<string, string>> = {
  compact: '::part(card) { padding: 14px 14px 8px; gap: 12px }\n::part(accept), ::part(decline) { padding-block: 4px }',
  airy: '::part(card) { padding: 32px 32px 20px; gap: 24px }\n::part(accept), ::part(decline) { min-height: 56px }',
};

/** Applies what is set in the editor to the offers on the page, and shows the CSS for it and the contrast of the result. */
export function openThemeEditor(editor: Element): void {
  const form = editor.querySelector('form');
  const list = editor.querySelector('[data-contrast]');
  const code = editor.querySelector('[data-css]');
  if (!form || !list || !code) return;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // Only what was touched is set: the rest follows from it.
  let touched = readTouched();
  show();
  form.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
    touched = { ...touched, [target.name]: target.value };
    show();
  });
  editor.querySelector('[data-reset]')?.addEventListener('click', () => {
    touched = {};
    show();
  });
  // Offers come, go and follow each other by themselves.
  setInterval(showContrast, 500);

  function show(): void {
    const css = cssOf(touched);
    sheet.replaceSync(css);
    if (Object.keys(touched).length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(touched));
    const style = getComputedStyle(document.documentElement);
    for (const control of form?.elements ?? []) {
      if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
      const set = touched[control.name];
      if (control.type === 'color') control.value = set ?? hexOf(style.getPropertyValue(`--offerlet-${control.name}`));
      else control.value = set ?? (control.type === 'range' ? '16' : '');
    }
    if (code) code.textContent = css || '/* Nothing is set yet. Move a control. */';
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
    // Texts and lines that the shop has set for another surface would not fit this one.
    surface && `  --offerlet-surface: ${surface};`,
    surface && ['text', 'muted', 'line'].map((name) => `  --offerlet-${name}: initial;`).join('\n'),
    accent && '  --offerlet-on-accent: initial;',
    radius && `  --offerlet-radius: ${radius}px;\n  --offerlet-button-radius: ${Math.round(Number(radius) * 0.625)}px;`,
    font && `  --offerlet-font: ${font};`,
  ].filter(Boolean);
  const parts = [properties.length > 0 && `:root {\n${properties.join('\n')}\n}`, DENSITY[density ?? '']];
  return parts.filter(Boolean).join('\n');
}

function readTouched(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

/** Colour inputs take six digits only. */
function hexOf(color: string): string {
  const value = color.trim();
  return /^#[\da-f]{6}$/i.test(value)
    ? value
    : /^#[\da-f]{3}$/i.test(value)
      ? value.replaceAll(/[\da-f]/gi, '$&$&')
      : '#1d4ed8';
}

import type { Choices } from '../choices/choices.ts';
import { html, type Html } from './html.ts';

/** Renders the theme editor: what a merchant's designer sets, the contrast that results, and the CSS to copy. */
export function themeEditor({ look }: Choices): Html {
  return html`<section class="theme" aria-labelledby="theme-title" data-theme-editor>
    <header>
      <h2 id="theme-title">Make it yours</h2>
      <button type="button" data-reset>Reset</button>
      <fieldset class="segments">
        <legend>Offers look</legend>
        ${lookOption('shop', 'Themed', look)}${lookOption('unthemed', 'Unthemed', look)}
      </fieldset>
    </header>
    <form autocomplete="off">
      <label>Accent <input type="color" name="accent" /><output></output></label>
      <label>Surface <input type="color" name="surface" /><output></output></label>
      <label class="whole">Radius <input type="range" name="radius" min="0" max="28" /><output></output></label>
      <label
        >Font
        <select name="font">
          <option value="">System</option>
          <option value="Georgia, 'Times New Roman', serif">Serif</option>
          <option value="'Trebuchet MS', 'Segoe UI', sans-serif">Humanist</option>
          <option value="ui-monospace, Consolas, monospace">Monospace</option>
        </select></label
      >
      <label
        >Density
        <select name="density">
          <option value="compact">Compact</option>
          <option value="" selected>Normal</option>
          <option value="airy">Airy</option>
        </select></label
      >
    </form>
    <ul data-contrast aria-label="Contrast"></ul>
    <figure hidden>
      <figcaption>In your style sheet<button type="button" data-copy>Copy</button></figcaption>
      <pre tabindex="0"><code data-css></code></pre>
    </figure>
  </section>`;
}

function lookOption(value: Choices['look'], label: string, look: Choices['look']): Html {
  const checked = value === look ? html` checked` : '';
  return html`<label><input type="radio" name="look" value="${value}" ${checked} /><span>${label}</span></label>`;
}

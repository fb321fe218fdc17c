import { html, type Html } from './html.ts';

/** Renders the theme editor: what a merchant's designer sets, the contrast that results, and the CSS to copy. */
export function themeEditor(): Html {
  return html`<section class="theme" aria-labelledby="theme-title" data-theme-editor>
    <header>
      <h2 id="theme-title">Make it yours</h2>
      <button type="button" data-reset>Reset</button>
    </header>
    <form autocomplete="off">
      <label>Accent <input type="color" name="accent" /></label>
      <label>Surface <input type="color" name="surface" /></label>
      <label>Radius <input type="range" name="radius" min="0" max="28" /></label>
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
    <figure>
      <figcaption>In your style sheet<button type="button" data-copy>Copy</button></figcaption>
      <pre tabindex="0"><code data-css></code></pre>
    </figure>
  </section>`;
}

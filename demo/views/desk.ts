import { CHOICES, queryOf, type ChoiceName, type Choices } from '../choices/choices.ts';
import { html, nonceAttribute, type Html } from './html.ts';
import { LABELS, REASONS, TITLES } from '../choices/labels.ts';
import type { Order } from '../placement/placement.ts';
import { themeEditor } from './themeEditor.ts';
import { snippets } from '../placement/snippets.ts';

/** The page that the bar is on. */
export interface DeskPage {
  readonly choices: Choices;
  readonly query: URLSearchParams;
  readonly nonce: string;
  /** The order whose code is shown for copying. */
  readonly order: Order;
}

const IN_BAR: readonly ChoiceName[] = ['view', 'via', 'locale', 'theme'];
const IN_SHEET: readonly ChoiceName[] = ['orders', 'csp', 'css', 'consent', 'navigation', 'frame'];

/**
 * Renders the demo's bar and its panel. Both are in a shadow root, so the shop's style sheet, hostile or not, does not
 * affect them. The shop reserves their space, so it does not shift when they are rendered.
 */
export function desk({ choices, query, nonce, order }: DeskPage): Html | '' {
  if (choices.desk === 'none') return '';
  const signed = nonceAttribute(nonce);
  const isOpen = choices.desk === 'open';
  const isFramed = choices.frame !== 'none';
  // The editor has this switch, where it can reach the shop.
  const inSheet = isFramed ? [...IN_SHEET, 'look' as const] : IN_SHEET;
  const others = [...query].filter(([name]) => !Object.hasOwn(CHOICES, name));
  return html`<demo-desk lang="en" dir="ltr"
      ><template shadowrootmode="open">
        <link rel="stylesheet" href="/desk.css" ${signed} />
        <section class="bar" aria-label="Demo">
          <form action="/" autocomplete="off" data-switches>
            ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
            <input type="hidden" name="desk" value="${choices.desk}" />
            ${isFramed ? '' : html`<input type="hidden" name="look" value="${choices.look}" />`}
            <p class="name"><b>Demo</b> <span>not part of the shop</span></p>
            <div class="switches first">
              ${segments('mode', choices)} ${IN_BAR.map((name) => select(name, choices))}
            </div>
            <div class="more-place">
              <button type="button" class="more" disabled aria-expanded="false" aria-controls="more-switches">
                <span class="wide">More</span><span class="narrow">Switches</span>${badge(inSheet, choices)}
              </button>
              <div class="switches sheet" id="more-switches">
                ${inSheet.map((name) => select(name, choices))}
                <p class="links">
                  ${inspector(choices, query)}<a href="/${queryOf(choices, query)}">Place a new order</a>
                </p>
              </div>
            </div>
            <noscript><button>Show</button></noscript>
          </form>
          ${isFramed ? '' : html`<button type="button" class="toggle-theme" disabled aria-expanded="false" aria-controls="panel">Theme</button>`}
          <button type="button" class="toggle-panel" disabled aria-expanded="${String(isOpen)}" aria-controls="panel">
            Console
          </button>
        </section>
        <aside class="panel" id="panel" data-mode="${choices.mode}" aria-label="Theme, console and code">
          ${isFramed ? '' : themeEditor(choices)} ${report()}
          <section class="code" aria-labelledby="code-title">
            <h2 id="code-title">The code of this page</h2>
            ${snippets(choices, order).map(
              ({ title, code }) =>
                html`<figure>
                  <figcaption>${title}<button type="button" data-copy>Copy</button></figcaption>
                  <pre tabindex="0"><code>${code}</code></pre>
                </figure>`,
            )}
          </section>
        </aside>
      </template></demo-desk
    >
    <script type="module" src="/desk.js" ${signed}></script>`;
}

/** The place of the operators' console, and the way to the advertiser's shop. */
function report(): Html {
  return html`<section class="report" aria-labelledby="report-title">
    <header>
      <h2 id="report-title">What the channel’s operator sees</h2>
      <a href="/report" target="_blank">Own tab</a>
    </header>
    <iframe title="The operators’ console" loading="lazy" allow="clipboard-write"></iframe>
    <p>
      <a href="/sale" target="_blank">Report a sale</a> opens the advertiser’s shop where the last click landed. When
      you buy there, its server reports the conversion to the network.
    </p>
  </section>`;
}

function segments(name: 'mode', choices: Choices): Html {
  return html`<fieldset class="segments">
    <legend>${TITLES[name]}</legend>
    ${CHOICES[name].map(
      (word) =>
        html`<label
          ><input type="radio" name="${name}" value="${word}" ${word === choices[name] ? html` checked` : ''} /><span
            >${LABELS[name][word]}</span
          ></label
        >`,
    )}
  </fieldset>`;
}

function select(name: ChoiceName, choices: Choices): Html {
  const labels: Readonly<Record<string, string>> = LABELS[name];
  const reason = REASONS[name];
  const isChanged = choices[name] !== CHOICES[name][0];
  return html`<label class="select${isChanged ? ' changed' : ''}"
    ><span>${TITLES[name]}</span
    ><select name="${name}">
      ${CHOICES[name].map(
        (word) =>
          html`<option value="${word}" ${word === choices[name] ? html` selected` : ''}>
            ${labels[word] ?? word}
          </option>`,
      )}</select
    >${reason === undefined ? '' : html`<small>${reason}</small>`}</label
  >`;
}

/** Shows how many of the choices behind the button differ from the default. */
function badge(names: readonly ChoiceName[], choices: Choices): Html | '' {
  const changed = names.filter((name) => choices[name] !== CHOICES[name][0]).length;
  return changed === 0 ? '' : html`<span class="badge">${changed}<span class="hidden"> changed</span></span>`;
}

/** Links to the same page with the inspector, or without it. */
function inspector(choices: Choices, query: URLSearchParams): Html {
  const others = new URLSearchParams(query);
  if (others.has('offerlet')) {
    others.delete('offerlet');
    return html`<a href="/${queryOf(choices, others)}">Close the inspector</a>`;
  }
  others.set('offerlet', 'inspect');
  return html`<a href="/${queryOf(choices, others)}">Open the inspector</a>`;
}

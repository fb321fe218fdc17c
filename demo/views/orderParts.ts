import type { Choices } from '../choices/choices.ts';
import { html, type Html } from './html.ts';
import { dayFromNow, fill, money, TOTAL } from './order.ts';
import { PICTURES, ROUTE, SIGNS } from './pictures.ts';
import type { Words } from '../words/en.ts';

type View = Choices['view'];

/** The index of the current delivery step in each view; -1 for none. */
const STEP: Readonly<Record<View, number>> = {
  THANK_YOU: 0,
  ORDER_STATUS: 1,
  ORDER_TRACKING: 2,
  POST_ORDER: 3,
  CHECKOUT: -1,
  SUPPORT_CENTER: -1,
};
/** Days until the parcel arrives. */
const DAYS: Readonly<Record<View, number>> = {
  THANK_YOU: 3,
  ORDER_STATUS: 2,
  ORDER_TRACKING: 0,
  POST_ORDER: -1,
  CHECKOUT: 3,
  SUPPORT_CENTER: 3,
};

/** Renders what is above the offers: what the page is for. */
export function aboveOffers({ view, locale }: Choices, words: Words): Html {
  switch (view) {
    case 'THANK_YOU':
    case 'ORDER_STATUS':
      return steps(view, locale, words);
    case 'ORDER_TRACKING':
      return html`${steps(view, locale, words)}
        <div class="card map">
          ${ROUTE}
          <ol>
            ${words.journey.map((text, index) => html`<li>${text}<time>${dayFromNow(-index, locale)}</time></li>`)}
          </ol>
        </div>`;
    case 'POST_ORDER':
      return html`${steps(view, locale, words)}${rating(words)}`;
    case 'CHECKOUT':
      return checkout(locale, words);
    case 'SUPPORT_CENTER':
      return help(words);
  }
}

/** Renders what is below the offers. */
export function belowOffers({ view, locale }: Choices, words: Words): Html | '' {
  if (view !== 'CHECKOUT') return '';
  return html`<button class="main-button" type="button">${fill(words.checkout[3], money(TOTAL, locale))}</button>`;
}

function steps(view: View, locale: Choices['locale'], words: Words): Html {
  const reached = STEP[view];
  const day = dayFromNow(DAYS[view], locale);
  return html`<div class="card progress">
    ${view === 'POST_ORDER' ? '' : html`<p class="arrives">${SIGNS.parcel}${fill(words.arrives, day)}</p>`}
    <ol>
      ${words.steps.map((step, index) => {
        const state = index < reached || reached === 3 ? 'done' : index === reached ? 'now' : 'ahead';
        const current = index === reached ? html` aria-current="step"` : '';
        return html`<li class="${state}" ${current}>${step}</li>`;
      })}
    </ol>
  </div>`;
}

function rating(words: Words): Html {
  return html`<div class="card rating">
    <h2>${words.rate}</h2>
    ${words.items.map(
      ([name], item) =>
        html`<fieldset>
          <legend>${PICTURES[item] ?? ''}${name}</legend>
          <span class="stars">
            ${[5, 4, 3, 2, 1].map(
              (stars) =>
                html`<input
                    type="radio"
                    id="stars-${item}-${stars}"
                    name="stars-${item}"
                    value="${stars}"
                    aria-label="${fill(words.stars, String(stars))}"
                  /><label for="stars-${item}-${stars}" aria-hidden="true">★</label>`,
            )}
          </span>
        </fieldset>`,
    )}
  </div>`;
}

function checkout(locale: Choices['locale'], words: Words): Html {
  const [contact, pay, invoice] = words.checkout;
  return html`<form class="card checkout" aria-label="${words.views.CHECKOUT[0]}">
    <h2>${contact}</h2>
    <label class="field">${words.email}<input type="email" autocomplete="email" value="jane.doe@example.com" /></label>
    <p class="arrives">${SIGNS.parcel}${fill(words.arrives, dayFromNow(DAYS.CHECKOUT, locale))}</p>
    <fieldset>
      <legend>${pay}</legend>
      <label class="pay"><input type="radio" name="pay" checked />${fill(words.card, '4242')}</label>
      <label class="pay"><input type="radio" name="pay" />${invoice}</label>
    </fieldset>
  </form>`;
}

function help(words: Words): Html {
  const [search, where, back, address, talk] = words.help;
  const topics = [
    [SIGNS.parcel, where],
    [SIGNS.back, back],
    [SIGNS.house, address],
    [SIGNS.talk, talk],
  ] as const;
  return html`<div class="help">
    <label class="search">${SIGNS.search}<input type="search" placeholder="${search}" aria-label="${search}" /></label>
    <ul>
      ${topics.map(([sign, text]) => html`<li><a class="card" href="#summary">${sign}${text}</a></li>`)}
    </ul>
  </div>`;
}

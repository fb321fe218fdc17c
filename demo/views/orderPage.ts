import type { Choices } from '../choices/choices.ts';
import { desk } from './desk.ts';
import { html, Html, nonceAttribute } from './html.ts';
import { ADDRESS, dayFromNow, fill, money, PRICES, TOTAL } from './order.ts';
import { PICTURES, SIGNS } from './pictures.ts';
import {
  placeHtml,
  placementHtml,
  placementScripts,
  scriptHtml,
  showOptions,
  type Order,
} from '../placement/placement.ts';
import { aboveOffers, belowOffers } from './orderParts.ts';
import { AR } from '../words/ar.ts';
import { DE } from '../words/de.ts';
import { EN, type Words } from '../words/en.ts';
import { ES } from '../words/es.ts';
import { FR } from '../words/fr.ts';

/** The contents of an order page. */
export interface OrderPage {
  readonly order: Order;
  readonly choices: Choices;
  /** The whole query of the URL: some parameters belong to the widget. */
  readonly query: URLSearchParams;
  /** Whether the receipt is shown instead of the order. */
  readonly isReceipt: boolean;
  /** The nonce of a page whose policy requires one, or an empty string. */
  readonly nonce: string;
}

const WORDS: Readonly<Record<Choices['locale'], Words>> = { en: EN, de: DE, fr: FR, es: ES, ar: AR };

/** Renders an order page as a shop's developers would write it, with the widget added in the chosen way. */
export function orderPage(page: OrderPage): string {
  const { choices, order, nonce } = page;
  const { locale, view, css } = choices;
  const words = WORDS[locale];
  const signed = nonceAttribute(nonce);
  const options = JSON.stringify({
    ...showOptions(choices, order),
    via: choices.via,
    isApp: choices.navigation === 'spa',
    asks: choices.consent === 'banner',
  });
  return html`<!doctype html>
    <html
      lang="${locale}"
      dir="${locale === 'ar' ? 'rtl' : 'ltr'}"
      data-theme="${choices.theme}"
      data-look="${choices.look}"
      data-desk="${choices.desk}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${words.views[view][0]} · ${fill(words.order, order.number)} · Marlow &amp; Finch</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/shop.css" ${signed} />
        ${css === 'hostile' ? html`<link rel="stylesheet" href="/hostile.css" ${signed} />` : ''}
      </head>
      <body data-shop="${options}">
        ${desk(page)}
        <div class="shop">
          ${masthead(words)}
          <main data-view="${view}">${page.isReceipt ? receipt(page, words) : overview(page, words)}</main>
          <footer class="shop-footer">
            <p>${words.footer}</p>
            ${choices.consent === 'banner' ? html`<button type="button" data-cookies>${words.cookies[4]}</button>` : ''}
          </footer>
        </div>
        ${choices.navigation === 'spa' ? html`<template id="other-route">${page.isReceipt ? overview(page, words) : receipt(page, words)}</template>` : ''}
        ${choices.navigation === 'spa' ? new Html(scriptHtml(choices, order, nonce)) : ''}
        ${choices.consent === 'banner' ? cookieBanner(words) : ''} ${placementScripts(choices, nonce)}
      </body>
    </html>`.text;
}

function masthead(words: Words): Html {
  return html`<header class="masthead">
    <a class="brand" href="/">Marlow <i>&amp;</i> Finch</a>
    <nav aria-label="Marlow &amp; Finch">${words.nav.map((name) => html`<a href="/">${name}</a>`)}</nav>
    <div class="tools">
      <a href="/" aria-label="${words.account}">${SIGNS.account}</a
      ><a href="/" aria-label="${words.bag}">${SIGNS.bag}</a>
    </div>
  </header>`;
}

/** Renders the order: greeting, state and offers, and a summary of what was bought. */
function overview(page: OrderPage, words: Words): Html {
  const { choices, order, nonce } = page;
  const [title, text] = words.views[choices.view];
  const isApp = choices.navigation === 'spa';
  const widget = new Html(isApp ? placeHtml(choices, order) : placementHtml(choices, order, nonce));
  return html`<div class="route overview">
    <div class="story">
      <section class="hello">
        ${choices.view === 'THANK_YOU' ? html`<span class="tick">${SIGNS.check}</span>` : ''}
        <p class="eyebrow">${fill(words.order, order.number)}</p>
        <h1 tabindex="-1">${title}</h1>
        <p>${text}</p>
        ${routes(page, words)}
      </section>
      ${aboveOffers(choices, words)}
      ${choices.mode === 'INLINE' ? html`<section class="offers" aria-label="${words.partners}">${widget}</section>` : widget}
      ${belowOffers(choices, words)}
    </div>
    ${summary(choices, words)}
  </div>`;
}

/** Renders the receipt, with which a single-page app replaces the order. */
function receipt(page: OrderPage, words: Words): Html {
  const { locale } = page.choices;
  const [, title, issued, thanks] = words.receipt;
  return html`<div class="route receipt">
    <section class="hello">
      <p class="eyebrow">${fill(words.order, page.order.number)}</p>
      <h1 tabindex="-1">${title}</h1>
      <p>${fill(issued, dayFromNow(0, locale))}</p>
      ${routes(page, words)}
    </section>
    ${summary(page.choices, words)}
    <p class="thanks">${thanks}</p>
  </div>`;
}

function routes({ choices, order }: OrderPage, words: Words): Html | '' {
  if (choices.navigation !== 'spa') return '';
  const [one, other] = words.receipt;
  return html`<nav class="routes" aria-label="${fill(words.order, order.number)}">
    <a href="/orders/${order.number}" data-route="order">${one}</a
    ><a href="/orders/${order.number}/receipt" data-route="receipt">${other}</a>
  </nav>`;
}

function summary({ locale }: Choices, words: Words): Html {
  return html`<aside class="card summary" aria-labelledby="summary">
    <h2 id="summary">${words.summary}</h2>
    <ul>
      ${words.items.map(
        ([name, note], index) =>
          html`<li>
            ${PICTURES[index] ?? ''}<span><b>${name}</b><small>${note}</small></span
            ><span class="price">${money(PRICES[index] ?? 0, locale)}</span>
          </li>`,
      )}
    </ul>
    <dl class="sums">
      <div>
        <dt>${words.subtotal}</dt>
        <dd>${money(TOTAL, locale)}</dd>
      </div>
      <div>
        <dt>${words.delivery}</dt>
        <dd>${words.free}</dd>
      </div>
      <div class="total">
        <dt>${words.total}</dt>
        <dd>${money(TOTAL, locale)}</dd>
      </div>
    </dl>
    <dl class="facts">
      <div>
        <dt>${words.deliverTo}</dt>
        <dd><bdi>${ADDRESS[0]}</bdi><br /><bdi>${ADDRESS[1]}</bdi><br /><bdi>${ADDRESS[2]}</bdi></dd>
      </div>
      <div>
        <dt>${words.paidWith}</dt>
        <dd>${fill(words.card, '4242')}</dd>
      </div>
    </dl>
  </aside>`;
}

function cookieBanner(words: Words): Html {
  const [title, text, accept, decline] = words.cookies;
  // Shown by the page's script, whole: painted half while the page arrives, it would grow upwards.
  return html`<section class="cookies" aria-labelledby="cookies-title" hidden>
    <div>
      <h2 id="cookies-title">${title}</h2>
      <p>${text}</p>
    </div>
    <button type="button" data-consent="no">${decline}</button>
    <button type="button" data-consent="yes">${accept}</button>
  </section>`;
}

import { CHOICES, type Choices } from './choices.ts';
import { html, type Html } from './html.ts';

export interface OrderPage {
  order: string;
  emailHash: string;
  choices: Choices;
}

/** The demo shop's widget has an id of its own, so that the report can tell it from the catalogue's history. */
export const WIDGET_ID = 'demo-shop';
const ORDER_AMOUNT = '64.50';

const TITLES: Readonly<Record<Choices['view'], { title: string; text: string }>> = {
  THANK_YOU: { title: 'Thank you, Jane', text: 'Your order is confirmed. We sent a receipt to your e-mail address.' },
  ORDER_STATUS: { title: 'We are packing your order', text: 'It leaves our workshop today. Nothing for you to do.' },
  ORDER_TRACKING: {
    title: 'Your parcel is on its way',
    text: 'It left Bristol this morning and should be with you on Thursday.',
  },
  POST_ORDER: {
    title: 'How was everything, Jane?',
    text: 'Your order was delivered. We hope that the first cup was a good one.',
  },
  CHECKOUT: { title: 'Almost there, Jane', text: 'Check your order below. You can still change everything.' },
  SUPPORT_CENTER: { title: 'How can we help, Jane?', text: 'Here is your latest order. We answer within the hour.' },
};

const ITEMS = [
  { name: 'Stoneware pour-over set', note: 'Chalk glaze', price: '42.00', picture: cup() },
  { name: 'Single-origin beans, 500 g', note: 'Whole bean', price: '16.00', picture: bag() },
  { name: 'Paper filters, 100', note: 'Unbleached', price: '6.50', picture: filters() },
];

/** An order page as a shop's own developers would write it, with the widget put in the chosen way. */
export function orderPage(page: OrderPage): string {
  const { choices, order } = page;
  const { title, text } = TITLES[choices.view];
  const direction = choices.locale === 'ar' ? 'rtl' : 'ltr';
  return html`<!doctype html>
    <html lang="${choices.locale}" dir="${direction}" data-theme="${choices.theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Order ${order} · Marlow &amp; Finch</title>
        <link rel="stylesheet" href="/shop.css" />
      </head>
      <body>
        ${demoBar(page)}
        <header class="masthead">
          <a class="brand" href="/">Marlow <i>&amp;</i> Finch</a>
          <nav aria-label="Shop"><a href="/">Coffee</a><a href="/">Kitchen</a><a href="/">Journal</a></nav>
        </header>
        <main>
          <section class="hello">
            <p class="eyebrow">Order ${order}</p>
            <h1>${title}</h1>
            <p>${text}</p>
          </section>
          ${choices.mode === 'INLINE' ? html`<section class="offers" aria-label="Offers from our partners">${widget(page)}</section>` : widget(page)}
          <section class="order" aria-labelledby="summary">
            <h2 id="summary">Your order</h2>
            <ul>
              ${ITEMS.map(
                (item) =>
                  html`<li>
                    ${item.picture}<span><b>${item.name}</b><small>${item.note}</small></span
                    ><span class="price">€${item.price}</span>
                  </li>`,
              )}
            </ul>
            <dl>
              <dt>Delivery</dt>
              <dd>Free</dd>
              <dt class="total">Total</dt>
              <dd class="total">€${ORDER_AMOUNT}</dd>
            </dl>
            <address>Jane Doe, 12 Harbour Walk, Bristol BS1 4RW</address>
          </section>
        </main>
        <footer class="shop-footer">
          Marlow &amp; Finch is an invented shop. It shows how offerlet looks on a real one.
        </footer>
      </body>
    </html>`.text;
}

/** The three ways to put the widget on a page; README shows the same lines. */
function widget({ choices, order, emailHash }: OrderPage): Html {
  const { mode, view, via, locale } = choices;
  if (via === 'npm') {
    return html`<div id="offers"></div>
      <script
        type="module"
        src="/with-npm.js"
        data-order="${JSON.stringify({ view, display_mode: mode, locale, email_hash: emailHash, order_id: order, amount: ORDER_AMOUNT, widget_id: WIDGET_ID })}"
      ></script>`;
  }
  if (via === 'element') {
    return html`<offer-let
        relay="/offers"
        view="${view}"
        display-mode="${mode}"
        widget-id="${WIDGET_ID}"
        locale="${locale}"
        email-hash="${emailHash}"
        order-id="${order}"
        order-amount="${ORDER_AMOUNT}"
        order-currency="EUR"
      ></offer-let>
      <script type="module" src="/with-element.js"></script>`;
  }
  return html`<div id="offers"></div>
    <script
      async
      src="/offerlet.js"
      data-relay="/offers"
      data-view="${view}"
      data-display-mode="${mode}"
      data-target="#offers"
      data-widget-id="${WIDGET_ID}"
      data-locale="${locale}"
      data-email-hash="${emailHash}"
      data-order-id="${order}"
      data-order-amount="${ORDER_AMOUNT}"
      data-order-currency="EUR"
    ></script>`;
}

/** Choosing reloads the page as a new order, so that each choice starts from nothing. */
function demoBar({ choices }: OrderPage): Html {
  const selects = Object.entries(CHOICES).map(([name, words]) => {
    const chosen: string = choices[name as keyof Choices];
    const options = words.map((word) =>
      word === chosen ? html`<option selected>${word}</option>` : html`<option>${word}</option>`,
    );
    return html`<label
      >${name}
      <select name="${name}">
        ${options}
      </select></label
    >`;
  });
  return html`<form class="demo-bar" action="/" aria-label="Demo">
    <b>Demo shop</b>${selects}<button>Place a new order</button><a href="/report">Live report</a>
  </form>`;
}

function cup(): Html {
  return html`<svg viewBox="0 0 64 64" aria-hidden="true">
    <rect width="64" height="64" rx="12" fill="#e9e2d6" />
    <path d="M18 20h28l-9 17H27z" fill="#b08968" />
    <path d="M22 40h20v6a8 8 0 0 1-8 8h-4a8 8 0 0 1-8-8z" fill="#fffdf8" />
    <path d="M42 43h4a3 3 0 0 1 0 7h-5" fill="none" stroke="#fffdf8" stroke-width="2.5" />
  </svg>`;
}

function bag(): Html {
  return html`<svg viewBox="0 0 64 64" aria-hidden="true">
    <rect width="64" height="64" rx="12" fill="#dfe6dc" />
    <path d="M22 14h20l2 8v28a3 3 0 0 1-3 3H23a3 3 0 0 1-3-3V22z" fill="#3f5245" />
    <rect x="25" y="28" width="14" height="14" rx="7" fill="#e9e2d6" />
    <path d="M32 30c-3 4 3 6 0 10" stroke="#3f5245" stroke-width="2" fill="none" />
  </svg>`;
}

function filters(): Html {
  return html`<svg viewBox="0 0 64 64" aria-hidden="true">
    <rect width="64" height="64" rx="12" fill="#efe4dc" />
    <path d="M14 22h30L34 46H24z" fill="#fffdf8" />
    <path d="M20 18h30L40 42H30z" fill="#f7efe4" stroke="#d8c7b4" />
  </svg>`;
}

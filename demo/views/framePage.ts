import { queryOf, type Choices } from '../choices/choices.ts';
import { desk } from './desk.ts';
import { html } from './html.ts';
import type { Order } from '../placement/placement.ts';

/** A page that shows the shop in a frame. */
export interface FramePage {
  readonly order: Order;
  readonly choices: Choices;
  readonly query: URLSearchParams;
  readonly address: URL;
}

/** Renders the shop in a phone, in a frame of the same site, or in another site's. The bar and the report stay outside. */
export function framePage({ order, choices, query, address }: FramePage): string {
  const inside = new URL(address.pathname + queryOf({ ...choices, frame: 'none', desk: 'none' }, query), address);
  // To a browser, two names of one machine are two sites, with separate storage and third-party rules.
  if (choices.frame === 'foreign') inside.hostname = address.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return html`<!doctype html>
    <html lang="en" data-desk="${choices.desk}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>The shop in a frame · Marlow &amp; Finch</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/shop.css" />
      </head>
      <body class="stage">
        ${desk({ order, choices, query, nonce: '' })}
        <main class="${choices.frame}">
          <iframe src="${inside.href}" title="The shop" allow="clipboard-write"></iframe>
        </main>
      </body>
    </html>`.text;
}

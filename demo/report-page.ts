import { html } from './html.ts';

/** The live report beside the shop: it asks `/report.json` every two seconds. */
export function reportPage(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Live report · Marlow &amp; Finch</title>
        <link rel="stylesheet" href="/shop.css" />
      </head>
      <body>
        <header class="masthead">
          <a class="brand" href="/">Marlow <i>&amp;</i> Finch</a>
          <nav aria-label="Shop"><a href="/">Back to the shop</a></nav>
        </header>
        <main class="report">
          <h1>Live report</h1>
          <p class="note">
            What this shop's widget did today (UTC), from the network's two reports. Open the shop in another window,
            click an offer, and watch.
          </p>
          <h2>Channel report</h2>
          <dl class="tiles" id="channel"></dl>
          <h2>Publisher report</h2>
          <dl class="tiles" id="publisher"></dl>
          <h2>The whole channel, day by day</h2>
          <table id="days"></table>
          <p class="note" id="updated" role="status"></p>
        </main>
        <script type="module" src="/live-report.js"></script>
      </body>
    </html>`.text;
}

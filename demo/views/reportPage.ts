import { html, type Html } from './html.ts';
import { COUNTS, PAYOUT } from '../report/metrics.ts';

/** What both reports have, the money first. */
const LINES = [PAYOUT, ...COUNTS];

/** Renders the live report beside the shop. The page's script fills it from `/report.json`. */
export function reportParts(): Html {
  return html`<section class="live" aria-labelledby="live-title" data-report>
    <header>
      <h2 id="live-title">Live report</h2>
      <span
        ><button type="button" class="restart" data-restart>Start from zero</button><a href="/report">Own page</a></span
      >
    </header>
    ${chart()}
    <table>
      <caption>
        What this shop’s widget did
        <span data-since>since the start</span
        >, from the network’s two reports
      </caption>
      <thead>
        <tr>
          <td></td>
          <th scope="col">Channel</th>
          <th scope="col">Publisher</th>
        </tr>
      </thead>
      <tbody>
        ${LINES.map(
          ({ name, channel, publisher, meaning }) =>
            html`<tr data-line="${name}">
              <th scope="row" title="${meaning}">${name}</th>
              <td data-of="channel" data-metric="${channel}">–</td>
              <td data-of="publisher" data-metric="${publisher}">–</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="verdict" data-verdict>Reading both reports …</p>
    ${sale()}
  </section>`;
}

/** Renders the live report as its own page. */
export function reportPage(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Live report · Marlow &amp; Finch</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/desk.css" />
      </head>
      <body class="own-page">
        <header class="top">
          <p><b>Live report</b> <span>Marlow &amp; Finch, the demo shop</span></p>
          <p>
            <button type="button" class="restart" data-restart>Start from zero</button> <a href="/">Back to the shop</a>
          </p>
        </header>
        <main data-report>
          <h1>What the shop’s widget did</h1>
          <p class="lead">
            Counted <span data-since>since the start</span> by the network’s two reports. Open the shop in another
            window, accept an offer, and watch.
          </p>
          ${chart()}
          <p class="verdict" data-verdict>Reading both reports …</p>
          <div class="two">
            <section aria-labelledby="channel-title">
              <h2 id="channel-title">Channel report</h2>
              <dl class="tiles" id="channel">${tiles('channel')}</dl>
            </section>
            <section aria-labelledby="publisher-title">
              <h2 id="publisher-title">Publisher report</h2>
              <dl class="tiles" id="publisher">${tiles('publisher')}</dl>
            </section>
          </div>
          <section class="sale-section">${sale()}</section>
          <section>
            <h2 id="days-title">The whole channel, day by day</h2>
            <table id="days" aria-labelledby="days-title"></table>
            <p class="note">
              Days are UTC. Reports name no currency: all prices in the sandbox network are in euros.
              <a href="/console">The console</a> has every report.
            </p>
          </section>
        </main>
        <script type="module" src="/live-report.js"></script>
      </body>
    </html>`.text;
}

function tiles(variant: 'channel' | 'publisher'): Html[] {
  return LINES.map(
    (line) =>
      html`<div data-metric="${line[variant]}" data-line="${line.name}">
        <dt>${line.name} <code>${line[variant]}</code><small>${line.meaning}</small></dt>
        <dd data-of="${variant}">–</dd>
      </div>`,
  );
}

function chart(): Html {
  return html`<div class="chart" data-chart role="img" aria-label="The last ten minutes"></div>`;
}

function sale(): Html {
  return html`<div class="sale">
    <button type="button" data-sale>Report a sale for the last click</button>
    <p data-said role="status">
      Plays the advertiser’s server: reports to the network that the last click became a purchase.
    </p>
  </div>`;
}

import { html, type Html } from './html.ts';

/** Pictures of what was bought, in the order of the shop's words. Drawn for this shop; they hold no text. */
export const PICTURES: readonly Html[] = [
  html`<svg viewBox="0 0 96 96" aria-hidden="true">
    <rect width="96" height="96" fill="#e7dfd2" />
    <ellipse cx="48" cy="82" rx="27" ry="4" fill="#cfc3b0" />
    <path d="M26 26h44L56 50H40z" fill="#fbf8f2" />
    <path d="M26 26h44l-2.400 4H28.400z" fill="#b98a5e" />
    <path d="M70 31h5a6 6 0 0 1 0 12h-9" fill="none" stroke="#fbf8f2" stroke-width="4" />
    <rect x="35" y="50" width="26" height="5" rx="2.500" fill="#e9e1d3" />
    <path d="M33 57h30v12a13 13 0 0 1-13 13h-4a13 13 0 0 1-13-13z" fill="#fffdf9" />
    <path d="M33 57h9v25a13 13 0 0 1-9-13z" fill="#efe7da" />
    <path
      d="M44 12c-3 4 3 6 0 10M52 10c-3 4 3 7 0 12"
      fill="none"
      stroke="#c4b59e"
      stroke-width="2"
      stroke-linecap="round"
    />
  </svg>`,
  html`<svg viewBox="0 0 96 96" aria-hidden="true">
    <rect width="96" height="96" fill="#dbe3d8" />
    <ellipse cx="48" cy="84" rx="26" ry="4" fill="#c2cdbf" />
    <path d="M32 18h32l4 12v50a4 4 0 0 1-4 4H32a4 4 0 0 1-4-4V30z" fill="#38493d" />
    <path d="M32 18h32l1.600 5H30.400z" fill="#2b392f" />
    <path d="M28 30h9v54h-5a4 4 0 0 1-4-4z" fill="#2f3f35" />
    <circle cx="50" cy="53" r="14" fill="#efe6d6" />
    <path d="M50 43c6 0 9 5 9 10s-3 10-9 10-9-5-9-10 3-10 9-10z" fill="#7a5638" />
    <path d="M52 43.500c-5 6 2 12-3 19" fill="none" stroke="#efe6d6" stroke-width="1.800" />
    <rect x="40" y="73" width="20" height="2.500" rx="1.250" fill="#6f8474" />
  </svg>`,
  html`<svg viewBox="0 0 96 96" aria-hidden="true">
    <rect width="96" height="96" fill="#eee1d6" />
    <ellipse cx="48" cy="80" rx="29" ry="4" fill="#dccabb" />
    <path d="M20 34h44L51 74H33z" fill="#f7ecdf" />
    <path d="M26 29h44L57 69H39z" fill="#fbf4ea" stroke="#e2cfba" />
    <path d="M32 24h44L63 64H45z" fill="#fffdf8" stroke="#e2cfba" />
    <path d="M45 64h18l-1 3.500H46z" fill="#eedfce" />
    <path d="M40 30h28" stroke="#eadccb" stroke-width="1.500" />
  </svg>`,
];

/** Small signs, 20 px, in the colour of the text beside them. */
export const SIGNS = {
  bag: sign('M5 7h10l1 10H4zM7.500 7V6a2.500 2.500 0 0 1 5 0v1'),
  account: sign('M10 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3.500 17a6.500 6.500 0 0 1 13 0'),
  check: sign('M4 10.500l4 4 8-9'),
  parcel: sign('M3 6.500L10 3l7 3.500v7L10 17l-7-3.500zM3 6.500L10 10l7-3.500M10 10v7'),
  back: sign('M7 4L3 8l4 4M3 8h9a5 5 0 0 1 0 9h-3'),
  house: sign('M3 9.500L10 3l7 6.500V17h-5v-5H8v5H3z'),
  talk: sign('M3 4h14v10H9l-4 3v-3H3z'),
  search: sign('M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.500 13.500L17 17'),
} as const;

function sign(path: string): Html {
  return html`<svg class="sign" viewBox="0 0 20 20" aria-hidden="true"><path d="${path}" /></svg>`;
}

/** The route of a parcel across an invented map. */
export const ROUTE: Html = html`<svg
  class="route"
  viewBox="0 0 640 200"
  preserveAspectRatio="xMidYMid slice"
  aria-hidden="true"
>
  <rect width="640" height="200" class="land" />
  <path class="water" d="M0 150c60-20 120 10 180-6s90-40 150-30 90 50 160 44 100-30 150-24v66H0z" />
  <path class="field" d="M40 20h90v50H40zM210 30h120v44H210zM420 16h150v60H420z" />
  <path
    class="road"
    d="M0 96c90-30 170 20 260-2s130-52 210-38 110 40 170 28M150 0c10 60-20 120 10 200M430 0c-6 70 30 130 4 200"
  />
  <path class="way" d="M70 84c70-10 120 22 190 10s130-52 210-38" />
  <path class="ahead" d="M470 56c40 6 66 20 96 30" />
  <circle class="stop" cx="70" cy="84" r="7" />
  <circle class="now" cx="470" cy="56" r="11" />
  <circle class="stop" cx="566" cy="86" r="7" />
</svg>`;

/** The shop's sign in a browser's tab. */
export const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#38493d"/><path d="M8 10h14v8a6 6 0 0 1-6 6h-2a6 6 0 0 1-6-6zM22 12h2a3 3 0 0 1 0 6h-2" fill="none" stroke="#fbf6ec" stroke-width="2.2"/></svg>\n';

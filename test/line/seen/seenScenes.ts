/** A scene: what is on a page of 1000 × 800, what happens when, and when it must count (milliseconds; `never`). */
export interface Scene {
  name: string;
  /** Where the element #it is; the default is in view as a whole. */
  html?: string;
  /** What happens at which millisecond, as code. */
  steps?: readonly (readonly [at: number, code: string])[];
  display: number | 'never';
  view: number | 'never';
  lasts?: number;
}

const BOX = 'width:300px;height:250px;';
const box = (style = ''): string => `<div id="it" style="${BOX}${style}"></div>`;
/** Pushed down so that so many pixels of it are above the fold. */
const peeking = (pixels: number, size = BOX): string =>
  `<div id="it" style="position:absolute;top:${800 - pixels}px;left:0;${size}"></div><div style="height:3000px"></div>`;
const inside = (style: string, own = ''): string => `<div style="${style}">${box(own)}</div>`;
const hide = "setVisibility('hidden')";
const reveal = "setVisibility('visible')";
const below = '<div style="height:1000px"></div>' + box() + '<div style="height:2000px"></div>';

export const SCENES: readonly Scene[] = [
  { name: 'all of it in view', html: box(), display: 0, view: 1_000 },
  { name: 'below the fold', html: below, display: 'never', view: 'never' },
  { name: 'its first pixel in view', html: peeking(1), display: 0, view: 'never' },
  { name: '49 % in view', html: peeking(122), display: 0, view: 'never' },
  { name: '50 % in view', html: peeking(125), display: 0, view: 1_000 },
  { name: 'scrolled into view', html: below, steps: [[500, 'scrollTo(0, 600)']], display: 500, view: 1_500 },
  {
    name: 'scrolled past within a second',
    html: below,
    steps: [
      [200, 'scrollTo(0, 600)'],
      [900, 'scrollTo(0, 2000)'],
    ],
    display: 200,
    view: 'never',
    lasts: 2_200,
  },
  {
    name: 'out of view and back: the second begins anew',
    html: below,
    steps: [
      [100, 'scrollTo(0, 600)'],
      [700, 'scrollTo(0, 2000)'],
      [1_000, 'scrollTo(0, 600)'],
    ],
    display: 100,
    view: 2_000,
  },
  { name: 'opacity 0', html: box('opacity:0'), display: 'never', view: 'never' },
  { name: 'opacity 0 of something around it', html: inside('opacity:0'), display: 'never', view: 'never' },
  {
    name: 'opacities that multiply to nearly nothing',
    html: inside('opacity:.2', 'opacity:.2'),
    display: 'never',
    view: 'never',
  },
  {
    name: 'a fade from opacity 0',
    html: box('opacity:0'),
    steps: [[600, "it.style.opacity = '1'"]],
    display: 600,
    view: 1_600,
  },
  { name: 'filter: opacity(0)', html: inside('filter:opacity(0)'), display: 'never', view: 'never' },
  { name: 'visibility hidden', html: inside('visibility:hidden'), display: 'never', view: 'never' },
  {
    name: 'visible within something hidden',
    html: inside('visibility:hidden', 'visibility:visible'),
    display: 0,
    view: 1_000,
  },
  {
    name: 'made visible later',
    html: box('visibility:hidden'),
    steps: [[400, "it.style.visibility = ''"]],
    display: 400,
    view: 1_400,
  },
  {
    name: 'display none, then shown',
    html: box('display:none'),
    steps: [[500, "it.style.display = ''"]],
    display: 500,
    view: 1_500,
  },
  { name: 'clipped away by overflow', html: inside('height:0;overflow:hidden'), display: 'never', view: 'never' },
  { name: 'clipped to 40 % by overflow', html: inside('height:100px;overflow:hidden'), display: 0, view: 'never' },
  {
    name: 'scrolled into view within a box',
    html: `<div id="pane" style="height:300px;overflow:auto"><div style="height:500px"></div>${box()}</div>`,
    steps: [[400, 'pane.scrollTop = 450']],
    display: 400,
    view: 1_400,
  },
  { name: 'clipped away by clip-path', html: inside('clip-path:inset(100%)'), display: 'never', view: 'never' },
  { name: 'scaled to nothing', html: inside('transform:scale(0)'), display: 'never', view: 'never' },
  { name: 'moved off the page', html: inside('transform:translateX(-5000px)'), display: 'never', view: 'never' },
  { name: '40 % of a card beside the viewport', html: box('position:absolute;left:880px'), display: 0, view: 'never' },
  { name: 'a tab that is hidden', steps: [[0, hide]], display: 'never', view: 'never' },
  {
    name: 'a hidden (or prerendered) tab that is opened',
    steps: [
      [0, hide],
      [600, reveal],
    ],
    display: 600,
    view: 1_600,
  },
  {
    name: 'a tab that is hidden for a moment',
    html: box(),
    steps: [
      [500, hide],
      [800, reveal],
    ],
    display: 0,
    view: 1_800,
  },
  { name: 'a tab that is left', html: box(), steps: [[500, hide]], display: 0, view: 'never' },
  { name: 'taken off the page', html: box(), steps: [[500, 'it.remove()']], display: 0, view: 'never' },
  {
    name: 'moved within the page',
    html: box() + '<p id="end"></p>',
    steps: [[500, 'end.after(it)']],
    display: 0,
    view: 1_000,
  },
  {
    name: 'growing from nothing',
    html: box('height:0'),
    steps: [[300, "it.style.height = '250px'"]],
    display: 300,
    view: 1_300,
  },
  { name: 'a page that is busy for 600 ms', html: box(), steps: [[200, 'block(600)']], display: 0, view: 1_000 },
  {
    name: 'in a shadow root whose host is transparent',
    html: `<div id="host" style="opacity:0"><template shadowrootmode="open">${box()}</template></div>`,
    display: 'never',
    view: 'never',
  },
  {
    name: 'in a modal dialog',
    html: `<dialog id="dialog" style="padding:0">${box()}</dialog>`,
    steps: [[300, 'dialog.showModal()']],
    display: 300,
    view: 1_300,
  },
];

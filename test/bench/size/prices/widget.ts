import type { Price } from './price.ts';

const MOUNT = 'widget/mountWidget.tsx';
const SHEET = 'widget/layers/openSheet.ts';
const CARD = 'widget/card/OfferCard.tsx';
const CSS = 'widget/styles/widget.css';

/** What the widget, its styles and the page around it cost. */
export const WIDGET_PRICES: readonly Price[] = [
  {
    behaviour: 'Widget: texts in German, French, Spanish and Arabic',
    lost: 'Shoppers of other languages read English labels.',
    cuts: [['widget/messages/languages.ts', /^ {2}(de|fr|es|ar): .*\n/gm, '']],
  },
  {
    behaviour: 'Widget: the pull-up can be dragged',
    lost: 'It closes by its button and Esc only, and its handle does nothing.',
    cuts: [[SHEET, / {2}if \(handle\) \{[\s\S]*?\n {2}\}\n/, '']],
  },
  {
    behaviour: 'Widget: the pull-up uncovers what has the focus',
    lost: 'People who use the keyboard do not see where they are (WCAG 2.4.11).',
    cuts: [
      [SHEET, / {2}dom\.addEventListener\('focus(in|out)'.*\n/g, ''],
      [SHEET, / {4}dom\.removeEventListener\('focus(in|out)'.*\n/g, ''],
    ],
  },
  {
    behaviour: 'Widget: long text is clamped, with a button that shows the rest',
    lost: 'A long text pushes the buttons out of view.',
    cuts: [
      ['widget/card/Words.tsx', / {6}<button[\s\S]*?<\/button>\n/, ''],
      ['widget/card/Words.tsx', / ref=\{view\.clamp\}/, ''],
      [MOUNT, / {2}const clamped = .*\n/, ''],
      [MOUNT, / {4}clamp\(texts\) \{[\s\S]*?\n {4}\},\n/, ''],
      [MOUNT, / {4}more\(\{[\s\S]*?\n {4}\},\n/, ''],
      [MOUNT, / {4}clamped\.disconnect\(\);\n/, ''],
    ],
  },
  {
    behaviour: 'Widget: pictures of an offer',
    lost: 'Tiles are not shown, and product events never happen.',
    cuts: [[CARD, / {6}<Tiles .*\n/, '']],
  },
  {
    behaviour: 'Widget: promo codes',
    lost: 'The shopper never sees the code that was promised.',
    cuts: [
      ['widget/card/ClaimStatus.tsx', / {8}code && \([\s\S]*?\n {8}\),\n/, ''],
      [MOUNT, / {4}copy\(event, offer\) \{[\s\S]*?\n {4}\},\n/, ''],
    ],
  },
  {
    behaviour: 'Widget: legal text that opens in place',
    lost: 'Terms of more than a line are out of reach.',
    cuts: [[CARD, / {6}\{details && .*\n/, '']],
  },
  {
    behaviour: 'Widget: clicks that were meant for something else are ignored',
    lost: 'A double click declines two offers, or opens an advertiser that nobody chose.',
    cuts: [
      [MOUNT, / {2}for \(const type of \['click'.*\n/, ''],
      ['widget/createGestures.ts', / {4}filter\(event\) \{[\s\S]*?\n {4}\},\n/, '    filter() {},\n'],
    ],
  },
  {
    behaviour: 'Widget: a new height is eased',
    lost: 'A step to an offer of another height jumps.',
    cuts: [['widget/easeHeight.ts', / {2}const after[\s\S]*?\n\}/, '}']],
  },
  {
    behaviour: 'Widget: a long list is rendered in steps',
    lost: 'A list of 20 blocks the page twice as long at first.',
    cuts: [
      [MOUNT, / {4}afterPaint\(addMore\);\n\s*\}\n\n/, '  }\n\n'],
      ['widget/Widget.tsx', /\.slice\(0, Math\.max\(limit, 0\)\)/, ''],
    ],
  },
  {
    behaviour: 'Page: `<offer-let>`',
    lost: 'The element; the script tag and showOffers stay.',
    cuts: [['script-tag.ts', / {2}defineElement\(api\.show\);\n/, '']],
  },
  {
    behaviour: 'Page: reserved space that stays empty is released',
    lost: 'A page without offers keeps a hole.',
    cuts: [['page/openPlace.ts', /if \(element && state !== held\) .*/, '']],
  },
  {
    behaviour: "Page: layers wait for the page's own dialogs",
    lost: 'One Esc closes both, and the layer takes the focus from a question of the page.',
    cuts: [['page/showOffers.ts', / {4}if \(!isInline\(\)\) await whenNoModal\(signal\);\n/, '']],
  },
  {
    behaviour: 'Page: viewability',
    lost: 'Nothing is counted as displayed or viewed until it is clicked.',
    cuts: [
      ['page/mountOffers.ts', / {8}watcher\.watch\(.*\n/, ''],
      ['page/mountOffers.ts', / {2}const watcher = .*\n/, ''],
      ['page/mountOffers.ts', / {4}watcher\.close\(\);\n/g, ''],
    ],
  },
  {
    behaviour: 'Page: names of elements that shadow the document are read past',
    lost: 'On a page with `<img name="body">` the offers do not show.',
    cuts: [['dom/unclobbered.ts', / {2}const prototype = [\s\S]*?\n {2}\}\);\n/, '  return current() as T;\n']],
  },
  {
    behaviour: 'Styles: dark theme',
    lost: 'A bright card on a dark page.',
    cuts: [
      [CSS, /light-dark\(([^,]+),[^)]+\)/g, '$1'],
      ['widget/styles/sharedStyles.ts', /CSS\.supports\([\s\S]*?'\$1'\),\n/, 'css,\n'],
    ],
  },
  {
    behaviour: "Styles: text on the page's accent keeps its contrast",
    lost: 'White text on a light accent, unless the merchant sets its color too.',
    cuts: [[CSS, /@supports \(color: lab[\s\S]*?\n\}\n/, '']],
  },
  {
    behaviour: 'Styles: FULLSCREEN and its form on phones',
    lost: 'FULLSCREEN looks like OVERLAY.',
    cuts: [
      [CSS, /^\.fullscreen[^,{]*\{[\s\S]*?\n\}\n/gm, ''],
      [CSS, /@container \(width < 480px\) \{[\s\S]*?\n\}\n/, ''],
    ],
  },
  {
    behaviour: 'Styles: fades and slides',
    lost: 'Layers appear and disappear at once.',
    cuts: [[CSS, /@media \(prefers-reduced-motion: no-preference\)[\s\S]*(?=@media print)/, '']],
  },
  {
    behaviour: 'Styles: low windows and zoomed text',
    lost: 'At 400 % zoom the buttons cover the text.',
    cuts: [[CSS, /@media \(height[\s\S]*?\n\}\n/g, '']],
  },
];

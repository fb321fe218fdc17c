import type { Choices } from '../choices/choices.ts';
import { placementHtml, showOptions, type Order } from './placement.ts';

/** A piece of code, and where the merchant puts it. */
interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** Returns what a merchant pastes to get the page that is shown: HTML, code, style and policy. */
export function snippets(choices: Choices, order: Order): readonly Snippet[] {
  return [...html(choices, order), ...code(choices, order), ...style(choices), ...policy(choices)];
}

function html(choices: Choices, order: Order): Snippet[] {
  const nonce = choices.csp === 'nonce' ? '{the nonce of this response}' : '';
  const text = placementHtml(choices, order, nonce);
  return text === '' ? [] : [{ title: 'In the page', code: text }];
}

function code(choices: Choices, order: Order): Snippet[] {
  const text = { npm, element, script }[choices.via](choices, order).join('\n');
  return text === '' ? [] : [{ title: 'In your own code', code: text }];
}

function npm(choices: Choices, order: Order): string[] {
  const options = showOptions(choices, order);
  const asks = choices.consent === 'banner';
  return [
    "import { showOffers } from 'offerlet';",
    '',
    `const offers = showOffers(${literal(options, asks ? { consent: 'banner.decision' } : {})});`,
    ...(asks
      ? ['', '// When the decision changes: true shows the offers, false removes them.', 'offers.consent(false);']
      : []),
    ...(choices.navigation === 'spa'
      ? ['', '// When the route is left. Call showOffers() again when it is entered.', 'offers.destroy();']
      : []),
  ];
}

function element({ consent }: Choices): string[] {
  return [
    "import 'offerlet/element';",
    ...(consent === 'banner'
      ? [
          '',
          '// When the shopper decides in the banner, and again when the decision changes.',
          "document.querySelector('offer-let').mount.consent(true);",
        ]
      : []),
  ];
}

function script(choices: Choices, order: Order): string[] {
  const isApp = choices.navigation === 'spa';
  const asks = choices.consent === 'banner';
  const options = literal(showOptions(choices, order), asks ? { consent: 'new Promise(() => {})' } : {});
  return [
    ...(asks
      ? [
          '// When the shopper decides in the banner, and again when the decision changes.',
          '(window.offerlet ||= []).push((o) => o.consent(true));',
        ]
      : []),
    ...(isApp && asks ? [''] : []),
    ...(isApp
      ? [
          '// When the route of the order is entered …',
          `(window.offerlet ||= []).push((o) => o.show(${options}));`,
          '',
          '// … and when it is left.',
          'window.offerlet.push((o) => o.destroy());',
        ]
      : []),
  ];
}

function style({ mode, via }: Choices): Snippet[] {
  if (mode !== 'INLINE') return [];
  const [place, block] =
    via === 'element' ? ['offer-let', ':where(offer-let:not([hidden])) { display: block }\n'] : ['#offers', ''];
  const code = `${block}@media screen { ${place} { min-block-size: 390px } }
@media screen and (width < 700px) { ${place} { min-block-size: 570px } }
${place}[data-offerlet="empty"] { display: none }`;
  return [{ title: 'In your style sheet, to reserve the space', code }];
}

function policy({ csp }: Choices): Snippet[] {
  if (csp === 'none') return [];
  const source = csp === 'nonce' ? "'nonce-{…}' 'strict-dynamic'" : "'self'";
  return [
    {
      title: 'What your policy has to allow',
      code: `script-src ${source}; connect-src 'self'; img-src {the network};\nrequire-trusted-types-for 'script'; trusted-types 'none'`,
    },
  ];
}

/** Writes an object as code; `extra` has values that are code already. */
function literal(value: object, extra: Readonly<Record<string, string>> = {}, depth = 1): string {
  const indent = '  '.repeat(depth);
  const entries = [
    ...Object.entries(value).map(([name, item]) => `${indent}${name}: ${textOf(item, depth)},`),
    ...Object.entries(extra).map(([name, text]) => `${indent}${name}: ${text},`),
  ];
  return `{\n${entries.join('\n')}\n${'  '.repeat(depth - 1)}}`;
}

function textOf(item: unknown, depth: number): string {
  if (typeof item === 'object' && item !== null) return literal(item, {}, depth + 1);
  return typeof item === 'string' ? `'${item.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(item);
}

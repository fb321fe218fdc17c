import { renderToString } from 'preact-render-to-string';
import { isCount, isText, oneOf, own, toJson } from '../wire/json.ts';
import { CARD_ATTRIBUTE, PLACE_NAME, type PrefetchedOffers } from '../wire/offers/prefetched.ts';
import { firstOffers, readRecommendations } from '../wire/offers/readRecommendations.ts';
import { type MessageOverrides, messagesFor } from '../widget/messages.ts';
import { INITIAL_LIMIT, type WidgetProps, type WidgetView } from '../widget/props.ts';
import { Widget } from '../widget/Widget.tsx';
import css, { hash } from './beforeScript.css?inline';

/** The options of `renderOffers`: those of the same names that the page's script has. */
export interface RenderOptions {
  /** BCP 47 language of the widget's own texts: the `lang` of the page. By default English. */
  readonly locale?: string | undefined;
  /** By default `auto`, which follows the page's own color-scheme. */
  readonly theme?: WidgetProps['theme'] | undefined;
  /** Replaces the widget's own texts. */
  readonly messages?: MessageOverrides | undefined;
  /** Maximum number of offers. By default all. */
  readonly maxOffers?: number | undefined;
  /** URL of `offerlet.css`, for pages whose policy allows files only. By default the HTML has the style sheet in it. */
  readonly stylesheet?: string | undefined;
  /**
   * For a page that streams: the HTML is a `<template for="offerlet">`, to be written after everything else as a child of `<body>`.
   * The browser puts the card where the page has `<?marker name="offerlet">`, as it comes.
   */
  readonly streamed?: boolean | undefined;
}

/** Offers as HTML. */
export interface RenderedOffers {
  /** For the element of the offers: write it unescaped. Empty without offers, above 256 KB, or if the mode is not INLINE. */
  readonly html: string;
  /** What `style-src` of the page's Content Security Policy has to allow: `'sha256-…'`, with its quotes. The same in one release. */
  readonly styleHash: string;
}

/**
 * Returns prefetched offers as HTML that is styled and readable before any script runs, and that the script takes over. Takes
 * what `relay.prefetch` has resolved to, or its `json`.
 */
export function renderOffers(
  prefetched: PrefetchedOffers | { readonly json: PrefetchedOffers } | undefined,
  options: RenderOptions = {},
): RenderedOffers {
  const styleHash = hash;
  const { messages, maxOffers, stylesheet } = options;
  // A backend in another language may pass on what its page says.
  const locale = isText(options.locale) ? options.locale : 'en';
  const theme = oneOf(['light', 'dark'], options.theme) ?? 'auto';
  const block = own(prefetched, 'json') ?? prefetched;
  const json = own(block, 'response');
  const response = readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
  const groups = response.ok
    ? firstOffers(response.value.groups, isCount(maxOffers) && maxOffers > 0 ? maxOffers : undefined)
    : [];
  const isSmall = toJson(groups).length <= HTML_MAX;
  if (!response.ok || !groups[0] || !isSmall || own(block, 'display_mode') !== 'INLINE') return { html: '', styleHash };
  const { session_id, footer, sandbox } = response.value;
  const view = viewOf({
    mode: 'INLINE',
    groups,
    footer,
    sandbox,
    theme,
    locale,
    messages: messagesFor(locale, messages),
    watch: ignore,
    on: ignore,
  });
  const html = renderToString(
    <div {...{ [CARD_ATTRIBUTE]: session_id }}>
      <template shadowrootmode="open">
        {isText(stylesheet) && stylesheet ? <link rel="stylesheet" href={stylesheet} /> : <style />}
        <Widget view={view} />
      </template>
    </div>,
  );
  const page = withoutScript(html).replace('<style>', () => `<style>${css}`);
  if (page.length > HTML_MAX) return { html: '', styleHash };
  return { html: options.streamed === true ? `<template for="${PLACE_NAME}">${page}</template>` : page, styleHash };
}

/** Characters above which a card is left to the script: texts in attributes are repeated for each picture. */
const HTML_MAX = 256 * 1024;

function viewOf(props: WidgetProps): WidgetView {
  const state = { passed: [], claimed: [], opened: [] };
  const actions = { accept: ignore, pass: ignore, back: ignore, copy: ignore, more: ignore, dismiss: ignore };
  return { props, state, limit: INITIAL_LIMIT, seen: () => ignore, clamp: ignore, ...actions };
}

function ignore(): void {}

/**
 * Returns rendered tags as they are while no script is there: hidden, where no style of the page shows them, until the style
 * sheet beside them is there; images are painted as they load, one that fails shows its tile, and
 * long texts are not clamped, because nobody could show the rest. The script leaves that, so that nothing moves when it comes. In
 * texts and attributes, `<` and quotes are escaped; the braces are, for what renders templates on servers and in pages.
 */
function withoutScript(html: string): string {
  return html
    .replaceAll('{', '&#123;')
    .replace('<section ', '<section hidden ')
    .replaceAll('<img ', '<img class="loaded" ')
    .replaceAll(/ alt="(?!")/g, ' alt="" aria-label="')
    .replaceAll(/("logo"[^>]*>)([^<]*)(<img [^<]*? src="[^"]*")/g, '$1$2$3 aria-label="$2"')
    .replaceAll('<div class="words"', '<div class="words" data-whole');
}

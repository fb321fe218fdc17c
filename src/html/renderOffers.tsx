import { renderToString } from 'preact-render-to-string';
import { isCount, isText, oneOf, own } from '../wire/json.ts';
import { CARD_ATTRIBUTE, type PrefetchedOffers } from '../wire/offers/prefetched.ts';
import { firstOffers, readRecommendations } from '../wire/offers/readRecommendations.ts';
import { type MessageOverrides, messagesFor } from '../widget/messages.ts';
import { INITIAL_LIMIT, type WidgetProps, type WidgetView } from '../widget/props.ts';
import { Widget } from '../widget/Widget.tsx';
import css, { hash } from '../widget/styles/widget.css?inline';

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
}

/** Offers as HTML. */
export interface RenderedOffers {
  /** For the element of the offers, to be written as it is. Empty if there is nothing to show, or the mode is not INLINE. */
  readonly html: string;
  /** What `style-src` of the page's Content Security Policy has to allow: `sha256-…`. The same in one release. */
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
  const { messages, maxOffers } = options;
  // A backend in another language may pass on what its page says.
  const locale = isText(options.locale) ? options.locale : 'en';
  const theme = oneOf(['light', 'dark'], options.theme) ?? 'auto';
  const block = own(prefetched, 'json') ?? prefetched;
  const json = own(block, 'response');
  const response = readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
  const groups = response.ok
    ? firstOffers(response.value.groups, isCount(maxOffers) && maxOffers > 0 ? maxOffers : undefined)
    : [];
  if (!response.ok || !groups[0] || own(block, 'display_mode') !== 'INLINE') return { html: '', styleHash };
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
  // Hidden until the style sheet inside says otherwise: without it, nothing is seen before the script has come.
  const html = renderToString(
    <div {...{ [CARD_ATTRIBUTE]: session_id }} hidden>
      <template shadowrootmode="open">
        <style />
        <Widget view={view} />
      </template>
    </div>,
  );
  return { html: withoutScript(html).replace('<style>', () => `<style>${css}`), styleHash };
}

function viewOf(props: WidgetProps): WidgetView {
  const state = { passed: [], claimed: [], opened: [] };
  const actions = { accept: ignore, pass: ignore, back: ignore, copy: ignore, more: ignore, dismiss: ignore };
  return { props, state, limit: INITIAL_LIMIT, seen: () => ignore, clamp: ignore, ...actions };
}

function ignore(): void {}

/**
 * Returns rendered tags as they are while no script is there: images are painted as they load, and long texts are not clamped,
 * because nobody could show the rest. The script leaves both, so that nothing moves when it comes. In texts and attributes, `<`
 * and quotes are escaped; the braces are, for what renders templates on servers and in pages.
 */
function withoutScript(html: string): string {
  return html
    .replaceAll('{', '&#123;')
    .replaceAll('<img ', '<img class="loaded" ')
    .replaceAll('<div class="words"', '<div class="words" data-whole');
}

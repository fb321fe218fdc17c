/** Allows only the page's own style and the network's own pictures: no scripts, fonts or other hosts. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** Responds with a page of the network. `body` is markup; the caller escapes the text in it. */
export function pageResponse(page: {
  title: string;
  body: string;
  style: string;
  status?: number;
  /** The page has a form that posts to the page itself. */
  hasForm?: boolean;
}): Response {
  const html =
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    // A browser requests an icon that no page names, and reports the 404.
    `<meta name="robots" content="noindex"><link rel="icon" href="data:,"><title>${escapeMarkup(page.title)}</title><style>${STYLE}${page.style}</style></head>` +
    `<body>${page.body}</body></html>\n`;
  return new Response(html, {
    status: page.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${POLICY}; form-action ${page.hasForm === true ? "'self'" : "'none'"}`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  });
}

/** Escapes text for HTML, including attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The style of a short page, centred in the window. */
export const CARD_STYLE = `
body { min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; }
main { max-width: 34rem; padding: 2.5rem; border-radius: 1.25rem; background: var(--card); box-shadow: 0 1px 2px #0001, 0 12px 40px #0001; }
main > img { display: block; width: 4.5rem; height: 4.5rem; border-radius: 1rem; margin-bottom: 1.5rem; border: 1px solid var(--line); }
`;

const STYLE = `
:root { color-scheme: light dark; --ground: #f5f5f2; --card: #fff; --text: #1d1f23; --quiet: #62656d; --line: #e3e3de; --accent: #0f6b66; }
@media (prefers-color-scheme: dark) { :root { --ground: #16181c; --card: #1f2227; --text: #eceef1; --quiet: #a3a8b2; --line: #343840; --accent: #6fd3cb; } }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; background: var(--ground); color: var(--text); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; text-wrap: balance; }
p { margin: 0 0 .75rem; } p:last-child { margin-bottom: 0; }
a { color: var(--accent); }
small, .quiet { color: var(--quiet); font-size: .875rem; }
code { font: .875em/1.5 ui-monospace, monospace; white-space: nowrap; }
`;

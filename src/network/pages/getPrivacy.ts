import { pageResponse, CARD_STYLE } from './pageResponse.ts';

/** The privacy page that the footer of the offers links to. */
export async function getPrivacy(): Promise<Response> {
  const body =
    '<main><h1>Privacy in the sandbox</h1>' +
    '<p>This network runs on the machine of whoever started it and sends nothing anywhere.</p>' +
    '<p>Of a shopper it keeps whether an e-mail came with the request, never the identifier itself; and the events of the session, by ids that mean nothing outside.</p>' +
    '<p class="quiet">A real network’s privacy policy would stand here.</p></main>';
  return pageResponse({ title: 'Privacy', body, style: CARD_STYLE });
}

import { pageResponse, CARD_STYLE } from './pageResponse.ts';

/** The privacy page to which the footer of the offers links. */
export async function getPrivacy(): Promise<Response> {
  const body =
    '<main><h1>Privacy in the sandbox</h1>' +
    '<p>This network runs on the machine of the person who started it and sends nothing anywhere.</p>' +
    '<p>About a shopper it stores whether the request had an email address, never the address or another identifier, and the events of the session under random ids.</p>' +
    '<p class="quiet">In production, the network’s privacy policy is here.</p></main>';
  return pageResponse({ title: 'Privacy', body, style: CARD_STYLE });
}

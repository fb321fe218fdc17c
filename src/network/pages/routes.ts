import type { NetworkContext, NetworkRoute } from '../context.ts';
import type { RouteParams } from '../http/route.ts';
import { openApiYaml } from '../contract/openapi.ts';
import { pictureResponse } from './pageResponse.ts';
import { getContractPage } from './getContractPage.ts';
import { logo } from './logo.ts';
import { picture } from './pictures/picture.ts';
import { getPrivacy } from './getPrivacy.ts';
import { getVisit } from './getVisit.ts';

/** What people and browsers open: pictures, the landing pages of clicks, and the contract. */
export const pageRoutes: readonly NetworkRoute[] = [
  page('/logos/{name}.svg', async (_request, _context, params) => file(logo(params['name'] ?? ''))),
  page('/pictures/{name}.svg', async (_request, _context, params) => file(picture(params['name'] ?? ''))),
  page('/visit/{offer_id}', getVisit),
  page('/privacy', getPrivacy),
  page('/', getContractPage),
  page(
    '/openapi.yaml',
    async () => new Response(openApiYaml(), { headers: { 'content-type': 'application/yaml; charset=utf-8' } }),
  ),
];

function page(
  pattern: string,
  handler: (request: Request, context: NetworkContext, params: RouteParams) => Promise<Response>,
): NetworkRoute {
  return { methods: ['GET', 'HEAD'], pattern, surface: 'page', handler };
}

function file(markup: string | undefined): Response {
  return markup === undefined
    ? Response.json({ message: 'There is no such picture.' }, { status: 404 })
    : pictureResponse(markup);
}

import { stringify } from 'yaml';
import { CHANNEL_CONTRACT, CHANNEL_SCHEMAS } from './contract/channel.ts';
import {
  EVENT_CONTRACT,
  EVENT_SCHEMAS,
  RECOMMENDATION_CONTRACT,
  RECOMMENDATION_SCHEMAS,
} from './contract/recommendations.ts';
import { operation, type Part, TEXT, object, oneOfTexts, ref } from './contract/operation.ts';
import { REPORTING_CONTRACT, REPORTING_SCHEMAS } from './contract/reporting.ts';
import { controls } from './controls/controls.ts';

/** The contract of the network: the parts of an OpenAPI 3.1 document that it uses. */
export interface Contract {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Part[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Part>>; readonly securitySchemes: Part };
}

/** The three interfaces of the network and its sandbox controls. */
export const CONTRACT: Contract = {
  openapi: '3.1.0',
  info: {
    title: 'Advertising network',
    version: '1.0.0',
    description:
      'Three interfaces of one network: offers and events, publishers and exclusions, reports. Send the key in the x-api-key header.',
  },
  tags: [
    {
      name: 'Recommendations',
      description: 'Offers for a shopper, and the events that follow. Called from a server with the integration’s key.',
    },
    {
      name: 'Channel',
      description:
        'Publishers, categories and exclusions of the channel that owns the key. A publishable key can only read.',
    },
    { name: 'Reporting', description: 'Flat, paginated reports with secret keys. All times are UTC.' },
    { name: 'Operation', description: 'Whether the network works.' },
    {
      name: 'Sandbox controls',
      description: 'Only on staging networks, for callers on the same machine: clock, catalogue, failures and more.',
    },
  ],
  security: [{ key: [] }],
  paths: {
    ...RECOMMENDATION_CONTRACT,
    ...EVENT_CONTRACT,
    ...CHANNEL_CONTRACT,
    ...REPORTING_CONTRACT,
    '/health': {
      get: operation({
        tag: 'Operation',
        summary: 'Whether the network works, and its environment',
        open: true,
        responses: {
          200: [
            'It works; `read_only` if its disk is full.',
            object({
              status: oneOfTexts(['ok', 'read_only']),
              environment: oneOfTexts(['production', 'staging']),
              version: TEXT,
            }),
          ],
          503: ['The network cannot reach its database.', ref('Message')],
        },
      }),
    },
    ...controlPaths(),
  },
  components: {
    schemas: { ...RECOMMENDATION_SCHEMAS, ...EVENT_SCHEMAS, ...CHANNEL_SCHEMAS, ...REPORTING_SCHEMAS },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
  },
};

/** The operations of the controls by path and method. */
function controlPaths(): Record<string, Record<string, Part>> {
  const paths: Record<string, Record<string, Part>> = {};
  for (const { pattern, methods, operation: part } of controls)
    paths[pattern] = { ...paths[pattern], [String(methods).toLowerCase()]: part };
  return paths;
}

/** The contract as `/openapi.yaml` serves it. */
export function openApiYaml(): string {
  // Without aliases: shapes that several endpoints share are written out at each, as most readers expect.
  return stringify(CONTRACT, { aliasDuplicateObjects: false, lineWidth: 0 });
}

import { bundleOf, scriptTag } from './bytes.ts';

/** A file or bundle that a shopper downloads. */
export interface Size {
  readonly what: string;
  readonly code: Buffer;
  /** The most bytes after brotli that the tests accept. Lower it after every reduction; never raise it for convenience. */
  readonly limit: number;
}

/** What most merchants import. */
export const SHOW = "import { showOffers } from 'offerlet'; globalThis.x = showOffers;";
const REACT = "import { Offers } from 'offerlet/react'; globalThis.x = Offers;";
const SESSION = "import { openSession } from 'offerlet/session'; globalThis.x = openSession;";
const EXTENSION = "import extension from './examples/shopify/src/offers.jsx'; globalThis.x = extension;";
const QUEUE = "import { openQueue } from 'offerlet/queue'; globalThis.x = openQueue;";

/** The sources, each with its limit. */
const CONSENT = {
  complianz: 390,
  cookiebot: 330,
  cookieYes: 350,
  didomi: 420,
  googleConsentMode: 550,
  gpp: 495,
  oneTrust: 350,
  shopifyPrivacy: 200,
  tcf: 780,
  usercentrics: 475,
};

/** Measures the built package: every file and bundle that has a limit, and the dependencies alone. */
export async function measureSizes(): Promise<Size[]> {
  return [
    { what: 'dist/offerlet.js (script tag, everything)', code: scriptTag(), limit: 29_775 },
    { what: "import { showOffers } from 'offerlet'", code: await bundleOf(SHOW), limit: 29_275 },
    {
      what: '`<Offers>` of offerlet/react, without React',
      code: await bundleOf(REACT, ['react']),
      limit: 29_670,
    },
    {
      what: "import { openSession } from 'offerlet/session'",
      code: await bundleOf(SESSION),
      limit: 19_575,
    },
    ...(await Promise.all(
      Object.entries(CONSENT).map(async ([name, limit]) => ({
        what: `import { ${name} } from 'offerlet/consent'`,
        code: await bundleOf(`import { ${name} } from 'offerlet/consent'; globalThis.x = ${name};`),
        limit,
      })),
    )),
    {
      what: 'examples/shopify, the complete extension',
      code: await bundleOf(EXTENSION),
      limit: 23_300,
    },
    { what: "import { openQueue } from 'offerlet/queue'", code: await bundleOf(QUEUE), limit: 7_170 },
  ];
}

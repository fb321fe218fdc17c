import { bundleOf, scriptTag } from './bytes.ts';

/** One thing that a shopper downloads. */
export interface Size {
  readonly what: string;
  readonly code: Buffer;
  /** Bytes after brotli that it may not pass. It only ever goes down. */
  readonly held?: number;
  /** Bytes after brotli that it shall come to. */
  readonly aim?: number;
}

const KB = 1024;
const SHOW = "import { showOffers } from 'offerlet'; globalThis.x = showOffers;";
const FLOOR =
  "import { createElement, Fragment, render } from 'preact'; import { createStore, promisifyRequest } from 'idb-keyval'; globalThis.x = [createElement, Fragment, render, createStore, promisifyRequest];";
const QUEUE = "import { openQueue } from 'offerlet/queue'; globalThis.x = openQueue;";

/** Everything that is measured, as it was built. */
export async function measureSizes(): Promise<Size[]> {
  return [
    { what: 'dist/offerlet.js (script tag, everything)', code: scriptTag(), held: 22_300, aim: 13 * KB },
    { what: "import { showOffers } from 'offerlet'", code: await bundleOf(SHOW) },
    {
      what: '  … without preact and idb-keyval',
      code: await bundleOf(SHOW, ['preact', 'idb-keyval']),
      held: 18_300,
      aim: 9 * KB,
    },
    { what: '  … preact and idb-keyval alone', code: await bundleOf(FLOOR) },
    { what: "import { openQueue } from 'offerlet/queue'", code: await bundleOf(QUEUE), held: 4_000, aim: 2.4 * KB },
  ];
}

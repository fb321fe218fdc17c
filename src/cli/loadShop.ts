import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from './listen.ts';

/** What the demo shop's backend is told: where the network is, and its keys. They stay on the server. */
export interface ShopOptions {
  network: string;
  keys: { management: string; publisher_reporting: string; integration: string };
  /** The folder that holds `offerlet.js`. */
  dist: string;
}
type Shop = (request: Request, from: Client) => Promise<Response>;
interface ShopModule {
  createShop(options: ShopOptions): Shop;
}

/** The demo shop: built from `demo/`, a merchant like any other, so it is loaded and not imported. */
export async function loadShop(): Promise<(options: Omit<ShopOptions, 'dist'>) => Shop> {
  const dist = nearestDist();
  const { createShop } = (await import(new URL('demo/shop.js', dist).href)) as ShopModule;
  return (options) => createShop({ ...options, dist: fileURLToPath(dist) });
}

function nearestDist(): URL {
  for (const up of ['./', '../']) {
    const url = new URL(up, import.meta.url);
    if (existsSync(new URL('demo/shop.js', url))) return url;
  }
  throw new Error('The demo shop is not built: run npm run build.');
}

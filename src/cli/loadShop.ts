import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the demo shop's backend is told: where the network is, and its keys. They stay on the server. */
export interface ShopOptions {
  network: string;
  keys: { management: string; publisher_reporting: string };
  /** The folder that holds `offerlet.js`. */
  dist: string;
}
type Shop = (request: Request) => Promise<Response>;

/** The demo shop: built from `demo/`, a merchant like any other, so it is loaded and not imported. */
export async function loadShop(options: Omit<ShopOptions, 'dist'>): Promise<Shop> {
  const dist = new URL('./', nearestDist());
  const { createShop } = (await import(new URL('demo/shop.js', dist).href)) as {
    createShop(options: ShopOptions): Shop;
  };
  return createShop({ ...options, dist: fileURLToPath(dist) });
}

function nearestDist(): string {
  for (const up of ['./', '../']) {
    const url = new URL(up, import.meta.url);
    if (existsSync(new URL('demo/shop.js', url))) return url.href;
  }
  throw new Error('The demo shop is not built: run npm run build.');
}

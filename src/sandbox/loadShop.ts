import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RelayContext } from 'offerlet/relay';
import type { Client } from './serve.ts';

/** What the demo shop's backend needs: the network's URL and its keys, which stay on the server. */
export interface ShopOptions {
  network: string;
  keys: { management: string; publisher_reporting: string; integration: string };
  /** The folders of `offerlet.js` and of the shop's own scripts. */
  folders: { widget: string; shop: string };
}
type Shop = (request: Request, from: Client) => Promise<Response>;
interface ShopModule {
  createShop(options: ShopOptions): Shop;
  languageOf(request: Request): RelayContext;
}
interface LoadedShop {
  createShop(options: Omit<ShopOptions, 'folders'>): Shop;
  /** What the shop knows about the page that requests offers, for the relay. */
  readonly context: ShopModule['languageOf'];
}

/** Loads the demo shop, which is built from `demo/`: like any merchant it uses the published entries only. */
export async function loadShop(): Promise<LoadedShop> {
  const here = import.meta.url; // a bundler would treat `new URL('…', import.meta.url)` as a file to copy
  const module = new URL('../demo/shop.js', here);
  if (!existsSync(module)) throw new Error('The demo shop is not built. Run "npm run build".');
  const folders = { widget: folderOf(import.meta.resolve('offerlet/offerlet.js')), shop: folderOf(module.href) };
  const { createShop, languageOf } = (await import(module.href)) as ShopModule;
  return { createShop: (options) => createShop({ ...options, folders }), context: languageOf };
}

function folderOf(url: string): string {
  return fileURLToPath(new URL('.', url));
}

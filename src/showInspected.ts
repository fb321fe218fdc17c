import { INSPECTOR, type Inspect, type Inspected, type Mount, type ShowOptions } from './page/showOptions.ts';
import { showOffers as show, type MountContext } from './page/showOffers.ts';

/** Requests offers from the merchant's relay and shows them. It never throws: `outcome` has the result. */
export function showOffers(options: ShowOptions, context?: MountContext): Mount {
  return show(options, { ...context, inspect });
}

/** Opens the inspector, if the page has imported it: with a lazy import, it would be in bundles that are one file. */
async function inspect(mount: Inspected): Promise<void> {
  const inspector = Reflect.get(globalThis, INSPECTOR) as Inspect | undefined;
  if (!inspector) throw new Error("The inspector did not load. Import 'offerlet/inspector' before offers are shown.");
  await inspector(mount);
}

import * as sources from './consent/byName.ts';
import { defineElement } from './page/defineElement.ts';
import { showOffers } from './showInspected.ts';

export { defineElement } from './page/defineElement.ts';
export type { OfferLetAttributes, OfferLetElement } from './page/elementTypes.d.ts';

// Not loaded later: a merchant's bundle is one file.
defineElement(showOffers, () => Promise.resolve(sources));

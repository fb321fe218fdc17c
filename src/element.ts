import { defineElement } from './page/defineElement.ts';
import { showOffers } from './showInspected.ts';

export { defineElement } from './page/defineElement.ts';
export type { OfferLetAttributes, OfferLetElement } from './page/elementTypes.d.ts';

defineElement(showOffers, () => import('./consent/byName.ts'));

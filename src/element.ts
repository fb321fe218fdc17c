import { defineElement } from './page/defineElement.ts';
import { showOffers } from './showInspected.ts';

export { defineElement, type OfferLetElement } from './page/defineElement.ts';

defineElement(showOffers);

import { defineElement } from './page/defineElement.ts';

export { defineElement, type OfferLetElement } from './page/defineElement.ts';

defineElement();

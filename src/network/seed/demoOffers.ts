import { FOOD_OFFERS } from './offers/food.ts';
import { HOME_OFFERS } from './offers/home.ts';
import { SELF_OFFERS } from './offers/self.ts';
import { SERVICE_OFFERS } from './offers/services.ts';
import { OFFERS_ABROAD } from './offers/abroad.ts';
import type { DemoOffer } from './offers/demoOffer.ts';

/** The 46 offers of the demo. */
export const DEMO_OFFERS: readonly DemoOffer[] = [
  ...FOOD_OFFERS,
  ...HOME_OFFERS,
  ...SELF_OFFERS,
  ...SERVICE_OFFERS,
  ...OFFERS_ABROAD,
];

import type { Price } from './price.ts';
import { QUEUE_PRICES } from './queue.ts';
import { SESSION_PRICES } from './session.ts';
import { WIDGET_PRICES } from './widget.ts';
import { WIRE_PRICES } from './wire.ts';

/** Everything that can be cut out of the script, part by part. */
export const PRICES: readonly Price[] = [...QUEUE_PRICES, ...SESSION_PRICES, ...WIRE_PRICES, ...WIDGET_PRICES];

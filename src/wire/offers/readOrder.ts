import { own } from '../json.ts';
import { copyObject, isAbsent, normalizeTexts, type AddProblem } from '../problems.ts';
import type { OrderDetails, Purchase } from './request.ts';

/** Digits of an amount before and after the point: any NUMERIC column accepts these. */
const AMOUNT = /^\d{1,12}(\.\d{1,12})?$/;
const AMOUNT_MAX = 1e12;

/** Reads the order: strings and cost are checked, unknown fields kept. */
export function readOrder(json: unknown, addProblem: AddProblem): OrderDetails | undefined {
  const order = copyObject(json, 'order_details', addProblem);
  normalizeTexts(order, ['order_id'], 'order_details', addProblem);
  normalizeCost(order, 'order_details', addProblem);
  return order;
}

/** Reads the purchases: each is checked, unknown fields are kept, a numeric `quantity` becomes a string. */
export function readPurchases(json: unknown, addProblem: AddProblem): Purchase[] | undefined {
  if (isAbsent(json)) return undefined;
  if (!Array.isArray(json)) {
    addProblem('purchases', 'must be an array');
    return undefined;
  }
  return json.map((item: unknown, index) => {
    const path = `purchases[${index}]`;
    if (isAbsent(item)) addProblem(path, 'must be an object');
    const purchase = copyObject(item, path, addProblem) ?? {};
    normalizeTexts(purchase, ['product_id', 'name', 'quantity'], path, addProblem);
    normalizeCost(purchase, path, addProblem);
    return purchase;
  });
}

/** Checks `amount` and `currency_code` where present. */
export function checkCost(cost: unknown, path: string, addProblem: AddProblem): void {
  const amount = own(cost, 'amount');
  const isAmount =
    typeof amount === 'number' ? amount >= 0 && amount < AMOUNT_MAX : typeof amount === 'string' && AMOUNT.test(amount);
  if (!isAbsent(amount) && !isAmount) addProblem(`${path}.amount`, 'must be a number of 0 or more, such as 42.50');
  const currency = own(cost, 'currency_code');
  const isCurrency = typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency);
  if (!isAbsent(currency) && !isCurrency)
    addProblem(`${path}.currency_code`, 'must be a three-letter ISO 4217 code, such as EUR');
}

function normalizeCost(object: Record<string, unknown> | undefined, path: string, addProblem: AddProblem): void {
  const cost = copyObject(own(object, 'cost_details'), `${path}.cost_details`, addProblem);
  if (!object || !cost) return;
  checkCost(cost, `${path}.cost_details`, addProblem);
  object['cost_details'] = cost;
}

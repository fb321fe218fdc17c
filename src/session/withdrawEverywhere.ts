import { withdrawConsent } from '../queue/withdrawConsent.ts';
import { forgetOrders } from './orderMemory.ts';

export { onForeignWithdrawal } from '../queue/withdrawConsent.ts';

/** Clears all that this origin has stored, whatever is mounted, and notifies other tabs. */
export function withdrawEverywhere(): void {
  forgetOrders();
  void withdrawConsent();
}

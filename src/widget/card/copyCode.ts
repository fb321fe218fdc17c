import type { PlacedOffer } from '../../wire/offers/response.ts';

/** Copies the offer's promo code. If the browser refuses, selects the code so that one key press copies it. Resolves to whether it was copied. */
export async function copyCode(button: Element, { offer }: PlacedOffer): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(offer.metadata?.code ?? '');
    return true;
  } catch {
    const code = button.parentElement?.querySelector('code');
    if (code) getSelection()?.selectAllChildren(code);
    return false;
  }
}

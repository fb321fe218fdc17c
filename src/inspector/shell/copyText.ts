import { dom } from '../../dom/dom.ts';

/** Copies a text to the clipboard, also on pages that are not on https. */
export async function copyText(root: ShadowRoot, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = dom.createElement('textarea');
    area.value = text;
    area.setAttribute('aria-label', 'Report');
    root.append(area);
    area.select();
    const isCopied = dom.execCommand('copy');
    area.remove();
    if (!isCopied) throw new Error('The browser does not let this page write to the clipboard.');
  }
}

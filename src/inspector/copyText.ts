/** Puts a text into the clipboard, also on pages that are not on https. */
export async function copyText(root: ShadowRoot, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('aria-label', 'Report');
    root.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    if (!isCopied) throw new Error('This page may not write to the clipboard.');
  }
}

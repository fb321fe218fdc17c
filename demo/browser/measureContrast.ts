/** How well a text of the offers stands out from what lies behind it. */
export interface Contrast {
  readonly name: string;
  /** From 1 to 21. WCAG requires 4.5 of small text. */
  readonly ratio: number;
}

const TEXTS = { heading: 'Heading', subheading: 'Text', accept: 'Accept', decline: 'Decline' };
const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

/** Measures the offer that is shown, as the browser draws it. */
export function measureContrast(): Contrast[] {
  const hosts = document.querySelectorAll('offer-let-layer, offer-let, #offers > *');
  const offer = [...hosts].map((host) => host.shadowRoot?.querySelector('article')).find(Boolean);
  if (!offer) return [];
  return Object.entries(TEXTS).flatMap(([part, name]) => {
    const text = offer.querySelector(`[part~=${part}]`);
    if (!text) return [];
    const behind: string[] = [];
    for (let at: Element | null = text; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
    const [ground, ink] = [luminance(behind), luminance([...behind, getComputedStyle(text).color])];
    return [{ name, ratio: (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05) }];
  });
}

/** The relative luminance of colours painted above each other. */
function luminance(colors: readonly string[]): number {
  if (!context) return 0;
  context.clearRect(0, 0, 1, 1);
  for (const color of colors) {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
  }
  const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

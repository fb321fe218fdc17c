/** How well one text of the widget stands out from its background. */
export interface TextContrast {
  readonly name: string;
  /** From 1 to 21. */
  readonly ratio: number;
  /** What WCAG 2 requires of a text of this size. */
  readonly required: number;
}

/**
 * Measures the contrast of the widget's texts, part by part. It uses nothing from outside: the doctor sends it to a browser
 * as text.
 */
export function measureContrast(host: Element): TextContrast[] {
  type Rgba = readonly [red: number, green: number, blue: number, alpha: number];
  const texts = { heading: 'Heading', subheading: 'Subheading', accept: 'Accept button', decline: 'Decline button' };
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!context) return [];

  /** Converts any CSS colour to numbers. */
  const paint = (color: string): Rgba => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const above = (element: Element): Element | null => {
    const root = element.getRootNode();
    return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  };
  const over = ([red, green, blue, alpha]: Rgba, below: Rgba): Rgba => {
    const mix = (top: number, bottom: number): number => top * alpha + bottom * (1 - alpha);
    return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
  };
  const backgroundOf = (element: Element): Rgba => {
    const layers: Rgba[] = [];
    for (let at: Element | null = element; at; at = above(at)) {
      const layer = paint(getComputedStyle(at).backgroundColor);
      layers.push(layer);
      if (layer[3] === 1) break;
    }
    return layers.reduceRight<Rgba>((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const luminance = ([red, green, blue]: Rgba): number => {
    const linear = (value: number): number => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };

  return Object.entries(texts).flatMap(([part, name]) => {
    const element = host.shadowRoot?.querySelector(`article:not([inert]) [part~=${part}]`);
    if (!element) return [];
    const style = getComputedStyle(element);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ground = backgroundOf(element);
    const [a, b] = [luminance(over(paint(style.color), ground)), luminance(ground)];
    return [{ name, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), required: isLarge ? 3 : 4.5 }];
  });
}

/** What to do about a text that stands out too little. */
export const CONTRAST_ADVICE = 'Change --offerlet-accent, --offerlet-text or --offerlet-surface.';

/** Whether a text can be read. */
export function isReadable({ ratio, required }: TextContrast): boolean {
  return ratio >= required;
}

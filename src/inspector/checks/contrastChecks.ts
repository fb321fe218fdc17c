import { dom } from '../../dom/dom.ts';
import type { Check } from './check.ts';

/** The contrast that WCAG 2 requires of text, and of large text. */
const REQUIRED = 4.5;
const REQUIRED_LARGE = 3;
const TEXTS = { heading: 'Heading', subheading: 'Subheading', accept: 'Accept button', decline: 'Decline button' };

type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/** Checks the contrast of the widget's texts with their background, part by part. */
export function contrastChecks(host: Element): Check[] {
  const root = host.shadowRoot;
  const paint = openPaint();
  const checks: Check[] = [];
  for (const [part, name] of Object.entries(TEXTS)) {
    const element = root?.querySelector(`article:not([inert]) [part~=${part}]`);
    if (!element || !paint) continue;
    const style = getComputedStyle(element);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const required = isLarge ? REQUIRED_LARGE : REQUIRED;
    const ratio = contrast(paint(style.color), backgroundOf(element, paint));
    const text = `${ratio.toFixed(1)} : 1; at least ${required} : 1 is required.`;
    checks.push(
      ratio >= required
        ? { state: 'good', title: `Contrast: ${name}`, text }
        : {
            state: 'bad',
            title: `Contrast: ${name}`,
            text: `${text} Change --offerlet-accent, --offerlet-text or --offerlet-surface.`,
          },
    );
  }
  return checks;
}

/** Returns a function that converts any CSS colour to numbers. */
function openPaint(): ((color: string) => Rgba) | undefined {
  const canvas = dom.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return undefined;
  return (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
}

function backgroundOf(element: Element, paint: (color: string) => Rgba): Rgba {
  const layers: Rgba[] = [];
  for (let at: Element | null = element; at; at = above(at)) {
    const layer = paint(getComputedStyle(at).backgroundColor);
    layers.push(layer);
    if (layer[3] === 1) break;
  }
  return layers.reduceRight<Rgba>((below, layer) => over(layer, below), [255, 255, 255, 1]);
}

function above(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

function over([red, green, blue, alpha]: Rgba, below: Rgba): Rgba {
  const mix = (top: number, bottom: number): number => top * alpha + bottom * (1 - alpha);
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
}

function contrast(text: Rgba, ground: Rgba): number {
  const [light, dark] = [luminance(over(text, ground)), luminance(ground)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance([red, green, blue]: Rgba): number {
  const linear = (value: number): number => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

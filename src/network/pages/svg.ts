/** Escapes text for HTML and XML, including attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A square SVG picture with a title. `size` is the length of its side. */
export function svg(shown: { title: string; size: number; body: string }): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${shown.size} ${shown.size}" width="${shown.size}" height="${shown.size}" role="img">` +
    `<title>${escapeMarkup(shown.title)}</title>${shown.body}</svg>`
  );
}

/** A shape rotated around a point. */
export function turned(degrees: number, x: number, y: number, shape: string): string {
  return `<g transform="rotate(${degrees} ${x} ${y})">${shape}</g>`;
}

/** A line without a fill. */
export function stroke(path: string, colour: string, width: number): string {
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
}

/** A filled outline. */
export function fill(path: string, colour: string): string {
  return `<path d="${path}" fill="${colour}"/>`;
}

/** A filled ellipse, or a circle if only one radius is given. */
export function round(x: number, y: number, colour: string, radius: number, height = radius): string {
  return `<ellipse cx="${x}" cy="${y}" rx="${radius}" ry="${height}" fill="${colour}"/>`;
}

/** A filled box with round corners. */
export function box(shape: {
  x: number;
  y: number;
  width: number;
  height: number;
  radius?: number;
  colour: string;
}): string {
  return `<rect x="${shape.x}" y="${shape.y}" width="${shape.width}" height="${shape.height}" rx="${shape.radius ?? 0}" fill="${shape.colour}"/>`;
}

/** Something drawn on a plain ground, 320 by 320. */
export interface Drawing {
  title: string;
  ground: string;
  body: string;
}

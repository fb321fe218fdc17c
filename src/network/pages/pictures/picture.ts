import type { Drawing } from './drawing.ts';
import { PICTURES_TO_DRINK_AND_EAT } from './picturesKitchen.ts';
import { PICTURES_AT_HOME } from './picturesHome.ts';
import { PICTURES_ON_THE_WAY } from './picturesAway.ts';
import { box, svg } from '../svg.ts';

/** The picture with this name as SVG; `undefined` if there is none. */
export function picture(name: string): string | undefined {
  const drawing = DRAWINGS.get(name);
  if (!drawing) return undefined;
  return svg({
    title: drawing.title,
    size: 320,
    body: box({ x: 0, y: 0, width: 320, height: 320, colour: drawing.ground }) + drawing.body,
  });
}

const DRAWINGS: ReadonlyMap<string, Drawing> = new Map(
  Object.entries({ ...PICTURES_TO_DRINK_AND_EAT, ...PICTURES_AT_HOME, ...PICTURES_ON_THE_WAY }),
);

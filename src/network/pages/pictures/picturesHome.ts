import type { Drawing } from './drawing.ts';
import { box, fill, round, stroke, turned } from '../svg.ts';

/** Candles differ by their glass and their ground only. */
function candle(title: string, colours: { ground: string; shade: string; glass: string; label: string }): Drawing {
  return {
    title,
    ground: colours.ground,
    body:
      round(160, 276, colours.shade, 86, 10) +
      stroke('M160 128V108', '#3b3540', 5) +
      fill('M160 48c14 18 18 28 18 38a18 18 0 0 1-36 0c0-10 4-20 18-38z', '#f59f3a') +
      fill('M160 76c6 8 8 12 8 17a8 8 0 0 1-16 0c0-5 2-9 8-17z', '#fff1c9') +
      box({ x: 94, y: 120, width: 132, height: 152, radius: 16, colour: colours.glass }) +
      box({ x: 94, y: 120, width: 132, height: 22, radius: 11, colour: '#fffaf0' }) +
      box({ x: 118, y: 176, width: 84, height: 56, radius: 4, colour: colours.label }) +
      stroke('M136 198h48M146 212h28', colours.glass, 4),
  };
}

/** Candles, plants and vitamins. */
export const PICTURES_AT_HOME: Readonly<Record<string, Drawing>> = {
  'candle-fig': candle('A fig leaf candle', {
    ground: '#eef3e6',
    shade: '#d8e2c9',
    glass: '#5f7f4c',
    label: '#f7faf2',
  }),
  'candle-slate': candle('A wet slate candle', {
    ground: '#e8ecf1',
    shade: '#d0d8e1',
    glass: '#4a5a6b',
    label: '#f3f6f9',
  }),
  'candle-cedar': candle('A cedar candle', { ground: '#f7ebe2', shade: '#ead5c5', glass: '#a2552f', label: '#fdf6f0' }),
  'snake-plant': {
    title: 'A snake plant in a pot',
    ground: '#e6f2ea',
    body:
      round(160, 284, '#cde3d4', 82, 9) +
      [
        [-20, 36],
        [20, 44],
        [-8, 18],
        [9, 26],
      ]
        .map(([angle = 0, top = 0], index) =>
          turned(
            angle,
            160,
            220,
            fill(
              `M146 222c-8-70-4-130 14-${192 - top} 18 60 22 120 14 ${192 - top}z`,
              index % 2 ? '#2d7a52' : '#3c9d6a',
            ) + stroke(`M160 210V${top + 80}`, '#a8d8b0', 3),
          ),
        )
        .join('') +
      fill('M104 206h112l-12 66a12 12 0 0 1-12 10h-64a12 12 0 0 1-12-10z', '#d9774f') +
      box({ x: 98, y: 198, width: 124, height: 22, radius: 6, colour: '#c1633d' }),
  },
  'herb-window': {
    title: 'Herbs on a windowsill',
    ground: '#dcedf8',
    body:
      box({ x: 40, y: 30, width: 240, height: 206, radius: 6, colour: '#fff' }) +
      box({ x: 52, y: 42, width: 102, height: 182, colour: '#bfe0f4' }) +
      box({ x: 166, y: 42, width: 102, height: 182, colour: '#bfe0f4' }) +
      round(236, 78, '#ffd97a', 20) +
      [88, 160, 232]
        .map(
          (x, pot) =>
            [
              [-30, 0],
              [30, 0],
              [-14, -22],
              [14, -22],
              [0, -36],
            ]
              .map(([dx = 0, dy = 0]) =>
                round(x + dx * 0.8, 178 + dy, ['#3c9d6a', '#59b56f', '#7fae5b'][pot] ?? '', 17, 14),
              )
              .join('') + fill(`M${x - 26} 190h52l-7 48h-38z`, '#d9774f'),
        )
        .join('') +
      box({ x: 20, y: 236, width: 280, height: 22, radius: 4, colour: '#f4efe6' }) +
      box({ x: 20, y: 258, width: 280, height: 8, colour: '#ddd3c2' }),
  },
  'vitamin-jar': {
    title: 'A jar of vitamins',
    ground: '#fff3dc',
    body:
      round(160, 278, '#f2dfba', 92, 10) +
      box({ x: 104, y: 52, width: 112, height: 44, radius: 9, colour: '#fff' }) +
      stroke('M122 60v28M140 60v28M160 60v28M180 60v28M198 60v28', '#eadfca', 4) +
      box({ x: 92, y: 96, width: 136, height: 178, radius: 20, colour: '#ee7a1c' }) +
      box({ x: 92, y: 138, width: 136, height: 96, colour: '#fffaf0' }) +
      Array.from({ length: 8 }, (_, ray) =>
        turned(ray * 45, 160, 186, box({ x: 156, y: 148, width: 8, height: 16, radius: 4, colour: '#ee7a1c' })),
      ).join('') +
      round(160, 186, '#f9b233', 18) +
      turned(-24, 258, 262, box({ x: 238, y: 254, width: 40, height: 17, radius: 8, colour: '#f9b233' })),
  },
  'night-hills': {
    title: 'Hills under the moon',
    ground: '#231f5e',
    body:
      fill('M206 54a52 52 0 1 0 34 78 44 44 0 0 1-34-78z', '#ffe9b0') +
      [
        [60, 70],
        [110, 44],
        [92, 128],
        [150, 96],
        [286, 60],
        [270, 168],
        [40, 158],
      ]
        .map(([x = 0, y = 0]) => round(x, y, '#c9d0ff', 3))
        .join('') +
      fill('M0 214c60-40 110-34 160-8s110 22 160-18v132H0z', '#3a3690') +
      fill('M0 256c70-34 130-16 180 0s96 8 140-14v78H0z', '#524dbb') +
      fill('M0 292c60-20 200-26 320-6v34H0z', '#7571dd'),
  },
};

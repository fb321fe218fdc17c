import { type Drawing, box, svg, fill, round, stroke, turned } from './svg.ts';

const steam = stroke('M136 92c-10-14 10-20 0-36M164 92c-10-14 10-20 0-36', '#c9b6a4', 7);

/** Coffee, tea, dinner, oil and what pets eat. */
const PICTURES_TO_DRINK_AND_EAT: Readonly<Record<string, Drawing>> = {
  'coffee-bag': {
    title: 'A bag of coffee',
    ground: '#f6eee6',
    body:
      round(160, 276, '#e6d8c9', 92, 10) +
      fill('M98 82h124l12 178a14 14 0 0 1-14 14H100a14 14 0 0 1-14-14z', '#5a3825') +
      fill('M98 52h124v34H98z', '#45291a') +
      stroke('M98 70h124', '#7a5540', 4) +
      box({ x: 114, y: 128, width: 92, height: 96, radius: 8, colour: '#fbf6f0' }) +
      turned(
        32,
        160,
        166,
        round(160, 166, '#5a3825', 18, 25) + stroke('M162 144c-9 11 6 15 0 24s4 14-2 21', '#fbf6f0', 4),
      ) +
      stroke('M136 208h48', '#c89b6d', 5),
  },
  'espresso-cup': {
    title: 'A cup of espresso',
    ground: '#efe6dc',
    body:
      steam +
      round(150, 250, '#d9cab9', 108, 14) +
      stroke('M214 144h14a26 26 0 0 1 0 52h-22', '#fff', 14) +
      fill('M76 122h146v40a66 66 0 0 1-66 66h-14a66 66 0 0 1-66-66z', '#fff') +
      round(149, 122, '#f7f3ee', 73, 15) +
      round(149, 123, '#5a3825', 62, 10) +
      stroke('M118 123c16-6 40-6 60 0', '#8a5d3f', 4),
  },
  grinder: {
    title: 'A hand grinder for coffee',
    ground: '#e7ecef',
    body:
      round(160, 280, '#d3dbe0', 72, 9) +
      stroke('M160 76V54h70', '#33424d', 11) +
      round(234, 54, '#8a5d3f', 13, 17) +
      fill('M112 112a48 40 0 0 1 96 0z', '#5c6f7c') +
      box({ x: 112, y: 112, width: 96, height: 74, radius: 4, colour: '#43535f' }) +
      box({ x: 106, y: 182, width: 108, height: 14, radius: 7, colour: '#c58b54' }) +
      fill('M116 196h88l-6 70a12 12 0 0 1-12 10h-52a12 12 0 0 1-12-10z', '#5c6f7c') +
      stroke('M130 126v46M146 126v46', '#5c6f7c', 5),
  },
  'dinner-table': {
    title: 'A set table',
    ground: '#dff0ec',
    body:
      box({ x: 0, y: 232, width: 320, height: 88, colour: '#b9dcd4' }) +
      round(160, 190, '#fff', 96, 96) +
      round(160, 190, '#eef7f5', 70, 70) +
      fill('M112 176c20-26 50-30 70-10s36 12 34 34-32 38-62 34-58-34-42-58z', '#f08a4b') +
      round(140, 190, '#d9482b', 15) +
      round(184, 206, '#d9482b', 12) +
      turned(-24, 172, 168, round(172, 168, '#2f855a', 24, 8)) +
      turned(28, 150, 216, round(150, 216, '#3c9d6a', 20, 7)) +
      stroke('M40 130v118M28 122v26a12 12 0 0 0 24 0v-26', '#0f6b66', 7) +
      stroke('M282 248V124c-16 12-16 44 0 58', '#0f6b66', 7),
  },
  'olive-oil': {
    title: 'A bottle of olive oil',
    ground: '#eef1e0',
    body:
      round(156, 282, '#dbe0c4', 74, 9) +
      box({ x: 140, y: 36, width: 32, height: 26, radius: 5, colour: '#3a2d1a' }) +
      fill(
        'M142 62h28v44c0 16 32 24 32 56v104a14 14 0 0 1-14 14h-64a14 14 0 0 1-14-14V162c0-32 32-40 32-56z',
        '#6c7f2b',
      ) +
      box({ x: 120, y: 176, width: 72, height: 72, radius: 6, colour: '#fbf8e9' }) +
      turned(-38, 160, 206, round(160, 206, '#87a94f', 24, 8)) +
      round(150, 222, '#39471a', 10, 12) +
      round(232, 264, '#4d5d23', 15, 17) +
      round(264, 270, '#6c8f3a', 12, 13) +
      stroke('M124 130c4-12 18-18 22-26', '#93a64c', 6),
  },
  'tea-tin': {
    title: 'A tin of mint tea',
    ground: '#e2f3ea',
    body:
      round(160, 276, '#c7e4d5', 88, 10) +
      box({ x: 92, y: 104, width: 136, height: 168, radius: 12, colour: '#146b4b' }) +
      box({ x: 86, y: 78, width: 148, height: 38, radius: 10, colour: '#0e5138' }) +
      round(160, 190, '#f4fbf7', 50) +
      fill('M160 226c-28-18-28-48 0-72 28 24 28 54 0 72z', '#59c48b') +
      stroke('M160 218v-48M160 200l12-11M160 190l-12-11', '#146b4b', 4),
  },
  'dog-bowl': {
    title: 'A full dog bowl',
    ground: '#f1e8f5',
    body:
      round(160, 262, '#dfcfe7', 124, 12) +
      fill('M78 172c6-40 36-34 50-48 16-16 44-14 58 2 18-2 50 6 56 46z', '#9a5b34') +
      round(120, 152, '#b87647', 15) +
      round(164, 138, '#b87647', 17) +
      round(204, 156, '#b87647', 14) +
      round(184, 162, '#e2853b', 10) +
      round(140, 164, '#5d9b45', 9) +
      fill('M58 172h204l22 76a12 12 0 0 1-12 14H48a12 12 0 0 1-12-14z', '#7a3e8e') +
      round(160, 226, '#fff', 14, 12) +
      round(143, 206, '#fff', 6, 8) +
      round(154, 199, '#fff', 6, 8) +
      round(167, 199, '#fff', 6, 8) +
      round(178, 206, '#fff', 6, 8),
  },
  'cat-pouch': {
    title: 'A pouch of cat food',
    ground: '#fdf0e3',
    body:
      round(160, 282, '#f1dcc5', 86, 9) +
      fill('M88 46h144c-6 14-6 22 0 36l8 176c0 12-8 22-20 22H100c-12 0-20-10-20-22l8-176c6-14 6-22 0-36z', '#e9743d') +
      stroke('M92 66h136', '#f5a983', 5) +
      fill('M112 132l22 22a62 62 0 0 1 52 0l22-22 4 58a52 48 0 0 1-104 0z', '#3a2b3f') +
      round(140, 188, '#ffd75e', 9, 11) +
      round(180, 188, '#ffd75e', 9, 11) +
      round(140, 188, '#3a2b3f', 3, 9) +
      round(180, 188, '#3a2b3f', 3, 9) +
      fill('M152 206h16l-8 9z', '#f08ba0'),
  },
};

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
const PICTURES_AT_HOME: Readonly<Record<string, Drawing>> = {
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

const SOCK = 'M116 52h76v122l52 34c22 15 14 52-14 52h-52c-12 0-22-4-32-12l-22-18c-8-7-8-14-8-24z';
const TOE = 'M220 193l24 15c22 15 14 52-14 52h-20c-10-26-4-50 10-67z';
const HEEL = 'M116 178c28 4 40 22 38 60l-8 10-22-18c-8-7-8-14-8-24z';

/** What one wears, carries and listens to. */
const PICTURES_ON_THE_WAY: Readonly<Record<string, Drawing>> = {
  'socks-stripe': {
    title: 'A striped sock',
    ground: '#e6e9f8',
    body:
      fill(SOCK, '#27388c') +
      box({ x: 116, y: 96, width: 76, height: 15, colour: '#f0605b' }) +
      box({ x: 116, y: 126, width: 76, height: 15, colour: '#fff' }) +
      box({ x: 116, y: 156, width: 76, height: 15, colour: '#f0605b' }) +
      fill(TOE, '#f0605b') +
      fill(HEEL, '#f0605b') +
      box({ x: 110, y: 44, width: 88, height: 30, radius: 8, colour: '#1c2a70' }),
  },
  'socks-dot': {
    title: 'A dotted sock',
    ground: '#fdeaea',
    body:
      fill(SOCK, '#f0605b') +
      [
        [136, 98],
        [172, 98],
        [154, 124],
        [136, 150],
        [172, 150],
        [176, 202],
        [202, 222],
        [178, 238],
      ]
        .map(([x = 0, y = 0]) => round(x, y, '#fff', 8))
        .join('') +
      fill(TOE, '#27388c') +
      fill(HEEL, '#27388c') +
      box({ x: 110, y: 44, width: 88, height: 30, radius: 8, colour: '#cf4641' }),
  },
  'cabin-case': {
    title: 'A cabin case',
    ground: '#e9edf2',
    body:
      round(160, 292, '#d2d9e2', 86, 8) +
      stroke('M128 96V40h64v56', '#7b8794', 9) +
      box({ x: 122, y: 32, width: 76, height: 16, radius: 8, colour: '#1d2838' }) +
      box({ x: 88, y: 88, width: 144, height: 190, radius: 20, colour: '#1d2838' }) +
      stroke('M118 112v142M146 112v142M174 112v142M202 112v142', '#33435a', 7) +
      box({ x: 146, y: 128, width: 28, height: 18, radius: 5, colour: '#ff5a6e' }) +
      round(112, 284, '#4a5666', 11) +
      round(208, 284, '#4a5666', 11),
  },
  'weekend-bag': {
    title: 'A bag made from a sail',
    ground: '#e3f1f6',
    body:
      round(160, 266, '#c8e1ea', 122, 11) +
      stroke('M108 140c0-92 104-92 104 0', '#b5803f', 11) +
      fill('M54 142a14 14 0 0 1 14-14h184a14 14 0 0 1 14 14l10 98a20 20 0 0 1-20 22H64a20 20 0 0 1-20-22z', '#fdfcf8') +
      fill('M150 128h56l14 134h-90z', '#ff5a6e') +
      stroke('M58 156h204', '#d9d3c4', 4) +
      stroke('M62 250l30-96M258 250l-22-96', '#ece7da', 4) +
      box({ x: 226, y: 176, width: 26, height: 36, radius: 4, colour: '#1d2838' }) +
      stroke('M234 194h10', '#fff', 4),
  },
  'phone-case': {
    title: 'A cork phone case',
    ground: '#e0f0fa',
    body:
      box({ x: 98, y: 36, width: 124, height: 248, radius: 26, colour: '#c99a63' }) +
      box({ x: 112, y: 52, width: 50, height: 54, radius: 16, colour: '#8f6638' }) +
      round(127, 69, '#2b2f36', 9) +
      round(147, 90, '#2b2f36', 9) +
      [
        [126, 140],
        [178, 70],
        [196, 118],
        [150, 164],
        [192, 180],
        [120, 204],
        [168, 226],
        [200, 244],
        [134, 258],
        [172, 132],
      ]
        .map(([x = 0, y = 0], index) => round(x, y, index % 2 ? '#b08049' : '#deb884', 6, 4))
        .join('') +
      stroke('M146 198a22 22 0 0 1 22 22M146 178a42 42 0 0 1 42 42', '#0569a3', 7) +
      round(148, 220, '#0569a3', 7),
  },
  audiobook: {
    title: 'A book with headphones',
    ground: '#fbeee0',
    body:
      round(160, 284, '#efdac2', 96, 9) +
      box({ x: 92, y: 100, width: 140, height: 178, radius: 8, colour: '#8d3f07' }) +
      box({ x: 104, y: 100, width: 128, height: 166, radius: 6, colour: '#b5530f' }) +
      box({ x: 108, y: 266, width: 124, height: 8, colour: '#fff7ee' }) +
      stroke('M134 150h68M134 168h44', '#ffd9ae', 7) +
      stroke('M80 188v-48a80 80 0 0 1 160 0v48', '#1f2a3a', 13) +
      box({ x: 62, y: 176, width: 34, height: 64, radius: 15, colour: '#1f2a3a' }) +
      box({ x: 224, y: 176, width: 34, height: 64, radius: 15, colour: '#1f2a3a' }),
  },
};

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

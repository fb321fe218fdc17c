import type { Drawing } from './drawing.ts';
import { box, fill, round, stroke, turned } from '../svg.ts';

const steam = stroke('M136 92c-10-14 10-20 0-36M164 92c-10-14 10-20 0-36', '#c9b6a4', 7);

/** Coffee, tea, dinner, oil and what pets eat. */
export const PICTURES_TO_DRINK_AND_EAT: Readonly<Record<string, Drawing>> = {
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

import type { Drawing } from './drawing.ts';
import { box, fill, round, stroke } from '../svg.ts';

const SOCK = 'M116 52h76v122l52 34c22 15 14 52-14 52h-52c-12 0-22-4-32-12l-22-18c-8-7-8-14-8-24z';
const TOE = 'M220 193l24 15c22 15 14 52-14 52h-20c-10-26-4-50 10-67z';
const HEEL = 'M116 178c28 4 40 22 38 60l-8 10-22-18c-8-7-8-14-8-24z';

/** What one wears, carries and listens to. */
export const PICTURES_ON_THE_WAY: Readonly<Record<string, Drawing>> = {
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

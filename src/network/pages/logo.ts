import { DEMO_ADVERTISERS } from '../seed/demoOffer.ts';
import { box, fill, round, stroke, svg, turned } from './svg.ts';

/** The network's own mark, among the logos. */
const NETWORK = { slug: 'network', name: 'Sandbox network' };

/** The logo of a demo advertiser or of the network, as SVG; `undefined` for any other name. */
export function logo(slug: string): string | undefined {
  const mark = MARKS.get(slug);
  const advertiser = [...DEMO_ADVERTISERS, NETWORK].find((one) => one.slug === slug);
  if (mark === undefined || !advertiser) return undefined;
  return svg({
    title: advertiser.name,
    size: 96,
    body: box({ x: 0, y: 0, width: 96, height: 96, colour: '#fff' }) + mark,
  });
}

const MARKS: ReadonlyMap<string, string> = new Map([
  [
    'morrow-and-bean',
    turned(32, 48, 48, round(48, 48, '#5a3825', 23, 32) + stroke('M50 19c-11 14 8 20 0 31s5 18-3 27', '#fff', 4.5)),
  ],
  [
    'tidewell-kitchen',
    fill('M14 50h68a34 34 0 0 1-68 0z', '#0f6b66') + stroke('M20 36c7-9 14-9 21 0s14 9 21 0 11-7 14-3', '#f08a4b', 6),
  ],
  [
    'halden-wax',
    fill('M48 12c13 17 19 26 19 36a19 19 0 0 1-38 0c0-10 6-19 19-36z', '#d8522a') +
      fill('M48 36c6 8 9 12 9 17a9 9 0 0 1-18 0c0-5 3-9 9-17z', '#fbd08a') +
      box({ x: 26, y: 74, width: 44, height: 10, radius: 5, colour: '#2c2933' }),
  ],
  [
    'pairwise',
    stroke('M30 20v34a8 8 0 0 0 8 8h10', '#27388c', 15) + stroke('M54 34v34a8 8 0 0 0 8 8h10', '#f0605b', 15),
  ],
  [
    'bramblepaw',
    round(25, 43, '#7a3e8e', 8, 11) +
      round(40, 27, '#7a3e8e', 8.5, 12) +
      round(58, 27, '#7a3e8e', 8.5, 12) +
      round(72, 43, '#7a3e8e', 8, 11) +
      fill('M48 46c14 0 24 14 24 24 0 9-8 11-14 9-7-2-13-2-20 0-6 2-14 0-14-9 0-10 10-24 24-24z', '#7a3e8e'),
  ],
  [
    'fernhollow',
    stroke('M48 84V28', '#245c3f', 5) +
      [66, 50, 34]
        .map((y, index) => {
          const length = 19 - index * 3.5;
          return (
            turned(-32, 48, y, round(48 + length, y, '#3c9d6a', length, 7)) +
            turned(32, 48, y, round(48 - length, y, '#2d7a52', length, 7))
          );
        })
        .join('') +
      round(48, 20, '#3c9d6a', 6, 10),
  ],
  ['stillhour', fill('M60 14a36 36 0 1 0 22 52A30 30 0 0 1 60 14z', '#322c83') + round(70, 36, '#a9b4fb', 6)],
  [
    'pagewright',
    fill('M12 24c14-5 26-3 34 4v52c-8-7-20-9-34-4z', '#b5530f') +
      fill('M84 24c-14-5-26-3-34 4v52c8-7 20-9 34-4z', '#1f2a3a') +
      stroke('M60 42c5-2 9-3 14-2M60 54c5-2 9-3 14-2', '#fff', 3.5),
  ],
  [
    'wrenline-mobile',
    round(24, 72, '#0569a3', 10) +
      stroke('M24 44a28 28 0 0 1 28 28', '#0569a3', 9) +
      stroke('M24 20a52 52 0 0 1 52 52', '#54b8e8', 9),
  ],
  [
    'oakrow-cover',
    fill('M48 10l32 11v26c0 20-13 32-32 40-19-8-32-20-32-40V21z', '#1c5134') +
      round(48, 40, '#fff', 15) +
      box({ x: 45, y: 46, width: 6, height: 24, radius: 3, colour: '#fff' }),
  ],
  [
    'solmara',
    Array.from({ length: 10 }, (_, ray) =>
      turned(ray * 36, 48, 48, box({ x: 44.5, y: 8, width: 7, height: 17, radius: 3.5, colour: '#ee7a1c' })),
    ).join('') + round(48, 48, '#f9b233', 19),
  ],
  [
    'vantry',
    stroke('M36 22v-8h24v8', '#1d2838', 5) +
      box({ x: 16, y: 22, width: 64, height: 62, radius: 12, colour: '#1d2838' }) +
      stroke('M33 40l15 27 15-27', '#ff5a6e', 8),
  ],
  [
    'zaytuna-grove',
    stroke('M22 80C36 66 50 44 72 18', '#8a6d3b', 4) +
      turned(-20, 38, 44, round(32, 42, '#6c8f3a', 19, 8)) +
      turned(50, 66, 50, round(68, 44, '#87a94f', 18, 7.5)) +
      round(58, 66, '#4d5d23', 11, 13) +
      round(36, 68, '#39471a', 8.5, 10),
  ],
  [
    'nana-tea',
    stroke('M72 50h6a9 9 0 0 1 0 18h-8', '#146b4b', 6) +
      fill('M16 46h58v10a27 27 0 0 1-27 27h-4a27 27 0 0 1-27-27z', '#146b4b') +
      fill('M46 40C34 32 34 18 46 9c12 9 12 23 0 31z', '#59c48b') +
      stroke('M46 37V19', '#146b4b', 2.5),
  ],
  [
    'network',
    stroke('M48 48L22 26M48 48l30-18M48 48l18 28M48 48L20 68', '#0f6b66', 5) +
      round(48, 48, '#0f6b66', 13) +
      round(22, 26, '#f08a4b', 9) +
      round(78, 30, '#0f6b66', 8) +
      round(66, 76, '#f08a4b', 9) +
      round(20, 68, '#0f6b66', 8),
  ],
]);

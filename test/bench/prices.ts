// What each behaviour of the script costs in bytes: npm run bench -- prices [words of a behaviour …]
import { brotli } from '../package/bytes.ts';
import { buildScript } from './size/buildScript.ts';
import { PRICES } from './size/prices/prices.ts';
import { applyCuts, type Price } from './size/prices/price.ts';

/** Builds the script without each behaviour and prints what that saves. */
export async function run(words: readonly string[]): Promise<void> {
  const all = await sizeWithout(undefined);
  console.log(`dist/offerlet.js: ${all.brotli} bytes\n`);
  console.log('| behaviour | minified | brotli | without it |\n|---|---|---|---|');
  for (const price of PRICES) {
    if (words[0] && !words.some((word) => price.behaviour.includes(word))) continue;
    const rest = await sizeWithout(price);
    console.log(
      `| ${price.behaviour} | ${all.minified - rest.minified} | ${all.brotli - rest.brotli} | ${price.lost} |`,
    );
  }
}

async function sizeWithout(price: Price | undefined): Promise<{ minified: number; brotli: number }> {
  const { code } = await buildScript({
    plugins: [
      {
        name: 'cut',
        enforce: 'pre',
        transform: (source, id) => ({ code: applyCuts(id, source, price?.cuts ?? []), map: null }),
      },
    ],
  });
  return { minified: code.length, brotli: brotli(Buffer.from(code)) };
}

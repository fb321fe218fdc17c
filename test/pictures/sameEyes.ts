import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Page } from '@playwright/test';

const FILE = new URL('taken-with.json', import.meta.url);

/** What decides the pixels of a picture besides our own code. */
interface Eyes {
  browser: string;
  /** Widths of a text in every font that the pictures use: other fonts have others. */
  fonts: string;
}

/** Skips the pictures of a file where this machine would draw them otherwise, and says so once. */
export function onlyWithSameEyes(): void {
  let reason: string | undefined;
  test.beforeAll(async ({ browser }, { config, project }) => {
    const page = await browser.newPage();
    reason = await otherEyes(page, config.updateSnapshots === 'all' || config.updateSnapshots === 'changed');
    await page.close();
    // The folder is emptied before each run, and created by the first of its workers.
    if (reason && mkdirSync(join(project.outputDir, 'other-eyes'), { recursive: true })) console.log(reason);
  });
  test.beforeEach(() => test.skip(reason !== undefined, reason));
}

/**
 * Tells whether this machine draws as the one that took the pictures did: undefined, or the sentence that says why not.
 * Comparing the pixels of two font files would find nothing but the fonts.
 */
async function otherEyes(page: Page, isTaking: boolean): Promise<string | undefined> {
  const here: Eyes = { browser: page.context().browser()?.version() ?? '', fonts: await page.evaluate(measureFonts) };
  if (isTaking) {
    writeFileSync(FILE, `${JSON.stringify(here, null, 2)}\n`);
    return undefined;
  }
  const then = JSON.parse(readFileSync(FILE, 'utf8')) as Eyes;
  const major = (version: string): string => version.split('.')[0] ?? '';
  const isSame = major(then.browser) === major(here.browser);
  if (isSame && then.fonts === here.fonts) return undefined;
  const others = isSame ? 'other fonts than this machine has' : `Chromium ${then.browser}, this is ${here.browser}`;
  return `The pictures were taken with ${others}: not compared. Take them anew with \`npm run pictures -- --update-snapshots\` and look at each.`;
}

function measureFonts(): string {
  const canvas = document.createElement('canvas').getContext('2d');
  if (!canvas) throw new Error('there is no canvas');
  return ['system-ui', '650 22px system-ui', 'Georgia, serif', 'ui-monospace, monospace']
    .flatMap((font) =>
      ['Your first bag of coffee, 1 of 3', 'قهوة الياسمين'].map((text) => {
        canvas.font = font.includes('px') ? font : `16px ${font}`;
        return canvas.measureText(text).width.toFixed(2);
      }),
    )
    .join(' ');
}

// Runs the tests in Chromium once for each of three fonts, each as the only one there:  npm run test:fonts [-- NAME…]
// What measures text must hold in all of them. The fonts come from Debian's packages and are installed nowhere: a fontconfig
// that only these runs read names their folder. Stored pictures are left out: they are drawn with the fonts of one machine.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, install } from '../tools/prepare.mjs';
import { ensure, ensureShell } from './browsers.mjs';
import { runSuites } from './suites.mjs';

const PACKAGES = { Noto: 'fonts-noto-core', Liberation: 'fonts-liberation', DejaVu: 'fonts-dejavu-core' };

const names = process.argv.slice(2);
await install();
build();
if (!ensure('chromium')) {
  console.error('Chromium is missing and could not be installed here. Install it, then run this again.');
  process.exit(1);
}
ensureShell();

let failed = 0;
for (const [font, debian] of Object.entries(PACKAGES)) {
  process.env['FONTCONFIG_FILE'] = configure(font, debian);
  console.log(`\n— ${font} as the only font`);
  const { failures, count } = await runSuites({ vitest: undefined, playwright: ['chromium', 'long'], names });
  for (const { file, title, message } of failures) console.log(`\nFAILED with ${font}: ${file}: ${title}\n${message}`);
  console.log(`\n— ${font}: ${failures.length} of ${count} failed.`);
  failed += failures.length;
}
process.exit(failed > 0 ? 1 : 0);

/**
 * Unpacks a package of fonts, and returns a fontconfig with nothing else. Its sans-serif is the system's: which of its
 * files comes first is by chance, and may be one of a typewriter.
 * @param {string} font
 * @param {string} debian
 */
function configure(font, debian) {
  const folder = resolve('node_modules', '.offerlet', 'fonts', font);
  const config = join(folder, 'fonts.conf');
  if (existsSync(config)) return config;
  mkdirSync(folder, { recursive: true });
  execFileSync('sh', ['-c', `apt-get download -qq ${debian} && dpkg -x *.deb .`], { cwd: folder, stdio: 'inherit' });
  writeFileSync(
    config,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${join(folder, 'usr/share/fonts')}</dir><cachedir>${join(folder, 'cache')}</cachedir>${['sans', 'sans-serif'].map((name) => `<alias binding="strong"><family>${name}</family><prefer><family>${font} Sans</family></prefer></alias>`).join('')}</fontconfig>\n`,
  );
  return config;
}

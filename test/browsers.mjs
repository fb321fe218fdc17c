// Finds a browser for the tests, or gets one:  node test/browsers.mjs chromium firefox webkit
// In this order: its environment variable, Playwright's own download, the system's, `npx playwright install`, apt-get (root on Debian).
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const playwright = createRequire(import.meta.url)('playwright-core');
const programs = process.env.PROGRAMFILES ?? 'C:\\Program Files';

const BROWSERS = {
  chromium: {
    variable: 'CHROMIUM_BIN',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'],
    files: [
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      `${programs}\\Google\\Chrome\\Application\\chrome.exe`,
    ],
    packages: ['chromium', 'fonts-liberation'],
  },
  firefox: {
    variable: 'FIREFOX_BIN',
    commands: ['firefox', 'firefox-esr'],
    files: ['/Applications/Firefox.app/Contents/MacOS/firefox', `${programs}\\Mozilla Firefox\\firefox.exe`],
    packages: ['firefox-esr', 'fonts-liberation'],
  },
  // The system's engine, driven through WebDriver.
  webkit: {
    variable: 'WEBKIT_DRIVER',
    commands: ['WebKitWebDriver'],
    files: [],
    packages: ['webkit2gtk-driver', 'xvfb', 'fonts-liberation'],
  },
};

/** `{ how: 'env' | 'playwright' | 'system', path }`, or undefined. Installs nothing, starts nothing. */
export function find(kind) {
  const { variable, commands, files } = BROWSERS[kind];
  const named = process.env[variable];
  if (named) return { how: 'env', path: named };
  const own = playwrightPath(kind);
  if (own && existsSync(own)) return { how: 'playwright', path: own };
  const system = onPath(commands) ?? files.find((file) => existsSync(file));
  return system && { how: 'system', path: system };
}

/** What `find` finds, after installing it when it has to. */
export function ensure(kind) {
  const found = find(kind);
  if (found) return found;
  console.log(`No ${kind} here: getting one …`);
  const aptFirst = onPath(['apt-get']) && process.getuid?.() === 0;
  if (aptFirst && install(BROWSERS[kind].packages) && find(kind)) return find(kind);
  if (!process.env.NO_BROWSER_DOWNLOAD) sh('npx', 'playwright', 'install', kind);
  return find(kind);
}

/** Installs Debian packages; false when this is not Debian, not root, or it failed. */
export function install(packages) {
  if (!onPath(['apt-get']) || process.getuid?.() !== 0) return false;
  return (
    sh('apt-get', 'update', '-qq') && sh('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages)
  );
}

/** The first of these commands that is on the PATH. */
export function onPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name);
      if (isExecutable(path)) return path;
    }
  }
  return undefined;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function playwrightPath(kind) {
  try {
    return playwright[kind].executablePath();
  } catch {
    return undefined;
  }
}

function sh(command, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return (
    spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env, shell: process.platform === 'win32' })
      .status === 0
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = process.argv.slice(2).filter((kind) => !ensure(kind));
  for (const kind of missing)
    console.error(
      `${kind}: none found. Set ${BROWSERS[kind].variable} to one, or run: npx playwright install --with-deps ${kind}`,
    );
  process.exit(missing.length > 0 ? 1 : 0);
}

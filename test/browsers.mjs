// Finds a browser for the tests, or installs one:  node test/browsers.mjs chromium firefox webkit
// It looks at the browser's environment variable, Playwright's own download and the system, in this order. If there is none,
// it installs one: with apt-get as root on Debian, else with `npx playwright install`.
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
  // Chromium without windows, of the same engine: a page costs it far less processor time.
  shell: {
    variable: 'CHROMIUM_BIN',
    commands: ['chromium-headless-shell', 'chrome-headless-shell'],
    files: [],
    packages: ['chromium-headless-shell'],
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

/** Returns `{ how: 'env' | 'playwright' | 'system', path }`, or undefined. Installs and starts nothing. */
export function find(kind) {
  const { variable, commands, files } = BROWSERS[kind];
  const named = process.env[variable];
  if (named) return { how: 'env', path: named };
  const own = playwrightPath(kind);
  if (own && existsSync(own)) return { how: 'playwright', path: own };
  const system = onPath(commands) ?? files.find((file) => existsSync(file));
  return system && { how: 'system', path: system };
}

/** Returns what `find` returns, and installs the browser first if necessary. */
export function ensure(kind) {
  const found = find(kind);
  if (found) return found;
  console.log(`${kind} is not installed. Installing it …`);
  const aptFirst = onPath(['apt-get']) && process.getuid?.() === 0;
  if (aptFirst && install(BROWSERS[kind].packages) && find(kind)) return find(kind);
  if (!process.env.NO_BROWSER_DOWNLOAD) sh('npx', 'playwright', 'install', kind);
  return find(kind);
}

/** Returns the lightest Chromium that there is. Playwright chooses its own. */
export function findLightest() {
  const whole = find('chromium');
  return whole?.how === 'system' ? (find('shell') ?? whole) : whole;
}

/** Installs the shell if it is missing and a package of the system has it. Chromium does as well. */
export function ensureShell() {
  if (find('chromium')?.how === 'system' && !find('shell')) install(BROWSERS.shell.packages);
}

/** Installs Debian packages. Returns false when this is not Debian, when the user is not root, and on failure. */
export function install(packages) {
  if (!onPath(['apt-get']) || process.getuid?.() !== 0) return false;
  return (
    sh('apt-get', 'update', '-qq') && sh('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages)
  );
}

/** Returns the path of the first of these commands that is on the PATH. */
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
      `${kind} was not found. Set ${BROWSERS[kind].variable} to its path, or run: npx playwright install --with-deps ${kind}`,
    );
  process.exit(missing.length > 0 ? 1 : 0);
}

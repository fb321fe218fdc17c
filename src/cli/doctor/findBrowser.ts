import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const VARIABLES = ['CHROMIUM_BIN', 'CHROME_PATH', 'CHROME_BIN'];

/** Finds an installed Chromium: named by an environment variable, Playwright's own, or the system's. */
export function findBrowser(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = VARIABLES.map((name) => env[name]).find(Boolean);
  if (named) return named;
  const programs = env['PROGRAMFILES'] ?? 'C:\\Program Files';
  const candidates = [
    playwrightsOwn(),
    ...(env['PATH'] ?? '').split(delimiter).flatMap((folder) => COMMANDS.map((command) => join(folder, command))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    join(programs, 'Google/Chrome/Application/chrome.exe'),
    join(programs, 'Microsoft/Edge/Application/msedge.exe'),
  ];
  return candidates.find((path) => path !== undefined && isExecutable(path));
}

/** The browser that Playwright has downloaded for the project in the current directory. */
function playwrightsOwn(): string | undefined {
  try {
    const require = createRequire(join(process.cwd(), 'package.json'));
    const { chromium } = require('playwright-core') as { chromium: { executablePath(): string } };
    return chromium.executablePath();
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

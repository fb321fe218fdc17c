export type BrowserKind = 'chromium' | 'firefox' | 'webkit';
export interface FoundBrowser {
  how: 'env' | 'playwright' | 'system';
  path: string;
}
/** Returns an installed browser, or undefined. */
export function find(kind: BrowserKind): FoundBrowser | undefined;
/** Returns a browser, and installs it first if necessary. */
export function ensure(kind: BrowserKind): FoundBrowser | undefined;
/** Returns the lightest Chromium that is installed, or undefined. */
export function findLightest(): FoundBrowser | undefined;
/** Installs the headless shell, if it is missing and can be installed. */
export function ensureShell(): void;
/** Installs Debian packages. Returns false when that is not possible here. */
export function install(packages: readonly string[]): boolean;
/** Returns the path of the first of these commands that is on the PATH. */
export function onPath(names: readonly string[]): string | undefined;

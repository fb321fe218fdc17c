export type BrowserKind = 'chromium' | 'firefox' | 'webkit';
export interface FoundBrowser {
  how: 'env' | 'playwright' | 'system';
  path: string;
}
/** What is installed already, or undefined. */
export function find(kind: BrowserKind): FoundBrowser | undefined;
/** What is installed, after installing it when it has to be. */
export function ensure(kind: BrowserKind): FoundBrowser | undefined;
/** Installs Debian packages; false when that is not possible here. */
export function install(packages: readonly string[]): boolean;
/** The first of these commands that is on the PATH. */
export function onPath(names: readonly string[]): string | undefined;

export type Mode = 'production' | 'development';
export const BUILDS: readonly (readonly [name: string, mode: Mode])[];
export function prepareExample(name: string, mode: Mode): Promise<string>;
export function npmIn(folder: string): readonly string[];
export function withNode(range: string, command: string): readonly string[];

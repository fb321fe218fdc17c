export function countWords(markdown: string): number;
export declare const PAGE_PATHS: readonly string[];

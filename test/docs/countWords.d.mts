export function countWords(markdown: string): number;

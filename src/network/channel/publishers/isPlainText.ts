/** Tells whether a text has neither control characters nor half characters: a database keeps neither U+0000 nor a lone surrogate. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

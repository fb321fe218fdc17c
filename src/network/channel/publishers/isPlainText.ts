/** Whether a text has neither control characters nor lone surrogates. PostgreSQL can store neither U+0000 nor lone surrogates. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

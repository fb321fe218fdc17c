/** Returns an error as text, whatever was thrown: some objects cannot be converted. */
export function reasonOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

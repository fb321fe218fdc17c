/** A database's URL for messages. */
export function hidePassword(url: string): string {
  try {
    const address = new URL(url);
    address.password = '';
    return address.href;
  } catch {
    return 'of --database-url';
  }
}

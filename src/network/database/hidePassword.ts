/** A database's URL for messages, without what may be secret: the password, and the parameters, which may name another. */
export function hidePassword(url: string): string {
  // An `@` after the host: a slash or a question mark in the password has ended the host before it.
  if (!/^\w+:\/\/[^@/?#]*(?:@[^@/?#]*)?(?:[/?#][^@]*)?$/.test(url)) return 'of --database-url';
  try {
    const address = new URL(url);
    address.password = '';
    address.search = '';
    address.hash = '';
    return address.href;
  } catch {
    return 'of --database-url';
  }
}

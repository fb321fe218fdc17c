/** Node's parser keeps this many names and values by default, and drops the rest without a word. */
const KEPT = 2_000;

/**
 * The status with which a request is refused whose headers cannot be trusted; `undefined` for any other. With a thousand
 * headers, those that a proxy appended may be missing. With two Host headers, a proxy may have chosen the other one.
 */
export function refuseHead(rawHeaders: readonly string[]): 400 | 431 | undefined {
  if (rawHeaders.length >= KEPT) return 431;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1 ? 400 : undefined;
}

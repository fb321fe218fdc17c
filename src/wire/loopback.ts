/** Whether a host name names this machine. Expects the form that `URL` gives it: lower case, IPv6 in brackets. */
export function isLoopbackHost(hostname: string): boolean {
  // Browsers resolve every name under .localhost to this machine.
  return /^(([^.]+\.)*localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether an IP address belongs to this machine. Sockets report IPv4 peers as `::ffff:127.0.0.1` too. */
export function isLoopbackAddress(ip: string): boolean {
  return /^((::ffff:)?127(\.\d+){3}|::1)$/.test(ip);
}

const LOOPBACK_HOST = /^(([^.]+\.)*localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a host name names this machine. Expects the form that `URL` gives it: lower case, IPv6 in brackets. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOST.test(hostname);
}

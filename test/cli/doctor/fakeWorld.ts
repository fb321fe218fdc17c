// An Internet for the doctor: names have addresses that are public or not, and public addresses lead to servers of the test.
// What is not public is connected as it is, so that a service of this machine really gets the call if nothing refuses it.
import { connect } from 'node:net';
import type { World } from '../../../src/cli/doctor/openGateway.ts';

/** Two addresses that are public. */
export const PUBLIC = '93.184.216.34';
export const PUBLIC_6 = '2606:2800:220:1:248:1893:25c8:1946';

export interface FakeWorld extends World {
  /** Names that were looked up, in order. */
  readonly resolved: string[];
  /** Addresses that were connected, in order. */
  readonly connected: string[];
}

/** Creates a world. `names` have addresses, or a function that returns them; public addresses lead to `port`. */
export function fakeWorld({
  names,
  port,
}: {
  names: Readonly<Record<string, readonly string[] | (() => readonly string[])>>;
  port: number;
}): FakeWorld {
  const resolved: string[] = [];
  const connected: string[] = [];
  return {
    resolved,
    connected,
    resolve(name) {
      resolved.push(name);
      const found = names[name];
      if (!found) return Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`));
      return Promise.resolve(typeof found === 'function' ? found() : found);
    },
    connect({ addresses, port: wanted }) {
      const [address = ''] = addresses;
      connected.push(`${address}:${wanted}`);
      const isPublic = [PUBLIC, PUBLIC_6].includes(address);
      return isPublic ? connect(port, '127.0.0.1') : connect(wanted, address);
    },
  };
}

import { readHostName } from '../http/refuseForeign.ts';
import { UsageError } from '../cli/UsageError.ts';

/** The host names of `--control-host`, as `URL` writes them; a `UsageError` names the one that is not a host name. */
export function readControlHosts(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const host = readHostName(name);
    if (host === undefined)
      throw new UsageError(`--control-host is not a host name: "${name}". Use something like network or ci.example.`);
    return host;
  });
}

interface NodeModules {
  'node:fs/promises': typeof import('node:fs/promises');
  'node:http': typeof import('node:http');
  'node:https': typeof import('node:https');
  'node:path': typeof import('node:path');
}

/**
 * A module of Node's, asked for at run time: an import would make every bundler for Workers look for it. Node (from
 * 20.16), Bun and Deno have it.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  const found: unknown = globalThis.process?.getBuiltinModule?.(name);
  if (found === undefined)
    throw new Error(`This runtime has no ${name}: keep accepted ids in memory or in Redis instead of a file.`);
  return found as NodeModules[Name];
}

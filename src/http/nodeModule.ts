import type fs from 'node:fs';
import type fsPromises from 'node:fs/promises';
import type http from 'node:http';
import type https from 'node:https';
import type path from 'node:path';

interface NodeModules {
  'node:fs': typeof fs;
  'node:fs/promises': typeof fsPromises;
  'node:http': typeof http;
  'node:https': typeof https;
  'node:path': typeof path;
}

/**
 * A module of Node's, looked up at run time: an import would make every bundler for Workers look for it. Node (from
 * 20.16), Bun and Deno have it.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  const found: unknown = globalThis.process?.getBuiltinModule?.(name);
  if (found === undefined)
    throw new Error(`This runtime has no ${name}: keep accepted events in memory or in Redis instead of a file.`);
  return found as NodeModules[Name];
}

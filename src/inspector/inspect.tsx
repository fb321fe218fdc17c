import type { Inspected } from '../page/inspection.ts';
import { openInspector, type Inspector } from './openInspector.tsx';

let inspector: Inspector | undefined;

/** Opens the inspector, one for all mounts of a page, and shows this mount in it. */
export async function inspect(mount: Inspected): Promise<void> {
  inspector ??= openInspector();
  inspector.inspect(mount);
}

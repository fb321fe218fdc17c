import type { Mount } from './mount.ts';
import { openInspector, type Inspector } from './openInspector.tsx';

let inspector: Inspector | undefined;

/** Shows the inspector, one for all mounts of a page, and has it look at this one. */
export async function inspect(mount: Mount): Promise<void> {
  inspector ??= openInspector();
  inspector.look(mount);
}

// offerlet/inspector: the QA panel for pages that import offerlet from npm. The script tag loads it by itself.
// oxlint-disable-next-line no-restricted-imports -- the build puts the published file in its place
import { inspect } from './inspector/openInspector.tsx';
import { INSPECTOR } from './page/showOptions.ts';

Reflect.set(globalThis, INSPECTOR, inspect);

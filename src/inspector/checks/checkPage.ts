import { judgeContrast, measureContrast } from '../../dom/contrast.ts';
import type { Check, CheckInput } from './check.ts';
import { hiddenChecks, shiftCheck } from './layoutChecks.ts';
import { imageCheck, relayCheck } from './networkChecks.ts';
import { environmentCheck, modalCheck, scriptCheck } from './pageChecks.ts';

/** Checks the page on which the offers are shown. */
export async function checkPage(input: CheckInput): Promise<Check[]> {
  const hosts = [...input.mount.hosts].filter((host) => host.isConnected);
  return [
    await relayCheck(input),
    await imageCheck(input),
    ...hiddenChecks(hosts),
    shiftCheck(input, hosts),
    ...hosts.flatMap(measureContrast).map(judgeContrast),
    scriptCheck(),
    modalCheck(),
    environmentCheck(),
  ];
}

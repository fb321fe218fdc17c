import { CONTRAST_ADVICE, isReadable, measureContrast, type TextContrast } from '../../dom/contrast.ts';
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
    ...hosts.flatMap(measureContrast).map(contrastCheck),
    scriptCheck(),
    modalCheck(),
    environmentCheck(),
  ];
}

function contrastCheck(contrast: TextContrast): Check {
  const { name, ratio, required } = contrast;
  const title = `Contrast: ${name}`;
  const text = `${ratio.toFixed(1)} : 1; at least ${required} : 1 is required.`;
  return isReadable(contrast)
    ? { state: 'good', title, text }
    : { state: 'bad', title, text: `${text} ${CONTRAST_ADVICE}` };
}

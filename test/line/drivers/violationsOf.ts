import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Returns what axe finds in a page, one line for each rule. It checks frames of the same site only. That saves an
 * empty page, with a second copy of axe in it, for each check.
 */
export async function violationsOf(
  page: Page,
  { within, without = [] }: { within?: string; without?: readonly string[] } = {},
): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .withTags(TAGS)
    .disableRules([...without])
    .setLegacyMode();
  if (within !== undefined) axe.include(within);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

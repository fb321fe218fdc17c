import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';

/** Trusted Types, with the policies that the frameworks create for themselves. The widget needs none. */
const TRUSTED_TYPES = ["require-trusted-types-for 'script'", 'trusted-types vue svelte-trusted-html'];

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>';

/** SvelteKit announces routes in an element with its own style attribute. */
const SVELTE_ANNOUNCER = "'unsafe-hashes' 'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo='";

interface Strictness {
  /** The origin of the network's logos. */
  readonly pictures: string;
  readonly hasTrustedTypes: boolean;
}

/**
 * Serves every page under a strict policy: `'self'`, hashes of what the framework writes into its HTML, and Trusted Types
 * where the framework can.
 * Returns the violations.
 */
export async function underStrictPolicy(page: Page, { pictures, hasTrustedTypes }: Strictness): Promise<string[]> {
  const violations: string[] = [];
  await page.exposeFunction('violated', (text: string) => violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, sample }) => {
      const violated = [violatedDirective, blockedURI, sourceFile, sample].join(' ');
      (window as unknown as { violated(text: string): void }).violated(violated);
    });
  });
  await page.route('**/*', async (route) => {
    const type = route.request().resourceType();
    // A page that a test serves is not on this machine for the browser, which then keeps it from images that are.
    if (type === 'image') return route.fulfill({ contentType: 'image/svg+xml', body: PICTURE });
    if (type !== 'document') return route.continue();
    const response = await route.fetch();
    const html = await response.text();
    const policy = [
      "default-src 'none'",
      `script-src 'self' ${hashesOf(html, 'script')}`,
      `style-src 'self' ${SVELTE_ANNOUNCER} ${hashesOf(html, 'style')}`,
      "connect-src 'self'",
      `img-src 'self' data: ${pictures}`,
      "base-uri 'self'", // Angular's page has a base
      ...(hasTrustedTypes ? TRUSTED_TYPES : []),
    ];
    const headers = { ...response.headers(), 'content-security-policy': policy.join('; ') };
    await route.fulfill({ response, headers, body: html });
  });
  return violations;
}

/** The hashes of the inline scripts or styles of a document. */
function hashesOf(html: string, tag: 'script' | 'style'): string {
  const inline = html.matchAll(new RegExp(`<${tag}(?![^>]* src=)[^>]*>([\\s\\S]*?)</${tag}>`, 'g'));
  return [...inline].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
}

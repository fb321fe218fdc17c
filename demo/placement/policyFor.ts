import { randomBytes } from 'node:crypto';
import type { Choices } from '../choices/choices.ts';

/** A Content-Security-Policy for a page, and the nonce of its scripts and style sheets. */
export interface Policy {
  readonly nonce: string;
  /** Empty when the page has no policy. */
  readonly header: string;
}

/** Returns the policy of a page. The strict ones allow nothing inline and require Trusted Types. */
export function policyFor({ csp }: Choices, network: string): Policy {
  if (csp === 'none') return { nonce: '', header: '' };
  const nonce = csp === 'nonce' ? randomBytes(16).toString('base64') : '';
  const own = csp === 'nonce' ? `'nonce-${nonce}'` : "'self'";
  const header = [
    "default-src 'none'",
    `script-src ${own}${csp === 'nonce' ? " 'strict-dynamic'" : ''}`,
    `style-src ${own}`,
    `img-src 'self' ${network}`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-src 'self' http://127.0.0.1:* http://localhost:*",
    "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return { nonce, header };
}

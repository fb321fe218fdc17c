/** Where each status, code, outcome and exit code has its cause and cure; a section's anchor follows. */
export const ERRORS_URL = 'https://github.com/offerlet/offerlet/blob/main/docs/errors.md';

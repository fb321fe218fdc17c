import type { Messages } from './messages.ts';

/** The words used when no other language fits. */
export const ENGLISH: Messages = {
  offers: 'Sponsored offers',
  sponsored: 'Sponsored',
  sandbox: 'Sandbox',
  close: 'Close',
  back: 'Previous offer',
  next: 'Next',
  position: 'Offer {0} of {1}',
  copy: 'Copy',
  copied: 'Copied',
  code: 'Your code',
  newTab: 'opens in a new tab',
  terms: 'Terms apply',
  handle: 'Close offers',
  privacy: 'Privacy',
};

/** One finding about a page: whether it is fine, and what to do when it is not. */
export interface Finding {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** Creates a finding that is fine. */
export const good = (title: string, text: string): Finding => ({ state: 'good', title, text });
/** Creates a finding that must be fixed. */
export const bad = (title: string, text: string): Finding => ({ state: 'bad', title, text });
/** Creates a finding that may be on purpose. */
export const note = (title: string, text: string): Finding => ({ state: 'note', title, text });

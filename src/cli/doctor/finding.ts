/** One finding about a page: whether it is fine, and what to do when it is not. */
export interface Finding {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** Finds that something is fine. Checks return any number of findings, so each of these is a list of one. */
export const good = (title: string, ...sentences: readonly string[]): Finding[] => create('good', title, sentences);
/** Finds something that must be fixed. */
export const bad = (title: string, ...sentences: readonly string[]): Finding[] => create('bad', title, sentences);
/** Finds something that may be on purpose. */
export const note = (title: string, ...sentences: readonly string[]): Finding[] => create('note', title, sentences);

/** Sentences of others come with a full stop or without; in a finding each has one, except for a URL at the end. */
function create(state: Finding['state'], title: string, sentences: readonly string[]): Finding[] {
  const text = sentences
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => (/[.!?:…]["”')]?$/.test(one) ? one : `${one}.`))
    .join(' ');
  return [{ state, title, text: text.replace(/(\bhttps?:\S+)\.$/, '$1') }];
}

/** One finding about a page: whether it is fine, and what to do when it is not. */
export interface Finding {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** Creates a finding that is fine. */
export const good = (title: string, ...sentences: readonly string[]): Finding => create('good', title, sentences);
/** Creates a finding that must be fixed. */
export const bad = (title: string, ...sentences: readonly string[]): Finding => create('bad', title, sentences);
/** Creates a finding that may be on purpose. */
export const note = (title: string, ...sentences: readonly string[]): Finding => create('note', title, sentences);

/** Sentences of others come with a full stop or without; in a finding each has one, except for a URL at the end. */
function create(state: Finding['state'], title: string, sentences: readonly string[]): Finding {
  const text = sentences
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => (/[.!?:…]["”')]?$/.test(one) ? one : `${one}.`))
    .join(' ');
  return { state, title, text: text.replace(/(\bhttps?:\S+)\.$/, '$1') };
}

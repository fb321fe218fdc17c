/** HTML that is safe to send. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A template for HTML. Values are escaped, unless they are HTML already. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? put(values[index] ?? '') : '')).join(''));
}

/** The attribute of a script or style sheet by which a policy with this nonce allows it. */
export function nonceAttribute(nonce: string): Html | '' {
  return nonce === '' ? '' : html` nonce="${nonce}"`;
}

function put(value: string | number | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map((item) => item.text).join('');
  return escapeHtml(String(value));
}

/** Escapes text for HTML, including attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

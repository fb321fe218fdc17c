/**
 * Changes text so that no line of it is a command of a CI system. In a log, GitHub takes lines that begin with `::` and any
 * `##[…]` for commands, Azure any `##vso[…]`: a page or a brand name could set the environment of the next step.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^((?:[^\S\n\r\u2028\u2029]|\u0085)*):(?=:)/gm, '$1: ').replace(/#(?=#\w*\[)/g, '# ');
}

/**
 * Returns a value as JSON that a terminal and a CI log can show: what controls, hides or reorders text is escaped, and so is
 * what begins a command. Parsed, it is the same value.
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent)
    .replace(/[^\n]+/gu, escapeControls)
    .replace(/#(?=#\w*\[)/g, escaped);
}

/** Escapes what controls, hides or reorders text, line breaks included, as JSON does. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A JSON value as YAML 1.2, in block style. Keys keep their order; `undefined` is left out. */
export function toYaml(value: unknown): string {
  return `${block(value, 0).trimStart()}\n`;
}

function block(value: unknown, depth: number): string {
  const indent = `\n${'  '.repeat(depth)}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    // An item's own first line stands behind the dash.
    return value
      .map((item) => `${indent}-${isLeaf(item) ? block(item, depth + 1) : ` ${block(item, depth + 1).trimStart()}`}`)
      .join('');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, child]) => child !== undefined);
    if (entries.length === 0) return ' {}';
    return entries.map(([key, child]) => `${indent}${scalar(key)}:${block(child, depth + 1)}`).join('');
  }
  return ` ${typeof value === 'string' ? scalar(value) : JSON.stringify(value)}`;
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Plain where no reader can take it for anything but this text; else quoted as JSON, which is YAML too. */
function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z$/_][\w $/.,{}()’—-]*$/.test(text) &&
    !text.endsWith(' ') &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

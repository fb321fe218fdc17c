/** Values that a careless or hostile caller may send anywhere: each JSON type, and strings and numbers at the limits of PostgreSQL. */
export const NASTY: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  -1e308,
  5e-324,
  2 ** 53 + 2,
  2 ** 63,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u001f\u007f\u0085',
  '😀',
  '%',
  '\\',
  "'; DROP TABLE events; --",
  '$1',
  'NaN',
  '1e400',
  '-0.0',
  '9'.repeat(400),
  'x'.repeat(20_000),
  '00000000-0000-0000-0000-000000000000',
  '2025-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '294277-01-10T00:00:00Z',
  '2025-11-20T10:30:00+99:99',
  'http://',
  'javascript:alert(1)',
  '__proto__',
  'constructor',
  [],
  [null],
  [[]],
  [{}],
  {},
  { a: 1 },
  JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'),
  JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`),
];

/** The path of a value in a body: names and indexes from the outside in. */
export type Path = readonly (string | number)[];

/** Every path in a body, starting with the whole body. */
export function placesIn(value: unknown, path: Path = []): Path[] {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [
    path,
    ...inside.flatMap(([name, child]) => placesIn(child, [...path, Array.isArray(value) ? Number(name) : name])),
  ];
}

/** A copy of a body with another value at a path; `undefined` removes it. */
export function replaced(body: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const copy: Record<string | number, unknown> = Array.isArray(body)
    ? ([...body] as never)
    : { ...(body as Record<string, unknown>) };
  copy[name] = replaced(copy[name], rest, value);
  return copy;
}

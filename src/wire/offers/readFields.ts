import { own } from '../json.ts';
import type { UrlOptions } from '../safeUrl.ts';

/** Returns a checked value, or `undefined` when it is not valid. */
export type Reader<T> = (value: unknown, options: UrlOptions) => T | undefined;

/** What an object looks like: the reader of each field. */
type Shape = Readonly<Record<string, Reader<unknown>>>;

type Read<S extends Shape, Required extends keyof S> = {
  [Name in keyof S]: Name extends Required ? NonNullable<ReturnType<S[Name]>> : ReturnType<S[Name]>;
};

/** Reads the fields of a shape from an object, or from anything else as if it had none. */
export function readFields<S extends Shape>(shape: S, value: unknown, options: UrlOptions): Read<S, never> {
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) read[name] = shape[name]?.(own(value, name), options);
  return read as Read<S, never>;
}

/** Returns the reader of an object, which is not valid without its required fields. */
export function object<S extends Shape, Required extends keyof S>(
  shape: S,
  ...required: readonly Required[]
): Reader<Read<S, Required>> {
  return (value, options) => {
    const read = readFields(shape, value, options);
    return required.every((name) => read[name]) ? (read as Read<S, Required>) : undefined;
  };
}

/** Returns the reader of a list: its valid items, by `insertion_order`. Only the first `max` are read. */
export function listOf<T extends { insertion_order: number }>(read: Reader<T>, max = Infinity): Reader<T[]> {
  return (value, options) =>
    Array.isArray(value)
      ? value
          .slice(0, max)
          .flatMap((item) => read(item, options) ?? [])
          .sort((a, b) => a.insertion_order - b.insertion_order)
      : undefined;
}

/** Sets a key at the end of a map. Beyond `max` keys, the first that `mayForget` names is forgotten: it was set longest ago. */
export function setNewest<Value>(
  map: Map<string, Value>,
  [key, value]: readonly [string, Value],
  { max, mayForget = () => true }: { max: number; mayForget?: (value: Value) => boolean },
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > max) for (const [oldest, held] of map) if (mayForget(held) && map.delete(oldest)) break;
}

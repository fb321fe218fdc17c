/** What stands in for the object store where there is none: the part of it that the queue uses, in memory. */
export function openMemory(rows: Map<string, unknown>): IDBObjectStore {
  // Answers as soon as somebody listens, which is all that idb-keyval's `promisifyRequest` asks of a request.
  const answer = (result?: unknown): object => ({
    result,
    set onsuccess(tell: () => void) {
      tell();
    },
  });
  const sorted = (max?: number): string[] => [...rows.keys()].sort().slice(0, max);
  return {
    transaction: answer(),
    put: (value: unknown, key: string) => rows.set(key, value),
    delete: (key: string) => rows.delete(key),
    clear: () => rows.clear(),
    count: () => answer(rows.size),
    get: (key: string) => answer(rows.get(key)),
    getAllKeys: (_: unknown, max?: number) => answer(sorted(max)),
    getAll: (_: unknown, max?: number) => answer(sorted(max).map((key) => rows.get(key))),
  } as unknown as IDBObjectStore;
}

/** Tells what an earlier test's page sends as it closes from what the test that is running sends. */
export interface Lateness {
  /** A test begins: what belongs to the sessions so far is late from now on. */
  begin(): void;
  /** Takes note of a response, which may have begun a session. */
  responded(body: unknown): void;
  /** Whether these events belong to a session of an earlier test. */
  isLate(events: readonly { session_id: string }[]): boolean;
}

/** Returns what follows the sessions of a server that several tests share. */
export function openLateness(): Lateness {
  const running = new Set<string>();
  const ended = new Set<string>();
  return {
    begin() {
      for (const session of running) ended.add(session);
      running.clear();
    },
    responded(body) {
      const session = (body as { session_id?: unknown } | undefined)?.session_id;
      if (typeof session !== 'string') return;
      running.add(session);
      ended.delete(session);
    },
    isLate: (events) => events.some(({ session_id }) => ended.has(session_id)),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a session is recognized by: a UUID is the same in any letter case, another id is not. */
export function sessionKey(sessionId: string): string {
  return UUID.test(sessionId) ? sessionId.toLowerCase() : sessionId;
}

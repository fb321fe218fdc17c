/** The database cannot be reached, is shutting down, or has no room: the caller gets a 503 and may try again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  constructor(cause: unknown) {
    super(`The database is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Classes of SQLSTATE that say something about the statement; every other failure is the database's own. */
const OF_THE_STATEMENT = /^(?:0A|2[0-9A-Z]|3[0-9A-Z]|40|42|44|P0)/;

/** The result of a call to a driver; a failure that is not about the statement becomes a `DatabaseUnavailableError`. */
export async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isOfTheStatement(error) ? error : new DatabaseUnavailableError(error);
  }
}

function isOfTheStatement(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return code.length === 5 && OF_THE_STATEMENT.test(code);
}

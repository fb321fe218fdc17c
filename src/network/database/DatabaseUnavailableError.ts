/** The database is unreachable, is shutting down or is out of space. The caller gets a 503 and may try again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  constructor(cause: unknown) {
    super(`The database is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }

  /** Whether the server works, and reports that it cannot reach another node, which holds a part of the data. */
  get isElsewhere(): boolean {
    const { cause } = this;
    const isMessage = typeof cause === 'object' && cause !== null && 'severity' in cause;
    return isMessage && codeOf(cause).startsWith('08');
  }
}

/** SQLSTATE of a write on a standby, which a failover has just made of the primary or will make into one. */
const READ_ONLY = '25006';
/** SQLSTATE classes of errors in the statement; any other error means that the database is unavailable. */
const OF_THE_STATEMENT = /^(?:0A|2[0-9A-Z]|3[0-9A-Z]|40|42|44|P0)/;

/** Returns the result of a call to a driver. Errors that are not about the statement become a `DatabaseUnavailableError`. */
export async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isOfTheStatement(error) ? error : new DatabaseUnavailableError(error);
  }
}

function isOfTheStatement(error: unknown): boolean {
  const code = codeOf(error);
  return code.length === 5 && code !== READ_ONLY && OF_THE_STATEMENT.test(code);
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

import type { Queries } from '../database/database.ts';

/** A control would change what a production network on the same database shows or counts. The caller gets a 409. */
export class ProductionDataError extends Error {
  override readonly name = 'ProductionDataError';
  constructor() {
    super(
      'A production network shares this database, and this control would change its data. Use another database for staging.',
    );
  }
}

/** Throws a `ProductionDataError` if a production network has issued keys in this database. */
export async function refuseProductionData(db: Queries): Promise<void> {
  const [key] = await db.query("SELECT 1 AS yes FROM api_keys WHERE issued_in = 'production' LIMIT 1");
  if (key) throw new ProductionDataError();
}

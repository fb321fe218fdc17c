/** One step of the schema. A released migration is never edited; the next one changes what it made. */
export interface Migration {
  readonly sql: string;
  /** New tables that a distributed PostgreSQL spreads by publisher. */
  readonly sharded?: readonly string[];
  /** New tables that a distributed PostgreSQL copies to every node. */
  readonly reference?: readonly string[];
  /** Runs after the new tables are distributed. */
  readonly fill?: string;
}

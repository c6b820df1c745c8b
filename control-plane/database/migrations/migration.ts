/**
 * One step of the schema. Steps are only ever added; a released one never changes. SQL no newer than Postgres 15, one
 * statement an entry.
 */
export interface Migration {
  /** Unique; steps run in the order of the list in `all.ts`, each once per database. */
  name: string;
  statements: string[];
}

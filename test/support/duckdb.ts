import { DuckDBInstance } from '@duckdb/node-api';

/** A database in memory, which reads Parquet files. */
export interface DuckDb {
  /** Runs statements, and returns the rows of the last one, with every value as text or null. Nested values are JSON. */
  rows(statements: string): Promise<Record<string, string | null>[]>;
  close(): void;
}

/** Opens a database whose time zone is UTC. Relative paths of files are below `folder`. */
export async function openDuckDb(folder: string): Promise<DuckDb> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`set timezone = 'UTC'; set file_search_path = '${folder.replaceAll("'", "''")}'`);
  return {
    async rows(statements) {
      const reader = await connection.runAndReadAll(statements);
      return reader
        .getRowObjectsJson()
        .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toText(value)])));
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function toText(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value);
}

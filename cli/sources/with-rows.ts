import type { ApiCalls } from '../../services/adapters/http/api-calls.ts';
import { apiServerFor, type ConnectionOptions } from '../server/connection-options.ts';
import type { RowSource } from './row-source.ts';

/** Runs queries on one read-only snapshot of the tables, or through the API. */
export async function withRows<T>(
  options: ConnectionOptions,
  work: (rows: RowSource) => Promise<T>,
): Promise<T> {
  return withApiOr(options, {
    api: async (api) => {
      const { apiRows } = await import('./api.ts');
      return work(apiRows(api));
    },
    tables: async () => {
      const [{ withDatabase }, { tableRows }] = await Promise.all([
        import('../with-database.ts'),
        import('./tables.ts'),
      ]);
      return withDatabase(options, (run) => work(tableRows(run)));
    },
  });
}

/** Calls `api` if the user has chosen an API, and `tables` otherwise. */
export async function withApiOr<T>(
  options: ConnectionOptions,
  ways: { api: (api: ApiCalls) => Promise<T>; tables: () => Promise<T> },
): Promise<T> {
  const server = await apiServerFor(options);
  if (server === null) return ways.tables();
  const { openApi } = await import('../../services/adapters/http/api-calls.ts');
  return ways.api(openApi(server));
}

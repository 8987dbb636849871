import type { RouteDependencies } from '../../services/api/routes.ts';
import { stubApi } from './stub-api.ts';

export interface ListeningApi {
  url: string;
  close: () => Promise<void>;
}

/** The API of stub-api.ts on a loopback port. */
export async function listeningApi(over: Partial<RouteDependencies> = {}, port = 0): Promise<ListeningApi> {
  const server = await stubApi(over);
  const url = await server.listen({ host: '127.0.0.1', port });
  return { url, close: () => server.close() };
}

import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, requireBody } from './client.ts';
import { isLasting } from './problem.ts';
import type { SignedIn } from './rows.ts';

export const CALLER_KEY = 'caller';

/** The signed-in user with the scopes, or the error of the request, which may be that the API needs a token. */
export function useCaller(): UseQueryResult<SignedIn> {
  return useQuery({
    queryKey: [CALLER_KEY],
    retry: (count, error) => count < 2 && !isLasting(error),
    queryFn: ({ signal }) => requireBody(api.GET('/v1/whoami', { signal })),
  });
}

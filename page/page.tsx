import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { usePageAddress } from './address/use-page-address.ts';
import { api, bodyOf } from './api/client.ts';
import { isLasting, needsToken } from './api/problem.ts';
import { sessionToken, setSessionToken } from './api/session.ts';
import { Fleet } from './fleet/fleet.tsx';
import { JobPage } from './job/job-page.tsx';
import { SignIn } from './sign-in.tsx';
import { Failure } from './words/failure.tsx';

/** The whole page: the view that the address names, after signing in where the API wants a token. */
export function Page(): ReactElement {
  const [address, change] = usePageAddress();
  const access = useQuery({
    queryKey: ['access'],
    retry: (count, error) => count < 2 && !isLasting(error),
    queryFn: ({ signal }) => bodyOf(api.GET('/v1/jobs', { params: { query: { limit: 1 } }, signal })),
  });
  useRefusals(() => void access.refetch());
  const withToken = (token: string | null): void => {
    setSessionToken(token);
    // Nothing that the former token showed stays in memory.
    location.reload();
  };
  if (needsToken(access.error)) {
    const message = sessionToken() === null ? null : (access.error?.message ?? null);
    return <SignIn message={message} onToken={withToken} />;
  }
  if (access.isPending) return <p role="status">loading</p>;
  return (
    <>
      <header>
        <span className="brand">Jobledger</span>
        {sessionToken() !== null && (
          <button type="button" onClick={() => withToken(null)}>
            Sign out
          </button>
        )}
      </header>
      {access.error !== null && <Failure error={access.error} />}
      {address.view === 'fleet' ? (
        <Fleet filters={address.filters} change={change} />
      ) : (
        <JobPage address={address.job} change={change} />
      )}
    </>
  );
}

/** Calls back when any request is refused for its token, for example because the token has expired. */
function useRefusals(onRefused: () => void): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ type, query }) => {
        const isOther = query.queryKey[0] !== 'access';
        if (type === 'updated' && isOther && query.state.status === 'error' && needsToken(query.state.error))
          onRefused();
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the access query does not change
    [queries],
  );
}

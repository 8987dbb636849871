import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { usePageAddress } from './address/use-page-address.ts';
import { needsToken } from './api/problem.ts';
import { sessionToken, setSessionToken } from './api/session.ts';
import { CALLER_KEY, useCaller } from './api/use-caller.ts';
import { Fleet } from './fleet/fleet.tsx';
import { JobPage } from './job/job-page.tsx';
import { SignIn } from './sign-in.tsx';
import { Failure } from './words/failure.tsx';
import { Name } from './words/name.tsx';

/** The whole page: the view that the address names, after signing in where the API wants a token. */
export function Page(): ReactElement {
  const [address, change] = usePageAddress();
  const caller = useCaller();
  useRefusals(() => void caller.refetch());
  const withToken = (token: string | null): void => {
    setSessionToken(token);
    // Nothing that the former token showed stays in memory.
    location.reload();
  };
  if (needsToken(caller.error)) {
    const message = sessionToken() === null ? null : (caller.error?.message ?? null);
    return <SignIn message={message} onToken={withToken} />;
  }
  if (caller.data?.scopes.includes('read') === false)
    return <SignIn message={`the token of ${caller.data.name} may not read`} onToken={withToken} />;
  if (caller.isPending) return <p role="status">loading</p>;
  return (
    <>
      <header>
        <span className="brand">Jobledger</span>
        {sessionToken() !== null && caller.data !== undefined && <Name text={caller.data.name} />}
        {sessionToken() !== null && (
          <button type="button" onClick={() => withToken(null)}>
            Sign out
          </button>
        )}
      </header>
      {caller.error !== null && <Failure error={caller.error} />}
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
        const isOther = query.queryKey[0] !== CALLER_KEY;
        if (type === 'updated' && isOther && query.state.status === 'error' && needsToken(query.state.error))
          onRefused();
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the query of the caller does not change
    [queries],
  );
}

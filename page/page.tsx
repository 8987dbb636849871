import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, type ReactElement } from 'react';
import type { PageAddress } from './address/page-address.ts';
import { linkTo, usePageAddress, type ChangeAddress } from './address/use-page-address.ts';
import { needsToken } from './api/problem.ts';
import { CALLER_KEY, useCaller } from './api/use-caller.ts';
import { Fleet } from './fleet/fleet.tsx';
import { JobPage } from './job/job-page.tsx';
import { SignIn } from './sign-in.tsx';
import { WhatIfPage } from './what-if/what-if-page.tsx';
import { Failure } from './words/failure.tsx';
import { Name } from './words/name.tsx';
import { sessionToken, setSessionToken } from './api/client.ts';

/** Loaded only when it is wanted, because its editor is larger than the rest of the page. */
const SubmitPage = lazy(async () => ({ default: (await import('./submit/submit-page.tsx')).SubmitPage }));

/** The whole page: the view that the address names, after signing in if the API demands a token. */
export function Page(): ReactElement {
  const [address, change] = usePageAddress();
  const caller = useCaller();
  useRefusals(() => void caller.refetch());
  const withToken = (token: string | null): void => {
    setSessionToken(token);
    // No data of the former token stays in memory.
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
        {caller.data?.scopes.includes('submit') === true && (
          <a {...linkTo({ view: 'submit' }, change)}>Submit a Job</a>
        )}
        {sessionToken() !== null && caller.data !== undefined && <Name text={caller.data.name} />}
        {sessionToken() !== null && (
          <button type="button" onClick={() => withToken(null)}>
            Sign out
          </button>
        )}
      </header>
      {caller.error !== null && <Failure error={caller.error} />}
      <View address={address} change={change} />
    </>
  );
}

function View({ address, change }: { address: PageAddress; change: ChangeAddress }): ReactElement {
  switch (address.view) {
    case 'fleet': {
      const { view: _, ...fleet } = address;
      return <Fleet address={fleet} change={change} />;
    }
    case 'what-if':
      return <WhatIfPage address={address} change={change} />;
    case 'submit':
      return (
        <Suspense fallback={<p role="status">loading</p>}>
          <SubmitPage cluster={address.cluster} change={change} />
        </Suspense>
      );
    case 'job':
      return <JobPage address={address.job} change={change} />;
  }
}

/** Calls back when a request is refused because of its token, for example because the token has expired. */
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

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import type { PageAddress } from './address/page-address.ts';
import { usePageAddress, type ChangeAddress } from './address/use-page-address.ts';
import { needsToken } from './api/problem.ts';
import { rememberProvider, sessionToken, setSessionToken } from './api/session.ts';
import { CALLER_KEY, useCaller } from './api/use-caller.ts';
import { Fleet } from './fleet/fleet.tsx';
import { Frame } from './frame/frame.tsx';
import { loadedView } from './loaded-view.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { Failure } from './components/failure.tsx';
import { Loading } from './components/loading.tsx';

// The views are loaded on demand; the editor of a manifest alone is larger than the rest of the page.
const JobPage = loadedView(async () => (await import('./job/job-page.tsx')).JobPage);
const SubmitPage = loadedView(async () => (await import('./submit/submit-page.tsx')).SubmitPage);
const WhatIfPage = loadedView(async () => (await import('./what-if/what-if-page.tsx')).WhatIfPage);
const CronJobs = loadedView(async () => (await import('./cron-jobs/cron-jobs.tsx')).CronJobs);
const CronJobPage = loadedView(async () => (await import('./cron-jobs/cron-job-page.tsx')).CronJobPage);
const Clusters = loadedView(async () => (await import('./clusters/clusters.tsx')).Clusters);

/** The whole page: the view that the address names, or the sign-in if the API requires a token. */
export function Page(): ReactElement {
  const [address, change] = usePageAddress();
  const caller = useCaller();
  useRefusals(() => void caller.refetch());
  // The code of the Job's view is loaded at once, because the first request only reads the identity of the user.
  useEffect(() => {
    if (address.view === 'job') void JobPage.load().catch(() => undefined);
  }, [address.view]);
  useEffect(() => {
    if (caller.data !== undefined) rememberProvider();
  }, [caller.data]);
  // Uses another token, and removes all data of the previous one.
  const withToken = (token: string | null): void => {
    setSessionToken(token);
    // The data of the previous token is removed from memory.
    location.reload();
  };
  if (needsToken(caller.error)) {
    const message = sessionToken() === null ? null : (caller.error?.message ?? null);
    return <SignIn message={message} onToken={withToken} onSignedIn={() => void caller.refetch()} />;
  }
  if (caller.data?.scopes.includes('read') === false)
    return (
      <SignIn
        message={`the token of ${caller.data.name} may not read`}
        onToken={withToken}
        onSignedIn={() => void caller.refetch()}
      />
    );
  return (
    <Frame
      address={address}
      change={change}
      caller={caller.data}
      onSignOut={sessionToken() === null ? null : () => withToken(null)}
    >
      {caller.error !== null && <Failure error={caller.error} />}
      {caller.isPending ? (
        <main className="view">
          <Loading rows={6} height={40} />
        </main>
      ) : (
        <View address={address} change={change} />
      )}
    </Frame>
  );
}

/** The view of an address. */
function View({ address, change }: { address: PageAddress; change: ChangeAddress }): ReactElement {
  switch (address.view) {
    case 'fleet': {
      const { view: _, ...fleet } = address;
      return <Fleet address={fleet} change={change} />;
    }
    case 'what-if':
      return <WhatIfPage address={address} change={change} />;
    case 'submit':
      return <SubmitPage cluster={address.cluster} change={change} />;
    case 'cron-jobs':
      return <CronJobs scope={address} change={change} />;
    case 'cron-job':
      return <CronJobPage address={address.cronJob} change={change} />;
    case 'clusters':
      return <Clusters change={change} />;
    case 'job':
      return <JobPage address={address.job} change={change} />;
  }
}

/** Calls a function when the API refuses a request because of its token, for example because the token has expired. */
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

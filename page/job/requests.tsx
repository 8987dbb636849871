import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, bodyOf } from '../api/client.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import type { JobDetails, RequestEvent, SignedIn } from '../api/rows.ts';
import { useCaller } from '../api/use-caller.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { CreatedJobLink } from '../submit/created-job-link.tsx';

/** People's requests, and, with the necessary scopes, buttons to suspend or resume an open Job, and to retry an ended one. */
export function Requests(props: {
  job: JobDetails;
  requests: readonly RequestEvent[];
  change: ChangeAddress;
}): ReactElement {
  const { job, requests, change } = props;
  const caller = useCaller();
  const isOpen = job.finished_at === null && job.deleted_at === null;
  const may = (scope: SignedIn['scopes'][number]): boolean => caller.data?.scopes.includes(scope) === true;
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">Requests</h2>
      {isOpen && job.claimed && may('operate') && <RequestButton job={job} />}
      {!isOpen && may('submit') && <Retry job={job} change={change} />}
      {requests.length === 0 && <p>none</p>}
      <ol>
        {requests.map(({ id, time, data: { command, by, retryOf } }) => (
          <li key={id}>
            <Instant at={time} /> {command ?? 'submitted'} by <Name text={by} />
            {retryOf !== undefined && ` to retry the Job with the UID ${retryOf}`}
          </li>
        ))}
      </ol>
    </section>
  );
}

/**
 * The API responds once the request is in the ledger; the page then shows the request and the decision like every other event.
 */
function RequestButton({ job: { cluster, uid, name, suspend } }: { job: JobDetails }): ReactElement {
  const parameters = { params: { path: { job: name }, query: { cluster, uid } } };
  const request = useMutation({
    mutationFn: () =>
      bodyOf(
        suspend
          ? api.POST('/v1/jobs/{job}/resume', parameters)
          : api.POST('/v1/jobs/{job}/suspend', parameters),
      ),
  });
  return (
    <>
      <button type="button" disabled={request.isPending} onClick={() => request.mutate()}>
        {suspend ? 'Resume' : 'Suspend'}
      </button>
      {request.error !== null && <Failure error={request.error} />}
    </>
  );
}

/** A button that creates a Job to repeat the work of an ended one. */
function Retry(props: { job: JobDetails; change: ChangeAddress }): ReactElement {
  const { job, change } = props;
  const { cluster, uid, name } = job;
  const retry = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/v1/jobs/{job}/retry', { params: { path: { job: name }, query: { cluster, uid } } })),
  });
  return (
    <>
      <button type="button" disabled={retry.isPending} onClick={() => retry.mutate()}>
        Retry
      </button>
      {retry.data !== undefined && <CreatedJobLink job={retry.data} change={change} />}
      {retry.error !== null && <Failure error={retry.error} />}
    </>
  );
}

import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, bodyOf } from '../api/client.ts';
import type { JobDetails, RequestEvent } from '../api/rows.ts';
import { useCaller } from '../api/use-caller.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';

/** What people asked for, and a button to suspend or resume the Job for those who may. */
export function Requests(props: { job: JobDetails; requests: readonly RequestEvent[] }): ReactElement {
  const { job, requests } = props;
  const caller = useCaller();
  const isOpen = job.claimed && job.finished_at === null && job.deleted_at === null;
  const mayAsk = isOpen && caller.data?.scopes.includes('operate') === true;
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">Requests</h2>
      {mayAsk && <RequestButton job={job} />}
      {requests.length === 0 && <p>none</p>}
      <ol>
        {requests.map(({ id, time, data: { command, by } }) => (
          <li key={id}>
            <Instant at={time} /> {command} by <Name text={by} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Responds once the request is in the ledger; the page then shows it, and what was decided, as everything else that happens. */
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

import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { JobDetails } from '../api/rows.ts';
import { CreatedJobLink } from '../submit/created-job-link.tsx';
import { Failure } from '../words/failure.tsx';

/** A button that creates a Job to repeat the work of an ended one. */
export function Retry(props: { job: JobDetails; change: ChangeAddress }): ReactElement {
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

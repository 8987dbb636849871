import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { JobAddress } from '../address/page-address.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { api, requireBody } from '../api/client.ts';
import type { JobDetails, SignedIn } from '../api/rows.ts';
import { useCaller } from '../api/use-caller.ts';
import { CreatedJobLink } from '../components/created-job-link.tsx';
import { Failure } from '../components/failure.tsx';
import { LogsDialog } from './logs/logs-dialog.tsx';
import { countText } from '../components/count-text.ts';
import type { JobLife } from './life/job-life.ts';
import { CompareMenu } from './runs/compare-menu.tsx';

/** The actions on a Job, for users with the rights to them. */
export function Actions(props: { known: JobLife; address: JobAddress; change: ChangeAddress }): ReactElement {
  const { known, address, change } = props;
  const { job, pods } = known;
  const caller = useCaller();
  const [hasLogs, setLogs] = useState(false);
  const isOpen = job.finished_at === null && job.deleted_at === null;
  // True when the user has a scope.
  const hasScope = (scope: SignedIn['scopes'][number]): boolean =>
    caller.data?.scopes.includes(scope) === true;
  return (
    <div className="actions">
      <Button variant="default" onClick={() => change({ view: 'job', job: { ...address, tab: 'what-if' } })}>
        What if…
      </Button>
      {job.owner_name !== null && (
        <CompareMenu job={job} onRun={(other) => change({ view: 'job', job: { ...address, other } })} />
      )}
      <Button variant="default" onClick={() => setLogs(true)}>
        Logs
      </Button>
      {isOpen && job.claimed && hasScope('operate') && <SuspendOrResume job={job} />}
      {!isOpen && hasScope('submit') && <Retry job={job} change={change} />}
      <LogsDialog job={job} pods={pods} opened={hasLogs} onClose={() => setLogs(false)} />
    </div>
  );
}

/**
 * The button that suspends or resumes the Job. The API responds once the request is in the ledger; the page shows the request and the decision like
 * any other event.
 */
function SuspendOrResume({ job }: { job: JobDetails }): ReactElement {
  const { cluster, uid, name, suspend, active } = job;
  const [isAsking, setAsking] = useState(false);
  const params = { path: { job: name }, query: { cluster, uid } };
  const request = useMutation({
    mutationFn: () =>
      requireBody(
        suspend
          ? api.POST('/v1/jobs/{job}/resume', { params })
          : api.POST('/v1/jobs/{job}/suspend', { params }),
      ),
  });
  return (
    <>
      <Button
        disabled={request.isPending}
        variant={suspend ? 'filled' : 'default'}
        onClick={() => (suspend ? request.mutate() : setAsking(true))}
      >
        {suspend ? 'Resume' : 'Suspend'}
      </Button>
      {request.error !== null && <Failure error={request.error} />}
      <Modal opened={isAsking} onClose={() => setAsking(false)} title="Suspend this Job?">
        <div className="dialog">
          <p>
            {active === 0
              ? 'No pod is running, and no pod starts until the Job is resumed.'
              : `${countText(active, 'pod stops', 'pods stop')}. Work that the programs have not saved is lost.`}
          </p>
          <Button
            color="red"
            data-autofocus
            onClick={() => {
              setAsking(false);
              request.mutate();
            }}
          >
            Suspend and stop {countText(active, 'pod')}
          </Button>
        </div>
      </Modal>
    </>
  );
}

/** The dialog that creates a Job to repeat the work of an ended Job. */
function Retry(props: { job: JobDetails; change: ChangeAddress }): ReactElement {
  const { job, change } = props;
  const { cluster, uid, name } = job;
  const retry = useMutation({
    mutationFn: () =>
      requireBody(
        api.POST('/v1/jobs/{job}/retry', { params: { path: { job: name }, query: { cluster, uid } } }),
      ),
  });
  return (
    <>
      <Button disabled={retry.isPending} onClick={() => retry.mutate()}>
        Retry
      </Button>
      {retry.data !== undefined && <CreatedJobLink job={retry.data} change={change} />}
      {retry.error !== null && <Failure error={retry.error} />}
    </>
  );
}

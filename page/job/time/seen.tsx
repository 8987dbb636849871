import type { ReactElement } from 'react';
import type { JobDetails, JobThen } from '../../api/rows.ts';
import { Failure } from '../../components/failure.tsx';
import { localInstant } from '../../components/instants.ts';
import { StatusWord } from '../../components/status-word.tsx';
import type { LifePod } from '../life/job-life.ts';
import type { Lane } from '../pods/lanes.ts';
import { PodTable } from '../pods/pod-table.tsx';
import { useJobAt } from '../life/use-job.ts';

/** The largest number of pods below the axis; the tab Pods shows more pods. */
const MOST = 12;

/** The Job and its pods at the instant of the playhead. */
export function RecordedFacts(props: {
  job: JobDetails;
  lanes: readonly Lane[];
  rows: readonly LifePod[];
  at: number | null;
  onPod: (pod: string) => void;
}): ReactElement {
  const { job, lanes, rows, at, onPod } = props;
  const then = useJobAt(job, at);
  const shown = at === null ? job : then.data;
  return (
    <section className="panel seen" aria-labelledby="seen">
      <h2 id="seen">
        {at === null ? 'Now' : `At ${localInstant(at)}`}{' '}
        {at !== null && <span className="muted small">as it was seen then</span>}
      </h2>
      {at !== null && then.error !== null && <Failure error={then.error} />}
      {shown !== undefined && (at === null || then.error === null) && (
        <dl className="counters">
          <div>
            <dt className="unseen">status</dt>
            <dd data-testid="status-word">
              <StatusWord word={'status' in shown ? shown.status : statusAtInstant(shown)} />
            </dd>
          </div>
          {(['active', 'ready', 'succeeded', 'failed', 'terminating'] as const).map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{shown[name].toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
      )}
      <PodTable lanes={lanes} rows={rows} at={at} most={MOST} isCompact onPod={onPod} />
    </section>
  );
}

/** The status of a Job at an instant, in the terms of Jobledger. */
function statusAtInstant(then: JobThen): string {
  const { kubectl_status: status, deleted, suspend, active, failed } = then;
  if (status === 'Complete' || status === 'SuccessCriteriaMet') return 'Succeeded';
  if (status === 'Failed' || status === 'FailureTarget') return 'Failed';
  if (deleted) return 'Deleted';
  if (suspend) return 'Suspended';
  if (active > 0) return 'Running';
  return failed > 0 ? 'Retrying' : 'Pending';
}

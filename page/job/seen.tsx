import type { ReactElement } from 'react';
import type { JobDetails } from '../api/rows.ts';
import { Failure } from '../words/failure.tsx';
import { localInstant } from '../words/instants.ts';
import { StatusWord } from '../words/status-word.tsx';
import type { LifePod } from './job-life.ts';
import type { Lane } from './lanes.ts';
import { PodTable } from './pod-table.tsx';
import { statusAtInstant } from './status-then.ts';
import { useJobAt } from './use-job.ts';

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

import type { ReactElement } from 'react';
import type { FleetColumn } from '../../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../../address/use-page-address.ts';
import type { ListedJob } from '../../api/rows.ts';
import { TimeAgo, useNow } from '../../components/ago.tsx';
import { Name } from '../../components/name.tsx';
import { StatusWord } from '../../components/status-word.tsx';
import { jobKey } from './job-rows.ts';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { runTime } from '../../components/run-time.ts';
import { hasFailureOrWait, statusReasonText } from './status-reason.ts';

/** The Jobs that are chosen for an action. */
export interface Selection {
  keys: ReadonlySet<string>;
  toggle: (key: string) => void;
}

/** One row of the fleet's table. */
export function JobRow(props: {
  job: ListedJob;
  index: number;
  start: number;
  columns: readonly FleetColumn[];
  selection: Selection | null;
  change: ChangeAddress;
}): ReactElement {
  const { job, index, start, columns, selection, change } = props;
  const { cluster, namespace, name, uid, owner_kind: kind, owner_name: owner } = job;
  const now = useNow();
  // True when the table shows the column.
  const hasColumn = (column: FleetColumn): boolean => columns.includes(column);
  const key = jobKey(job);
  return (
    <div
      role="row"
      className="job-row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)`, position: 'absolute' }}
    >
      {selection !== null && (
        <span role="cell" className="col-choice">
          <input
            type="checkbox"
            aria-label={`Choose ${name.slice(0, 200)}`}
            checked={selection.keys.has(key)}
            onChange={() => selection.toggle(key)}
          />
        </span>
      )}
      <span role="cell" className="col-status">
        <StatusWord word={job.status} />
      </span>
      <span role="cell" className="col-name">
        <a
          {...linkTo({ view: 'job', job: { cluster, namespace, name, uid } }, change)}
          className="job-link"
          data-first={index === 0 ? '' : undefined}
        >
          <Name text={name} />
        </a>
        <span className="below">
          <Name text={namespace} />
          {owner !== null && (
            <>
              {' · '}
              {kind} <Name text={owner} />
            </>
          )}
          {job.deleted_at !== null && <span className="deleted"> · deleted</span>}
        </span>
      </span>
      {hasColumn('cluster') && (
        <span role="cell" className="col-cluster">
          <Name text={cluster} />
        </span>
      )}
      {hasColumn('progress') && (
        <span role="cell" className="col-progress">
          <ProgressBar job={job} />
        </span>
      )}
      {hasColumn('reason') && (
        <span role="cell" className={`col-reason ${hasFailureOrWait(job) ? '' : 'muted'}`}>
          <Name text={statusReasonText(job, now)} />
        </span>
      )}
      {hasColumn('started') && (
        <span role="cell" className="col-started muted">
          <TimeAgo at={job.started_at ?? job.created_at} />
        </span>
      )}
      {hasColumn('duration') && (
        <span role="cell" className="col-duration">
          {runTime(job, now)}
        </span>
      )}
      {hasColumn('owner') && (
        <span role="cell" className="col-owner muted">
          {owner !== null && <Name text={owner} />}
        </span>
      )}
    </div>
  );
}

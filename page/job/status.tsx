import type { ReactElement } from 'react';
import type { JobDetails, JobThen } from '../api/rows.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { StatusWord } from '../words/status-word.tsx';
import { useJobThen } from './use-job.ts';

/** The status and the conditions of the Job, now or as seen by an instant. */
export function Status({ job, at }: { job: JobDetails; at: number | null }): ReactElement {
  const then = useJobThen(job, at);
  const shown = at === null ? job : then.data;
  const conditions = job.conditions.filter(({ seen_at: seen }) => at === null || Date.parse(seen) <= at);
  return (
    <section aria-labelledby="status">
      <h2 id="status">Status</h2>
      {at !== null && then.error !== null && <Failure error={then.error} />}
      {shown !== undefined && (at === null || then.error === null) && <Counters status={shown} />}
      {at === null && job.waiting_words !== null && (
        <p>
          waits: {job.waiting_words} <Rule rule={job.waiting_rule} />
        </p>
      )}
      <h3>Conditions</h3>
      {conditions.length === 0 && <p>none</p>}
      <ul>
        {conditions.map((condition) => (
          <li key={`${condition.type} ${condition.seen_at}`}>
            <Instant at={condition.seen_at} /> {condition.type} = {condition.status ?? 'removed'}{' '}
            <Name text={[condition.reason, condition.message].filter(Boolean).join(': ')} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Counters({ status }: { status: JobDetails | JobThen }): ReactElement {
  const { active, ready, terminating, succeeded, failed } = status;
  return (
    <dl className="counters">
      <dt>status</dt>
      <dd data-testid="status-word">
        <StatusWord word={status.status} />
      </dd>
      {Object.entries({ active, ready, terminating, succeeded, failed }).map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The rule behind a reason; its words are beside it. */
export function Rule({ rule }: { rule: string | null }): ReactElement | null {
  return rule === null ? null : <code className="rule">{rule}</code>;
}

import type { ReactElement } from 'react';
import type { JobDetails, ListedDecision } from '../../api/rows.ts';
import { Name } from '../../components/name.tsx';
import { nextSteps } from './next-steps.ts';
import { useJobAt } from '../life/use-job.ts';

/** The next steps of the Job, as they were known at the instant. */
export function Next(props: {
  job: JobDetails;
  decisions: readonly ListedDecision[];
  at: number | null;
}): ReactElement {
  const { job, decisions, at } = props;
  const then = useJobAt(job, at).data;
  const failed = (at === null ? job : (then ?? job)).failed;
  const steps = nextSteps(job, decisions, { at: at ?? Date.now(), failed });
  return (
    <section className="panel next" aria-labelledby="next">
      <h2 id="next">What happens next</h2>
      {at !== null && <p className="muted small">As it was known then.</p>}
      {steps.length === 0 && <p className="muted">Nothing more is planned.</p>}
      <ul>
        {steps.map(({ message }) => (
          <li key={message}>
            <Name text={message} />
          </li>
        ))}
      </ul>
    </section>
  );
}

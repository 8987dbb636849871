import { useMemo, type ReactElement } from 'react';
import type { JobDetails, ListedPod } from '../../api/rows.ts';
import { useNow } from '../../components/ago.tsx';
import { Name } from '../../components/name.tsx';
import { jobSentence } from './sentence.ts';

/** The time in milliseconds after which the page builds the sentence again, because the sentence may contain a duration. */
const FRESH_MS = 10_000;

/** The first sentence about the Job, with the link to its explanation. */
export function SentenceBanner(props: {
  job: JobDetails;
  pods: readonly ListedPod[];
  onWhy: () => void;
}): ReactElement {
  const { job, pods, onWhy } = props;
  const now = Math.floor(useNow() / FRESH_MS) * FRESH_MS;
  const { lead, rest, tone } = useMemo(() => jobSentence(job, pods, now), [job, pods, now]);
  return (
    <section className={`sentence tone-${tone}`} aria-label="What happened">
      <p>
        <strong>{lead}</strong> <Name text={rest} />
      </p>
      <button type="button" className="link" onClick={onWhy}>
        Show why →
      </button>
    </section>
  );
}

import { useMemo, type ReactElement } from 'react';
import type { ListedDecision } from '../../api/rows.ts';
import { gapSpans } from '../../components/gap-spans.ts';
import { Comparison } from './comparison.tsx';
import type { Lane } from '../pods/lanes.ts';
import { Next } from './next.tsx';
import { RecordedFacts } from './seen.tsx';
import { toShares } from '../placement/shares.ts';
import { jobDeadline, suspensionSpans, waitSpans } from '../life/spans.ts';
import { TimeAxis } from './axis/time-axis.tsx';
import type { JobLife } from '../life/job-life.ts';
import { rangeAround, type TimeRange } from '../../components/time-range.ts';

/** The life of the Job, with the facts at the instant of the playhead below it. */
export function TimeTab(props: {
  known: JobLife;
  lanes: readonly Lane[];
  decisions: readonly ListedDecision[];
  at: number | null;
  kept: number | null;
  onInstant: (at: number | null) => void;
  onKeep: (at: number | null) => void;
  onPod: (pod: string) => void;
}): ReactElement {
  const { known, lanes, decisions, at, kept, onInstant, onKeep, onPod } = props;
  const { job, pods } = known;
  const spans = useMemo(
    () => [...gapSpans(known.gaps), ...suspensionSpans(job.conditions), ...waitSpans(known.decisions)],
    [known, job],
  );
  const shares = useMemo(() => toShares(known.placements), [known.placements]);
  const whole = useMemo(() => wholeRange(known), [known]);
  const isOpen = job.finished_at === null && job.deleted_at === null;
  const next = isOpen && job.next_decision_at !== null ? Date.parse(job.next_decision_at) : null;
  return (
    <div className="time-tab">
      <TimeAxis
        picture={{ lanes, shares, spans, decisions, deadline: jobDeadline(job), next }}
        whole={whole}
        at={at}
        onInstant={onInstant}
        onKeep={onKeep}
        onPod={onPod}
      />
      {kept !== null && <Comparison job={job} lanes={lanes} kept={kept} at={at} onEnd={() => onKeep(null)} />}
      <div className="beside">
        <RecordedFacts job={job} lanes={lanes} rows={pods} at={at} onPod={onPod} />
        <Next job={job} decisions={decisions} at={at} />
      </div>
    </div>
  );
}

/** The range from the first to the last known instant of a Job; if the Job has not ended, the range reaches at least to now. */
function wholeRange({ job, pods, decisions }: JobLife): TimeRange {
  const isOver = job.finished_at !== null || job.deleted_at !== null;
  const deadline = jobDeadline(job);
  const known = [
    job.created_at,
    job.first_seen_at,
    job.started_at,
    job.finished_at,
    ...pods.flatMap((pod) => [pod.created_at, pod.finished_at]),
    ...decisions.flatMap(({ recorded_at: at, next_decision_at: look }) => (isOver ? [at] : [at, look])),
  ].flatMap((text) => (text === null ? [] : [Date.parse(text)]));
  return rangeAround(isOver ? known : [...known, Date.now(), ...(deadline === null ? [] : [deadline])]);
}

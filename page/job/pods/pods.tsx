import type { ReactElement } from 'react';
import type { JobDetails } from '../../api/rows.ts';
import { AsOf } from '../../components/as-of.tsx';
import type { LifePod } from '../life/job-life.ts';
import type { Lane } from './lanes.ts';
import { PodTable } from './pod-table.tsx';

/** The largest number of pods in the list; the time axis shows all pods. */
const MOST = 200;

/** The pods that existed by the chosen instant, the latest first. */
export function Pods(props: {
  job: JobDetails;
  lanes: readonly Lane[];
  rows: readonly LifePod[];
  at: number | null;
  onInstant: (at: number | null) => void;
  onPod: (pod: string) => void;
}): ReactElement {
  const { lanes, rows, at, onInstant, onPod } = props;
  return (
    <section className="panel" aria-label="Pods">
      <AsOf at={at} onNow={() => onInstant(null)} />
      <PodTable lanes={lanes} rows={rows} at={at} most={MOST} onPod={onPod} />
    </section>
  );
}

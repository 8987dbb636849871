import type { SnapshotContent } from '../../../workflows/decision/snapshot-content.ts';
import type { Decision, Folded } from '../../../workflows/decision/stream.ts';
import type { InEpoch, RecordedEvent } from '../../../workflows/ledger/recorded-event.ts';

/** The fields that every event of an observed Job contains. */
interface OfObservedJob {
  cluster: string;
  observedJobUid: string;
}

/** The Job has this phase. */
type Observed = RecordedEvent<
  'observed-job.observed',
  OfObservedJob & InEpoch & { resourceVersion: string; phase: string }
>;
/** A decision never has a command, because such a Job is only observed. */
type Decided = RecordedEvent<
  'observed-job.decided',
  OfObservedJob & Decision['data'] & { commands: never[]; settings: ObservedJobSettings }
>;
type Snapshotted = RecordedEvent<
  'observed-job.snapshotted',
  OfObservedJob & SnapshotContent<ObservedJobState>
>;

export type ObservedJobEvent = Observed | Decided | Snapshotted;
export type ObservedJobSettings = Readonly<Record<string, never>>;
export type ObservedJobFact = { id: string; digest: string; epoch?: number } & {
  type: 'observed-job.observed';
  phase: string;
};

/** The last phase of the Job; null before the first observation. */
export interface ObservedJobState {
  phase: string | null;
  folded: Folded[];
  last: { number: number; id: string; core: string; now: number } | null;
}

/** The types of observed Jobs, for the list of kinds. */
export interface ObservedJobTypes {
  event: ObservedJobEvent;
  decided: Decided;
  snapshotted: Snapshotted;
  fact: ObservedJobFact;
  compacted: ObservedJobFact | Decided;
  state: ObservedJobState;
  settings: ObservedJobSettings;
  prefix: 'observed-job';
  uidField: 'observedJobUid';
  resource: 'jobs';
}

import type { JobDecided, JobEvent, JobSnapshotted } from './events.ts';
import type { Fact } from './facts.ts';
import type { Compacted } from './observe/compact.ts';
import type { Settings } from './settings.ts';
import type { JobState } from './state.ts';

/** The types of Jobs, for the list of kinds. */
export interface JobTypes {
  event: JobEvent;
  decided: JobDecided;
  snapshotted: JobSnapshotted;
  fact: Fact;
  compacted: Compacted;
  state: JobState;
  settings: Settings;
  prefix: 'job';
  uidField: 'jobUid';
  resource: 'jobs';
}

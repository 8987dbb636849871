import { createRecording, type DeciderOf, type DecisionRecordOf } from '../../decision/decision-records.ts';
import type { Command } from '../commands.ts';
import type { JobDecided, JobFolded, OfJob } from '../events.ts';
import type { Settings } from '../settings.ts';

/**
 * The version of the core, which each decision records. Raise the version whenever `compact`, `evolve` or `decide`
 * may give another result; `workflows/cores` keeps the earlier versions.
 */
export const CORE_VERSION = '1';

export type Decider = DeciderOf<OfJob>;
export type DecisionRecord = DecisionRecordOf<JobFolded, JobDecided>;

export const { isNews, decisionRecord } = createRecording<OfJob, 'job', Command, Settings>(
  CORE_VERSION,
  'job',
  ({ jobUid }) => jobUid,
);

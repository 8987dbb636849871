import type { JobFacts } from '../../batch/facts.ts';
import type { Settings } from '../settings.ts';
import type { JobState } from '../state.ts';

/** Everything that a decision about a Job depends on. */
export interface Situation {
  state: JobState;
  /** The Job of the state. */
  job: JobFacts;
  now: number;
  settings: Settings;
}

import type { UnixMs } from '../ledger/instants.ts';
import type { Reason } from '../decision/reason.ts';
import type { CronJobStatus } from '../kubernetes/objects.ts';

export interface CronChildRef {
  uid: string;
  name: string;
}

/** A Kubernetes Event on the CronJob. */
export interface CronJobEventText {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

interface CronCommandBase<K extends string> {
  kind: K;
  why: Reason;
}

/**
 * The preconditions of a start, so that it is not carried out late. `deadline` is the end of
 * `startingDeadlineSeconds`, in milliseconds since 1970; null without this field.
 */
export interface StartPreconditions {
  generation: number;
  deadline: UnixMs | null;
}

interface Based {
  preconditions: StartPreconditions;
}

/** The highest number of Jobs that one command names; the next decision names the rest. */
export const MAX_JOBS_IN_COMMAND = 500;

/**
 * A command about a CronJob. The commands are sent in order; after a failed command the rest is skipped. Events that
 * follow from an outcome are `outcomeEvents` (outcome-events.ts).
 */
export type CronCommand =
  /**
   * Creates the Job of a start from the template of the live CronJob (J-9.46); the times have the format of the API.
   */
  | (CronCommandBase<'CreateJob'> & Based & { name: string; scheduledAt: string; annotation: string })
  /**
   * Deletes Jobs of the history, with propagation Background and the UID as precondition (J-9.47). This command never
   * fails as a whole.
   */
  | (CronCommandBase<'DeleteJobs'> & { jobs: CronChildRef[] })
  /** Reads and deletes Jobs that still run; stops at the first error (J-9.37). */
  | (CronCommandBase<'ReplaceJobs'> & Based & { jobs: CronChildRef[] })
  /** Replaces the whole status; `from` was the status at `resourceVersion`, which is a version of `epoch`. */
  | (CronCommandBase<'WriteStatus'> & {
      resourceVersion: string;
      epoch?: number;
      from: CronJobStatus;
      to: CronJobStatus;
    })
  /** Creates Kubernetes Events, in order. Errors are ignored. */
  | (CronCommandBase<'EmitEvents'> & { events: CronJobEventText[] })
  /** Reads the CronJob because these Jobs are missing in its status (J-9.30). */
  | (CronCommandBase<'LookUpCronJob'> & { jobs: CronChildRef[] })
  /** Reads, by name, Jobs that the status lists and that were not observed (J-9.31). */
  | (CronCommandBase<'LookUpJobs'> & { jobs: CronChildRef[] })
  /**
   * Records in the stream (`watch.passed`) when the watch of Jobs has reached a version; null stands for the version
   * of a list that the worker makes when no attempt of an earlier run can send a request any more. `epoch`: of the
   * version.
   */
  | (CronCommandBase<'AwaitWatch'> & { resource: 'jobs'; resourceVersion: string | null; epoch?: number });

export type CronCommandOf<K extends CronCommand['kind']> = Extract<CronCommand, { kind: K }>;

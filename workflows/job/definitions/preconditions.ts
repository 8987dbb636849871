import type { UnixMs } from '../../ledger/instants.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { isFinished } from '../../batch/conditions.ts';

/**
 * The values of the Job that a decision used; they show whether a late command still applies. `deadline` is the end
 * of `activeDeadlineSeconds`, in milliseconds since 1970; null without a deadline.
 */
export interface Preconditions {
  resourceVersion: string;
  generation: number;
  succeeded: number;
  failed: number;
  deadline: UnixMs | null;
  /** The number of the grant of indexes that the Job had; absent without a grant. */
  grant?: number;
}

/** The commands that have preconditions. */
export type KindWithPreconditions = 'CreatePods' | 'DeletePods' | 'SetSuspend';

/** The values of the present Job on which a command is decided. */
export function commandPreconditions(job: JobFacts, deadline: number | null): Preconditions {
  const { resourceVersion, generation, status, annotations } = job;
  const { succeeded = 0, failed = 0 } = status;
  const grant = annotations?.indexes?.number;
  return {
    resourceVersion,
    generation,
    succeeded,
    failed,
    deadline,
    ...(grant !== undefined && { grant }),
  };
}

/**
 * The reason why a command no longer applies to the present Job on the server; null when the command still applies.
 * Changes of suspension, limits and policies change the generation. `now`: milliseconds since 1970.
 */
export function commandStaleness(
  kind: KindWithPreconditions,
  preconditions: Preconditions,
  live: JobFacts,
  now: number,
): string | null {
  if (live.generation !== preconditions.generation)
    return `the spec has changed: generation ${live.generation}, decided on ${preconditions.generation}`;
  if (kind === 'SetSuspend') return null;
  if (live.deleting) return kind === 'CreatePods' ? 'the Job is being deleted' : null;
  if (isFinished(live.status)) return kind === 'CreatePods' ? 'the Job has finished' : null;
  const { succeeded = 0, failed = 0 } = live.status;
  if (succeeded > preconditions.succeeded || failed > preconditions.failed)
    return `the status counts ${succeeded} succeeded and ${failed} failed, decided on ${preconditions.succeeded} and ${preconditions.failed}`;
  const grant = live.annotations?.indexes?.number;
  if (kind === 'CreatePods' && grant !== preconditions.grant)
    return `the indexes are those of grant ${grant ?? 'none'}, decided on ${preconditions.grant ?? 'none'}`;
  if (kind === 'CreatePods' && preconditions.deadline !== null && now >= preconditions.deadline)
    return 'the deadline has passed';
  return null;
}

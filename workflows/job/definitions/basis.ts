import type { JobFacts } from '../facts.ts';
import { isFinished } from './conditions.ts';

/**
 * What a decision read of the Job, so that a command that is sent late can tell whether it still applies. `deadline`: when
 * `activeDeadlineSeconds` ends, in milliseconds since the epoch; null when it does not.
 */
export interface Basis {
  resourceVersion: string;
  generation: number;
  succeeded: number;
  failed: number;
  deadline: number | null;
  /** The number of the grant of indexes that the Job had; absent without one. */
  grant?: number;
}

/** The commands that carry a basis. */
export type BasedKind = 'CreatePods' | 'DeletePods' | 'SetSuspend';

export function basisOf(job: JobFacts, deadline: number | null): Basis {
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
 * Why a command no longer applies to the Job as it is on the server; null when it does. Changes of suspension, limits and
 * policies all change the generation. `now`: milliseconds since the epoch.
 */
export function stalenessOf(kind: BasedKind, basis: Basis, live: JobFacts, now: number): string | null {
  if (live.generation !== basis.generation)
    return `the spec has changed: generation ${live.generation}, decided on ${basis.generation}`;
  if (kind === 'SetSuspend') return null;
  if (live.deleting) return kind === 'CreatePods' ? 'the Job is being deleted' : null;
  if (isFinished(live.status)) return kind === 'CreatePods' ? 'the Job has finished' : null;
  const { succeeded = 0, failed = 0 } = live.status;
  if (succeeded > basis.succeeded || failed > basis.failed)
    return `the status counts ${succeeded} succeeded and ${failed} failed, decided on ${basis.succeeded} and ${basis.failed}`;
  const grant = live.annotations?.indexes?.number;
  if (kind === 'CreatePods' && grant !== basis.grant)
    return `the indexes are those of grant ${grant ?? 'none'}, decided on ${basis.grant ?? 'none'}`;
  if (kind === 'CreatePods' && basis.deadline !== null && now >= basis.deadline)
    return 'the deadline has passed';
  return null;
}

import { parseIndexes, countIndexes } from '../../batch/completion-indexes.ts';
import { trueCondition } from '../../batch/conditions.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { PlacementCommand } from '../../placement/commands.ts';
import type { PlacedJobFacts } from '../../placement/facts.ts';
import type { PlacementFinding } from './types.ts';

/** The claims of a status at home that the facts about its members do not confirm. */
export interface WrongStatus {
  type: 'incomplete' | 'counted-twice';
  /** The time when the write of the status was recorded, in milliseconds. */
  at: number;
  message: string;
}

/**
 * True when a command writes a status that makes the Job complete. A Job that once met its success criteria is
 * complete, even if its spec has since asked for more (J-3.52).
 */
export function completes(command: PlacementCommand): boolean {
  if (command.kind !== 'WriteStatus') return false;
  const isNew = ['Complete', 'SuccessCriteriaMet'].every(
    (type) => trueCondition(command.from, type) === undefined,
  );
  return isNew && completeCondition(command.to) !== undefined;
}

/** The message about a Job that became complete although its spec asked for more (J-16.8). */
export function whyIncomplete({ spec, status }: PlacedJobFacts): string | null {
  const { completions, completionMode } = spec;
  const { succeeded = 0, completedIndexes = '' } = status;
  const reason = completeCondition(status)?.reason;
  if (completions === undefined || reason === undefined || reason === 'SuccessPolicy') return null;
  const done =
    completionMode === 'Indexed' ? countIndexes(parseIndexes(completedIndexes, completions)) : succeeded;
  return done >= completions ? null : `the Job became Complete with ${done} of ${completions} completions`;
}

function completeCondition(status: PlacedJobFacts['status']): { reason?: string } | undefined {
  return trueCondition(status, 'Complete');
}

/** True when two statuses are the same in every checked field. */
export function isSameInCheckedFields(
  one: PlacedJobFacts['status'],
  other: PlacedJobFacts['status'],
): boolean {
  const isBothOrNone = (completeCondition(one) === undefined) === (completeCondition(other) === undefined);
  return isBothOrNone && (one.failed ?? 0) === (other.failed ?? 0);
}

/**
 * The failed pods of one member: the pods that its status counts, and the additional pods that were counted when its
 * grant had ended.
 */
export interface FailedPods {
  inStatus: number;
  left: number;
}

/**
 * The message about a status that counts more failed pods than the members have had; null when the count is right. A
 * failure that was counted when the grant of its cluster ended counts once (J-17.6).
 */
export function whyCountedTwice(
  { status: { failed = 0 } }: PlacedJobFacts,
  members: readonly FailedPods[],
): string | null {
  const had = members.reduce((sum, { inStatus, left }) => sum + Math.max(inStatus, left), 0);
  return failed <= had ? null : `the Job counts ${failed} failed pods, but its members have had ${had}`;
}

/** The finding about a status that was written in the home. */
export function findingAtHome(job: string, { type, at, message }: WrongStatus): PlacementFinding {
  const [home = ''] = job.split('/');
  return { type, job, index: null, clusters: [home], from: isoTime(at), until: null, pods: [], message };
}

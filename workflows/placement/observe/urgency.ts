import { endingCondition } from '../../batch/conditions.ts';
import { isSameJson } from '../../ledger/digest.ts';
import type { Urgency } from '../../decision/urgency.ts';
import type { MemberFacts, PlacedJobFacts, PlacementFact } from '../facts.ts';

/**
 * The urgency of a fact for the run, compared with the previous fact about the same object; without a previous fact,
 * the result may be more urgent than necessary.
 */
export function placementUrgency(previous: PlacementFact | undefined, next: PlacementFact): Urgency {
  if (previous !== undefined && previous.epoch !== next.epoch) return 'now';
  if (next.type === 'member.observed')
    return urgencyOfMember(previous?.type === 'member.observed' ? previous.member : AS_CREATED, next.member);
  if (previous?.type === 'job.observed' && next.type === 'job.observed')
    return urgencyOfJob(previous.job, next.job);
  return 'now';
}

/** The urgency of a change of the placed Job, whose status Jobledger may have written. */
function urgencyOfJob(before: PlacedJobFacts, after: PlacedJobFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (!isSameJson(before.preferences, after.preferences)) return 'now';
  if (!isSameJson(before.annotations, after.annotations)) return 'now';
  return isSameJson(before.status, after.status) && before.held === after.held ? 'none' : 'later';
}

/** The home already has the facts about the member from the outcome of its creation. */
const AS_CREATED: Pick<MemberFacts, 'generation' | 'deleting' | 'annotations' | 'status'> = {
  generation: 1,
  status: {},
};

/**
 * The urgency of a change of a member. The start and the counters of a running member can wait for a short time; its
 * end and its suspension cannot wait.
 */
function urgencyOfMember(before: typeof AS_CREATED, after: MemberFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (endingCondition(before.status) === undefined && endingCondition(after.status) !== undefined)
    return 'now';
  if (before !== AS_CREATED && !isSameJson(before.annotations, after.annotations)) return 'now';
  if (!isSameJson(before.status.conditions, after.status.conditions)) return 'now';
  return isSameJson(before.status, after.status) ? 'none' : 'later';
}

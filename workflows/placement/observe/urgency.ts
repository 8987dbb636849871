import { endingCondition } from '../../job/definitions/conditions.ts';
import { isSameJson } from '../../job/definitions/digest.ts';
import type { Urgency } from '../../job/observe/urgency.ts';
import type { MemberFacts, PlacedJobFacts, PlacementFact } from '../facts.ts';

/** How soon the run needs a fact, compared with the previous one of the same object; without one it may be sooner than necessary. */
export function placementUrgencyOf(previous: PlacementFact | undefined, next: PlacementFact): Urgency {
  if (previous === undefined || previous.epoch !== next.epoch) return 'now';
  if (previous.type === 'job.observed' && next.type === 'job.observed') return ofJob(previous.job, next.job);
  if (previous.type === 'member.observed' && next.type === 'member.observed')
    return ofMember(previous.member, next.member);
  return 'now';
}

/** A status may be our own write. */
function ofJob(before: PlacedJobFacts, after: PlacedJobFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (!isSameJson(before.wishes, after.wishes)) return 'now';
  return isSameJson(before.status, after.status) && before.held === after.held ? 'none' : 'later';
}

/** Counters of a running member can wait a moment; its start, its end and its suspension cannot. */
function ofMember(before: MemberFacts, after: MemberFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (before.status.startTime !== after.status.startTime) return 'now';
  if (endingCondition(before.status) === undefined && endingCondition(after.status) !== undefined)
    return 'now';
  if (!isSameJson(before.status.conditions, after.status.conditions)) return 'now';
  return isSameJson(before.status, after.status) ? 'none' : 'later';
}

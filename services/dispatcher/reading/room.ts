import { countFactsInFlight, type Assignments } from '../assignments/assignment.ts';
import { isNews } from '../mailboxes/mailbox.ts';
import { countCrowd, isFull } from '../assignments/crowded.ts';
import { isHeld } from '../mailboxes/new-jobs-first.ts';

/**
 * Reading pauses beyond this number of unsent facts: no fact is lost while Temporal is down, because the position
 * stays.
 */
const MAX_IN_FLIGHT = 5000;

/**
 * True when the next batch may be read. Facts that are held back for other Jobs are not counted, because later
 * records of the ledger release them.
 */
export function hasRoom(assignments: Assignments, most: number, now: number): boolean {
  if (isFull(assignments)) return false;
  const inFlight = countFactsInFlight(assignments);
  return inFlight <= MAX_IN_FLIGHT || inFlight - countHeldFacts(assignments, most, now) <= MAX_IN_FLIGHT;
}

/** The number of facts that wait for other Jobs of their namespace. */
function countHeldFacts(assignments: Assignments, most: number, now: number): number {
  const crowd = countCrowd(assignments, most, now);
  let held = 0;
  for (const { schedule } of assignments.values())
    for (const mailbox of schedule.waiting())
      if (isHeld(mailbox, crowd)) held += mailbox.pending.filter(isNews).length;
  return held;
}

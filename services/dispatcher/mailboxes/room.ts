import { inFlightIn, type Assignments } from '../assignments/assignment.ts';
import { isNews } from './mailbox.ts';
import { whichAreCrowded } from './crowded.ts';
import { isHeld } from './new-jobs-first.ts';

/**
 * More unsent facts than this pause the reading: while Temporal is down nothing is lost, because the position stays.
 */
const MAX_IN_FLIGHT = 5000;

/** Whether the next batch may be read. Facts that are held back for new Jobs are not waited for: their end is in the ledger. */
export function hasRoom(assignments: Assignments, now: number): boolean {
  const inFlight = inFlightIn(assignments);
  return inFlight <= MAX_IN_FLIGHT || inFlight - heldIn(assignments, now) <= MAX_IN_FLIGHT;
}

function heldIn(assignments: Assignments, now: number): number {
  const isCrowded = whichAreCrowded(assignments, now);
  let held = 0;
  for (const { schedule } of assignments.values())
    for (const mailbox of schedule.waiting())
      if (isHeld(mailbox, isCrowded)) held += mailbox.pending.filter(isNews).length;
  return held;
}

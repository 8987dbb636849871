import { inFlightIn, type Assignments } from '../assignments/assignment.ts';
import { isNews } from './mailbox.ts';
import { whichAreCrowded } from './crowded.ts';
import { isHeld } from './new-jobs-first.ts';

/**
 * Reading pauses beyond this number of unsent facts: nothing is lost while Temporal is down, because the position
 * stays.
 */
const MAX_IN_FLIGHT = 5000;

/**
 * Whether the next batch may be read. Does not count facts that are held back for new Jobs: later records of the ledger
 * release them.
 */
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

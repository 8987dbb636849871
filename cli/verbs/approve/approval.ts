import { randomUUID } from 'node:crypto';
import { InputError } from '../../../services/adapters/errors.ts';
import { REQUESTS_SOURCE, withDigest } from '../../../services/adapters/events/event-codec.ts';
import { withheldIn, wordsOf, type BrokenInvariant } from '../../../workflows/invariants/broken.ts';
import { standingDecisions } from '../../../workflows/job/record/folding.ts';
import { ofObject, type AnyDecided, type StreamEvent } from '../../../workflows/kind.ts';
import { kindOfEvent, objectOf } from '../../../workflows/kinds.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';

/** A decision whose creations were withheld, and what it breaks. */
export interface Withheld {
  decided: AnyDecided;
  broken: readonly BrokenInvariant[];
}

/**
 * The last decision that stands, which was withheld. `name`: of the Job or CronJob.
 * @throws InputError when there is none, when it was not withheld, or when the object was deleted.
 */
export function withheldOf(
  name: string,
  { deletedAt, events }: { deletedAt: string | null; events: readonly StreamEvent[] },
): Withheld {
  const refuse = (why: string): InputError =>
    new InputError(`cannot approve a decision about ${name}: ${why}`);
  if (deletedAt !== null) throw refuse(`it was deleted at ${deletedAt}`);
  const decided: AnyDecided | undefined = standingDecisions(events).at(-1);
  if (decided === undefined) throw refuse('nothing was decided about it');
  const broken = withheldIn(decided.data);
  if (broken.length === 0) throw refuse(`decision ${decided.data.number}, the last one, is not withheld`);
  return { decided, broken };
}

/** The record of a person's approval (J-18.2): it is for what the decision breaks, whichever decision is the last when it arrives. */
export function approvalOf({ decided, broken }: Withheld, by: string): LedgerEvent {
  const kind = kindOfEvent(decided);
  if (kind === undefined) throw new TypeError(`${decided.id} is of no kind`);
  const { cluster, uid } = objectOf(kind, decided);
  return withDigest({
    id: `${cluster}/${uid}/request/${randomUUID()}`,
    type: 'command.received',
    source: REQUESTS_SOURCE,
    subject: decided.subject,
    time: new Date().toISOString(),
    data: { ...ofObject(kind, { cluster, uid }), command: 'approve', by, broken },
  } as unknown as Omit<LedgerEvent, 'digest'>);
}

/** What was approved, in words. */
export function approvedText(
  name: string,
  { decided, broken }: Withheld,
  { by, argument }: { by: string; argument: string },
): string {
  return `${name}: decision ${decided.data.number} approved by ${by}, although ${wordsOf(broken)}; "jobledger history ${argument}" shows what follows`;
}

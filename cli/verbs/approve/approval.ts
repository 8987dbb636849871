import { randomUUID } from 'node:crypto';
import { InputError } from '../../../services/adapters/errors.ts';
import { REQUESTS_SOURCE, withDigest } from '../../../services/adapters/events/event-codec.ts';
import { breakingAfter, type Breaking } from '../../../workflows/decision/invariants/approval.ts';
import {
  withheldIn,
  brokenText,
  type BrokenInvariant,
} from '../../../workflows/decision/invariants/broken.ts';
import { isSameJson } from '../../../workflows/ledger/digest.ts';
import { effectiveDecisions } from '../../../workflows/decision/folding.ts';
import { isDecision } from '../../../workflows/decision/stream.ts';
import { objectFields, type AnyDecided, type StreamEvent } from '../../../workflows/kind.ts';
import { kindOfEvent, streamObject } from '../../../workflows/kinds.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';

/** A withheld decision that a person has seen, with the invariants that it breaks. */
export interface Withheld {
  decided: AnyDecided;
  broken: readonly BrokenInvariant[];
}

/**
 * The decision that the person has seen, if the last effective decision is withheld for the same reason. `name` is the
 * name of the Job or CronJob, and `seen` is the id of the decision. @throws InputError if `seen` is missing or is the id of another decision, if the
 * last decision is not withheld, or if the object was deleted.
 */
export function findWithheld(
  name: string,
  { deletedAt, events }: { deletedAt: string | null; events: readonly StreamEvent[] },
  seen: string | undefined,
): Withheld {
  // The error that the decision cannot be approved, with the reason.
  const refuse = (why: string): InputError =>
    new InputError(`cannot approve a decision about ${name}: ${why}`);
  if (deletedAt !== null) throw refuse(`the object was deleted at ${deletedAt}`);
  const effective: AnyDecided[] = effectiveDecisions(events);
  const last = effective.at(-1);
  if (last === undefined) throw refuse('no decision about the object is recorded');
  const broken = withheldIn(last.data);
  if (broken.length === 0) throw refuse(`decision ${last.data.number}, the last one, is not withheld`);
  const since = effective.reduce<Breaking | null>(
    (before, { data }) => breakingAfter(before, data),
    null,
  )?.since;
  const found = events.find(({ id }) => id === seen);
  if (
    found !== undefined &&
    isDecision(found) &&
    isSameJson(withheldIn(found.data), broken) &&
    found.data.number >= (since ?? 0)
  )
    return { decided: found, broken };
  const number = `decision ${last.data.number}`;
  const which =
    seen === undefined
      ? `name the decision with --decision: ${number}`
      : `${seen} is not the withheld decision: ${number}`;
  throw refuse(`${which}, ${last.id}, is withheld, because ${brokenText(broken)}`);
}

/**
 * The record of a person's approval (J-18.2), which permits the broken invariants until a later decision breaks other invariants.
 */
export function approvalEvent({ decided, broken }: Withheld, by: string): LedgerEvent {
  const kind = kindOfEvent(decided);
  if (kind === undefined) throw new TypeError(`${decided.id} is not an event of a known kind`);
  const { cluster, uid } = streamObject(kind, decided);
  return withDigest({
    id: `${cluster}/${uid}/request/${randomUUID()}`,
    type: 'request.received',
    source: REQUESTS_SOURCE,
    subject: decided.subject,
    time: new Date().toISOString(),
    data: {
      ...objectFields(kind, { cluster, uid }),
      action: 'approve',
      by,
      decisionNumber: decided.data.number,
      broken,
    },
  } as unknown as Omit<LedgerEvent, 'digest'>);
}

/** The approved decision, as text. */
export function approvedText(
  name: string,
  { decided, broken }: Withheld,
  { by, argument }: { by: string; argument: string },
): string {
  return `${name}: decision ${decided.data.number} approved by ${by}, although ${brokenText(broken)}; "jobledger history ${argument}" shows the next decisions`;
}

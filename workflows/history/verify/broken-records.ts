import type { AnyDecided } from '../../kind.ts';
import type { LedgerEvent } from '../../ledger-event.ts';
import { foldedId } from '../../decision/decision-id.ts';
import type { StreamMemory } from './stream-memory.ts';
import type { Finding } from './finding.ts';

/** The finding for a decision of a core that this version does not have. */
export function newerCoreFinding({ id, data }: AnyDecided): Finding {
  return {
    type: 'newer',
    event: id,
    message: `decision ${data.number} was made by core ${data.core}, which this version of Jobledger does not have: ask a newer one`,
    context: [],
  };
}

/** The finding for an event whose check has failed. */
export function uncheckableFinding({ id, type }: LedgerEvent, error: unknown): Finding {
  return {
    type: 'broken',
    event: id,
    message: `${type} cannot be checked: ${error instanceof Error ? error.message : String(error)}`,
    context: ['report this as a bug of Jobledger, with the record'],
  };
}

/** The finding for an event whose digest does not match its data. */
export function changedRecordFinding(event: LedgerEvent, digest: string): Finding {
  return {
    type: 'broken',
    event: event.id,
    message: `${event.type} was changed after it was recorded`,
    context: [
      `recorded at ${event.time} by ${event.source} for ${event.subject}`,
      `digest as recorded: ${event.digest}`,
      `digest of its content: ${digest}`,
    ],
  };
}

/** The finding for a decision whose id does not belong to its content. */
export function changedDecisionFinding(decision: AnyDecided, content: string): Finding {
  return {
    type: 'broken',
    event: decision.id,
    message: `decision ${decision.data.number} was changed after it was recorded: its id does not belong to its content`,
    context: [`id of its content: ${content}`],
  };
}

/** The first `folded` record of a decision that is missing or changed; null when all are intact. */
export function lostPartFinding({ parts }: StreamMemory, { id, data }: AnyDecided): Finding | null {
  const digests = new Map(parts.map((part) => [part.id, part.digest]));
  for (const [part, digest] of data.foldedBefore.entries()) {
    const event = foldedId(id, part);
    if (digests.get(event) === digest) continue;
    const state = digests.has(event) ? 'changed since' : 'missing';
    return { type: 'broken', event, message: `${state}: decision ${id} names it`, context: [] };
  }
  return null;
}

/** The finding for a decision whose predecessor is missing. */
export function lostPredecessorFinding(decision: AnyDecided): Finding {
  return {
    type: 'broken',
    event: decision.data.predecessor ?? '',
    message: `missing: decision ${decision.id} (number ${decision.data.number}) names it as its predecessor`,
    context: [],
  };
}

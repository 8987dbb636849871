import type { LedgerEvent } from '../../ledger-event.ts';
import { foldStream, effectiveDecisions, type Folding } from '../../decision/folding.ts';
import type { DecisionIn } from '../../decision/stream.ts';
import { isRefused, type Refused } from '../refused.ts';
import { findBreak } from '../verify/break-in.ts';
import type { Finding } from '../verify/finding.ts';
import { verifyStream } from '../verify/verify-stream.ts';
import { eventsUpTo, type Point } from './point.ts';

/** The state of a Job or CronJob at a point of its stream, folded again. Plain JSON. */
export interface StateAt<S> {
  /** The last folded event: its id, and when it was recorded (RFC 3339, UTC). */
  event: string;
  at: string;
  /** The number of folded events, and the number of effective decisions among them. */
  eventCount: number;
  decisionCount: number;
  /** The version of the core that folded the state: the core of the last decision up to the point. */
  core: string;
  /** The state of the core. */
  state: S;
  /** Decisions up to the point that differ when their core makes them again. */
  different: readonly Finding[];
}

type VersionedFolding<E, F, S> = Folding<E, F, S> & { CORE_VERSION: string };

/**
 * Folds a stream, in ledger order, up to a point; `next` is the next recorded decision, or null.
 * `coreOfLast` is the core of the last of the given decisions.
 */
export function replayStream<E extends LedgerEvent, F, S extends { last: { id: string } | null }>(
  events: readonly E[],
  point: Point,
  coreOfLast: (effective: readonly DecisionIn<E>[]) => VersionedFolding<E, F, S>,
): { stateAt: StateAt<S>; next: DecisionIn<E> | null } | Refused {
  const prefix = eventsUpTo(events, point);
  if (isRefused(prefix)) return prefix;
  const broken = findBreak(prefix);
  if (broken !== null) return broken;
  const effective = effectiveDecisions(events);
  const core = coreOfLast(effectiveDecisions(prefix));
  const folded = new Set(prefix.map(({ id }) => id));
  const last = prefix.at(-1);
  const stateAt = {
    event: last?.id ?? '',
    at: last?.time ?? '',
    eventCount: prefix.length,
    decisionCount: effective.filter(({ id }) => folded.has(id)).length,
    core: core.CORE_VERSION,
    state: foldStream(prefix, core),
    different: verifyStream(prefix, { seals: false }).findings,
  };
  return { stateAt, next: effective.find(({ id }) => !folded.has(id)) ?? null };
}

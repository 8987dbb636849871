import type { Unstamped } from '../ledger/recorded-event.ts';
import { computeDigest } from '../ledger/digest.ts';
import { foldedBy, effectiveDecisions, type StepOf } from '../decision/folding.ts';
import { isOutcome, isDecision, isFoldedPart } from '../decision/stream.ts';
import { objectFields, type AnySnapshotted, type AnyState, type Kind } from '../kind.ts';
import { compactRecalled, isSnapshot, stepsFrom, type FoldStart, type Recalled } from './recalled.ts';

type Step = StepOf<Recalled, AnyState>;

/**
 * The start of a fold of a stream: the last snapshot that the present core can use, or the beginning of the stream.
 * The value is null when the events begin at an unusable snapshot, so that earlier events are needed.
 */
export function foldStart(
  { core, stateFormat }: Kind,
  events: readonly Recalled[],
  isWhole: boolean,
): FoldStart | null {
  for (const snapshot of events.toReversed()) {
    if (!isSnapshot(snapshot) || snapshot.data.stateFormat !== stateFormat) continue;
    const start = computeDigest(snapshot.data) === snapshot.digest ? startAt(events, snapshot) : null;
    if (start !== null) return start;
  }
  return isWhole ? { state: core.INITIAL_STATE, decision: null, rest: events } : null;
}

/** The start of a fold at a snapshot; null when events after the decision of the snapshot are missing. */
function startAt(events: readonly Recalled[], { data }: AnySnapshotted): FoldStart | null {
  const unfolded = new Set(data.unfolded);
  const until = events.findIndex(({ id }) => id === data.until);
  const read = events.slice(0, until + 1).filter(({ id }) => unfolded.has(id));
  if (until === -1 || new Set(read.map(({ id }) => id)).size < unfolded.size) return null;
  const start = {
    state: data.state,
    decision: data.decision,
    rest: [...read, ...events.slice(until + 1)],
  };
  return hasAllNamedEvents(start) ? start : null;
}

/** True when the decisions continue from the start of the fold, and all facts that they have folded are present. */
function hasAllNamedEvents({ decision, rest }: FoldStart): boolean {
  const ids = new Set(rest.map(({ id }) => id));
  const parts = rest.filter((event) => isFoldedPart(event));
  const effective = effectiveDecisions(rest, decision);
  return (
    effective[0]?.data.predecessor === decision &&
    effective.every((each) => foldedBy(each, parts).every(({ id }) => ids.has(id)))
  );
}

/** The object of a snapshot. */
export interface SnapshotOf {
  kind: Kind;
  cluster: string;
  uid: string;
  /** `<namespace>/<name>`. */
  subject: string;
}

/**
 * A snapshot after the last decision but one, because the last decision may still be superseded; null before the
 * first snapshot. The work is done in steps, so that the caller may pause between two decisions of a long stream.
 */
export function* snapshotInSteps(
  of: SnapshotOf,
  start: FoldStart,
): Generator<undefined, Unstamped<AnySnapshotted> | null> {
  let before: Step | null = null;
  let last: Step | null = null;
  const folded = new Set<string>();
  for (const step of stepsFrom(of.kind, start)) {
    before = last;
    last = step;
    for (const { id } of before?.events ?? []) folded.add(id);
    yield;
  }
  const until = start.rest.at(-1);
  if (before === null || last === null || until === undefined) return null;
  const open = start.rest.filter(({ id }) => !folded.has(id));
  return snapshotRecord(of, before, unfoldedIds(of.kind, before, last, open), until);
}

/** The record of a snapshot. */
function snapshotRecord(
  { kind, cluster, uid, subject }: SnapshotOf,
  { decision, after }: Step,
  unfolded: string[],
  until: Recalled,
): Unstamped<AnySnapshotted> {
  const { number } = decision.data;
  const data = {
    ...objectFields(kind, { cluster, uid }),
    decision: decision.id,
    number,
    stateFormat: kind.stateFormat,
    state: after,
    until: until.id,
    unfolded,
  } as unknown as AnySnapshotted['data'];
  const digest = computeDigest(data);
  const id = `${cluster}/${uid}/snapshot/${number}/${digest}`;
  const type = `${kind.prefix}.snapshotted`;
  return { id, type, source: `jobledger/${cluster}`, subject, digest, data } as Unstamped<AnySnapshotted>;
}

/** The unfolded events that may still be folded: later decisions with their records, and facts that are not repeats. */
function unfoldedIds(kind: Kind, { decision, after }: Step, last: Step, open: readonly Recalled[]): string[] {
  const { number } = decision.data;
  const decisions = new Set([decision.id]);
  const later = open.filter((event) => {
    if (isDecision(event) && event.data.number > number) decisions.add(event.id);
    return (isDecision(event) || isFoldedPart(event)) && event.data.number > number;
  });
  const foldable = open.filter((event) =>
    isOutcome(event) ? decisions.has(event.data.decision) : !isDecision(event),
  );
  const facts = foldable.flatMap((event) => compactRecalled(kind, event) ?? []);
  const news = kind.core.fold(after, facts).folded;
  const kept = new Set([...news, ...later, ...last.events].map(({ id }) => id));
  return [...new Set(open.map(({ id }) => id))].filter((id) => kept.has(id));
}

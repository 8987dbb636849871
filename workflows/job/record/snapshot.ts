import type { JobSnapshotted, Unstamped } from '../events.ts';
import { INITIAL_STATE } from '../state.ts';
import { fold } from '../evolve/evolve.ts';
import { snapshotId } from './decision-id.ts';
import { digestOf } from '../definitions/digest.ts';
import { foldedBy, standingDecisions } from './folding.ts';
import { compactedOf, type Recalled } from './recalled.ts';
import { stepsFrom, type DecisionStep, type FoldStart } from './replay.ts';
import { STATE_FORMAT } from './state-format.ts';

/**
 * Where a fold of a stream begins: at the last snapshot that the present core can use, else at the beginning. Null when
 * the events begin at a snapshot that cannot be used, so that earlier ones are needed.
 */
export function foldStart(events: readonly Recalled[], isWhole: boolean): FoldStart | null {
  for (const snapshot of events.toReversed()) {
    if (snapshot.type !== 'job.snapshotted' || !isUsable(snapshot)) continue;
    const start = startAt(events, snapshot);
    if (start !== null) return start;
  }
  return isWhole ? { state: INITIAL_STATE, decision: null, rest: events } : null;
}

function isUsable({ data, digest }: JobSnapshotted): boolean {
  return data.stateFormat === STATE_FORMAT && digestOf(data) === digest;
}

/** Null when the events do not have all that came after the snapshot's decision. */
function startAt(events: readonly Recalled[], { data }: JobSnapshotted): FoldStart | null {
  const unfolded = new Set(data.unfolded);
  const until = events.findIndex(({ id }) => id === data.until);
  const read = events.slice(0, until + 1).filter(({ id }) => unfolded.has(id));
  if (until === -1 || new Set(read.map(({ id }) => id)).size < unfolded.size) return null;
  const start = {
    state: data.state,
    decision: data.decision,
    rest: [...read, ...events.slice(until + 1)],
  };
  return hasAllThatIsNamed(start) ? start : null;
}

/** Whether the decisions continue from the start, and everything that they have folded is there. */
function hasAllThatIsNamed({ decision, rest }: FoldStart): boolean {
  const ids = new Set(rest.map(({ id }) => id));
  const parts = rest.filter(({ type }) => type === 'job.folded');
  const standing = standingDecisions(rest, decision);
  return (
    standing[0]?.data.predecessor === decision &&
    standing.every((each) => foldedBy(each, parts).every(({ id }) => ids.has(id)))
  );
}

/** The stream that a snapshot belongs to. */
export interface SnapshotOf {
  cluster: string;
  jobUid: string;
  /** `<namespace>/<name>` of the Job. */
  subject: string;
}

/**
 * A snapshot after the decision before the last: the last one may still be superseded. Null when there is none yet. In
 * steps, so that the caller may pause between two decisions of a long stream.
 */
export function* snapshotting(
  of: SnapshotOf,
  start: FoldStart,
): Generator<undefined, Unstamped<JobSnapshotted> | null> {
  let before: DecisionStep<Recalled> | null = null;
  let last: DecisionStep<Recalled> | null = null;
  const folded = new Set<string>();
  for (const step of stepsFrom(start)) {
    before = last;
    last = step;
    for (const { id } of before?.events ?? []) folded.add(id);
    yield;
  }
  const until = start.rest.at(-1);
  if (before === null || last === null || until === undefined) return null;
  const open = start.rest.filter(({ id }) => !folded.has(id));
  return recordOf(of, before, unfoldedOf(before, last, open), until);
}

function recordOf(
  { cluster, jobUid, subject }: SnapshotOf,
  { decision, after }: DecisionStep<Recalled>,
  unfolded: string[],
  until: Recalled,
): Unstamped<JobSnapshotted> {
  const { number } = decision.data;
  const data = {
    cluster,
    jobUid,
    decision: decision.id,
    number,
    stateFormat: STATE_FORMAT,
    state: after,
    until: until.id,
    unfolded,
  };
  const digest = digestOf(data);
  const id = snapshotId(data, digest);
  return { id, type: 'job.snapshotted', source: `jobledger/${cluster}`, subject, digest, data };
}

/**
 * Which of the events that no earlier decision has folded may still be folded: later decisions with what belongs to them,
 * and facts that are not repeats.
 */
function unfoldedOf(
  { decision, after }: DecisionStep<Recalled>,
  last: DecisionStep<Recalled>,
  open: readonly Recalled[],
): string[] {
  const { number } = decision.data;
  const decisions = new Set([decision.id]);
  const later = open.filter((event) => {
    if (event.type === 'job.decided' && event.data.number > number) decisions.add(event.id);
    return event.type === 'job.decided' || event.type === 'job.folded' ? event.data.number > number : false;
  });
  const foldable = open.filter((event) =>
    event.type === 'command.answered' ? decisions.has(event.data.decision) : event.type !== 'job.decided',
  );
  const news = fold(
    after,
    foldable.flatMap((event) => compactedOf(event) ?? []),
  ).folded;
  const kept = new Set([...news, ...later, ...last.events].map(({ id }) => id));
  return [...new Set(open.map(({ id }) => id))].filter((id) => kept.has(id));
}

import { coversAll, type Approval } from './invariants/approval.ts';
import type { RecordedEvent, Unstamped } from '../ledger/recorded-event.ts';
import type { Reason } from './reason.ts';
import type { DecisionContentOf, Folded, FoldedContent } from './stream.ts';
import type { VerdictOf } from './verdict.ts';
import { decisionId, foldedId } from './decision-id.ts';
import { computeDigest, isSameJson } from '../ledger/digest.ts';

/**
 * The maximum length of `folded` in one record; a longer list continues in `….folded` records before the decision.
 */
const FOLDED_IN_ONE = 500;

/** The part of a state that the record of its next decision depends on. */
interface DecidedState {
  last: { number: number; id: string; core: string } | null;
  folded: Folded[];
  waiting: Reason | null;
  approval: Approval | null;
}

/** The part of a decision that is the same for the whole chain of runs; `O` has the fields that name the object. */
export type DeciderOf<O> = O & {
  /** `<namespace>/<name>` of the object. */
  subject: string;
  firstRunId: string;
};

/** The records of a decision, in the order in which they are appended. */
export interface DecisionRecordOf<F extends { time: string }, D extends { time: string }> {
  folded: Unstamped<F>[];
  decided: Unstamped<D>;
}

/** The differences between the kinds. `T` is the first part of the types of the events. */
interface Origin<T extends string> {
  type: T;
  /** The UID of the object. */
  uid: string;
  /** The version of the core that decided. */
  core: string;
}

/** The records of a decision of one kind. */
type DecisionRecords<O, T extends string, C, S> = DecisionRecordOf<
  RecordedEvent<`${T}.folded`, O & FoldedContent>,
  RecordedEvent<`${T}.decided`, O & DecisionContentOf<C, S>>
>;

/**
 * True when a verdict is recorded, which happens in four cases: the verdict has commands, its reason to wait has
 * changed, it ends an approval, or another core made the last decision, so that the ledger shows the change of the
 * core.
 */
export function isNewsBy(core: string, state: DecidedState, verdict: VerdictOf<unknown>): boolean {
  return (
    verdict.commands.length > 0 ||
    !isSameJson(verdict.waiting, state.waiting) ||
    (state.approval !== null && !coversAll(state.approval, verdict.broken)) ||
    (state.last !== null && state.last.core !== core)
  );
}

/** The ledger records of a decision of any kind; they are appended before its first command is sent. */
export function decisionRecords<O extends { cluster: string }, T extends string, C, S>(
  { type, uid, core }: Origin<T>,
  decider: DeciderOf<O>,
  { last, folded }: DecidedState,
  { commands, nextDecisionAt, waiting, broken }: VerdictOf<C>,
  { now, settings }: { now: number; settings: S },
): DecisionRecords<Omit<DeciderOf<O>, 'subject' | 'firstRunId'>, T, C, S> {
  const { subject, firstRunId, ...of } = decider;
  const number = (last?.number ?? 0) + 1;
  const parts = splitFolded(folded);
  const before = parts.slice(0, -1).map((each, part) => {
    const data = { ...of, firstRunId, number, part, folded: each };
    return { digest: computeDigest(data), data };
  });
  const data = {
    ...of,
    number,
    predecessor: last?.id ?? null,
    firstRunId,
    now,
    core,
    settings,
    folded: parts.at(-1) ?? [],
    foldedBefore: before.map(({ digest }) => digest),
    commands,
    nextDecisionAt,
    waiting,
    ...(broken !== undefined && { broken }),
  };
  const id = decisionId(uid, data);
  const envelope = { source: `jobledger/${of.cluster}`, subject };
  return {
    folded: before.map((part, at) => ({
      ...envelope,
      id: foldedId(id, at),
      type: `${type}.folded`,
      ...part,
    })),
    decided: { ...envelope, id, type: `${type}.decided`, digest: computeDigest(data), data },
  };
}

/** The functions with which a core of one kind records its decisions. */
interface Recording<O, T extends string, C, S> {
  /** True when a verdict is recorded (`isNewsBy`). */
  isNews(state: DecidedState, verdict: VerdictOf<C>): boolean;
  /** The ledger records of a decision; they are appended before its first command is sent. */
  decisionRecord(
    decider: DeciderOf<O>,
    state: DecidedState,
    verdict: VerdictOf<C>,
    now: number,
    settings: S,
  ): DecisionRecords<Omit<DeciderOf<O>, 'subject' | 'firstRunId'>, T, C, S>;
}

/**
 * Creates the functions with which a core of one kind records its decisions. `core` is the version of the core, `type`
 * the first part of the types of the events, and `uidOf` gives the UID of the object.
 */
export function createRecording<O extends { cluster: string }, T extends string, C, S>(
  core: string,
  type: T,
  uidOf: (object: O) => string,
): Recording<O, T, C, S> {
  return {
    isNews: (state, verdict) => isNewsBy(core, state, verdict),
    decisionRecord: (decider, state, verdict, now, settings) =>
      decisionRecords({ type, uid: uidOf(decider), core }, decider, state, verdict, { now, settings }),
  };
}

/** The parts of a list of folded events that fit into one record each. */
function splitFolded(folded: readonly Folded[]): Folded[][] {
  const parts: Folded[][] = [];
  for (let at = 0; at < folded.length; at += FOLDED_IN_ONE) parts.push(folded.slice(at, at + FOLDED_IN_ONE));
  return parts;
}

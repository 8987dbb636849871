import type { UnixMs } from '../ledger/instants.ts';
import type { BrokenInvariant } from './invariants/broken.ts';
import type { Reason } from './reason.ts';

/** An event that was folded before a decision, and its digest when it was folded. */
export interface Folded {
  id: string;
  digest: string;
}

/** An event of the stream of an object of any kind. */
export interface EventOfStream {
  id: string;
  type: string;
  source: string;
  subject: string;
  time: string;
  digest: string;
  data: object;
}

/** The content of a decision; each kind adds the fields that name the object. */
export interface DecisionContentOf<Command, Settings> {
  /** The number is 1 for the first decision about the object. */
  number: number;
  /** The id of the previous decision; null for the first decision. */
  predecessor: string | null;
  /** The first run id of the Temporal workflow that decided. */
  firstRunId: string;
  /** The `now` given to `decide`, in milliseconds since 1970. */
  now: UnixMs;
  /** The version of the core that decided. */
  core: string;
  /** The configuration on which the decision depends. */
  settings: Settings;
  /**
   * The events that were folded since the previous decision, in order, except events in preceding `….folded`
   * records.
   */
  folded: Folded[];
  /** The digests of the preceding `….folded` records of this decision, in order; usually empty. */
  foldedBefore: string[];
  /** The commands are sent in this order; `why` is the reason for a command. */
  commands: Command[];
  /**
   * The time of the next decision without a new fact, in milliseconds since 1970; null when no such decision is
   * planned.
   */
  nextDecisionAt: UnixMs | null;
  /** The reason why the decision makes no further changes; null without a reason to wait. */
  waiting: Reason | null;
  /**
   * The invariants that the decision breaks: the commands that make work run are withheld (J-18.1), unless a person
   * has approved the broken invariants (J-18.2). The field is absent when the decision breaks no invariant.
   */
  broken?: BrokenInvariant[];
}

/** One part of a `folded` list that is too long for the record of the decision itself; `part` counts from 0. */
export interface FoldedContent {
  firstRunId: string;
  number: number;
  part: number;
  folded: Folded[];
}

/** The outcome of command number `command` (from 0) of a decision; `attempt` counts from 1. */
export interface OutcomeContent<Outcome> {
  decision: string;
  command: number;
  attempt: number;
  outcome: Outcome;
}

/** A decision about an object of any kind. */
export interface Decision extends EventOfStream {
  type: `${string}.decided`;
  data: { cluster: string } & DecisionContentOf<{ kind: string; why: Reason }, object>;
}

/** The record of one part of a `folded` list. */
export interface FoldedPart extends EventOfStream {
  type: `${string}.folded`;
  data: FoldedContent;
}

/** The record of the outcome of a command. */
interface OutcomeEvent extends EventOfStream {
  type: 'outcome.recorded';
  data: { decision: string; command: number };
}

export type DecisionIn<E> = Extract<E, Decision>;

/** True for a decision. */
export function isDecision<E extends EventOfStream>(event: E): event is DecisionIn<E> {
  return event.type.endsWith('.decided');
}

/** True for a part of the folded events of a decision. */
export function isFoldedPart<E extends EventOfStream>(event: E): event is E & FoldedPart {
  return event.type.endsWith('.folded');
}

/** True for the outcome of a command. */
export function isOutcome<E extends EventOfStream>(event: E): event is E & OutcomeEvent {
  return event.type === 'outcome.recorded';
}

import type { BrokenInvariant } from './invariants/broken.ts';
import type { Reason } from './reason.ts';

/** An event that was folded before a decision, and its digest when it was folded. */
export interface Folded {
  id: string;
  digest: string;
}

/** An event of a stream of any kind: of a Job or of a CronJob. */
export interface EventOfStream {
  id: string;
  type: string;
  source: string;
  subject: string;
  time: string;
  digest: string;
  data: object;
}

/** The fields that decisions of every kind of stream contain; workflows/job/events.ts describes the fields. */
export interface Decision extends EventOfStream {
  type: `${string}.decided`;
  data: {
    cluster: string;
    number: number;
    predecessor: string | null;
    firstRunId: string;
    now: number;
    core: string;
    settings: object;
    folded: Folded[];
    foldedBefore: string[];
    commands: { kind: string; why: Reason }[];
    nextDecisionAt: number | null;
    waiting: Reason | null;
    broken?: BrokenInvariant[];
  };
}

/** One part of a `folded` list that is too long for the decision's own record. */
export interface FoldedPart extends EventOfStream {
  type: `${string}.folded`;
  data: { number: number; folded: Folded[] };
}

/** The outcome of a command, without its content. */
interface Answer extends EventOfStream {
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
export function isAnswer<E extends EventOfStream>(event: E): event is E & Answer {
  return event.type === 'outcome.recorded';
}

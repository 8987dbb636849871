import type { Settings } from './job/settings.ts';
import type { Urgency } from './decision/urgency.ts';
import type { Decision } from './decision/stream.ts';
import { UID_FIELDS, type AnyFact, type KindName, type OfAnyKind } from './ledger-event.ts';

export type { KindName };

export type AnyDecided = OfAnyKind<'decided'>;
export type AnySnapshotted = OfAnyKind<'snapshotted'>;
export type AnyCompacted = OfAnyKind<'compacted'>;
export type AnyState = OfAnyKind<'state'>;
export type AnySettings = OfAnyKind<'settings'>;
/** An event of the stream of a controlled object. */
export type StreamEvent = OfAnyKind<'event'>;

/**
 * A core of any kind. The functions are declared as methods, so that the compiler accepts a core of one kind; a core
 * gets only events, facts, states and settings of its own kind.
 */
export interface AnyCore {
  CORE_VERSION: string;
  INITIAL_STATE: AnyState;
  compact(event: StreamEvent): AnyCompacted | null;
  fold(state: AnyState, facts: readonly AnyCompacted[]): AnyState;
  decide(
    state: AnyState,
    now: number,
    settings: AnySettings,
  ): Pick<Decision['data'], 'commands' | 'nextDecisionAt' | 'waiting' | 'broken'>;
}

/** True for a fact; a core also compacts the decisions of a stream, and their outcomes. */
export function isFact(compacted: AnyCompacted): compacted is AnyFact {
  return compacted.type !== 'outcome.recorded' && !compacted.type.endsWith('.decided');
}

/** The parts of an observation of a controlled object on which its run depends. */
export interface ObservedObject {
  managedBy: string | undefined;
  /** True when the object has finished, and will be deleted after its `ttlSecondsAfterFinished`. */
  expires: boolean;
  isFinished: boolean;
  /** True when the object has not started its first pods yet. */
  isToStart: boolean;
}

/**
 * The part of an object that is known. `isOurs` is true when Jobledger controls the object, whose run then receives
 * every fact.
 */
export interface Known extends Pick<ObservedObject, 'expires' | 'isFinished'> {
  isOurs: boolean;
}

/** An event that was read, with its fact, and the known state of the object before and after it. */
export interface Arrival<F = AnyFact> {
  fact: F;
  event: StreamEvent;
  before: Known | undefined;
  known: Known | undefined;
}

/**
 * A kind of controlled object: each object has its own stream in the ledger, and its own workflow. Dispatcher,
 * worker, projector and history use only kinds; `kinds.ts` lists them.
 */
export interface Kind {
  readonly name: KindName;
  /** The name of the kind in paths of the API, and in the live topic. */
  readonly resource: OfAnyKind<'resource'>;
  /** The name of the workflow function. */
  readonly workflow: string;
  /** The first part of the types of the decisions about its objects. */
  readonly prefix: OfAnyKind<'prefix'>;
  /** The present core; workflows/cores has the earlier cores. */
  readonly core: AnyCore;
  /** The state format of the present core, which is compared when a run is handed over or a snapshot is used. */
  readonly stateFormat: string;
  /** Two builds can use each other's states only when their cores have the same format. */
  stateFormatBy(core: Pick<AnyCore, 'CORE_VERSION' | 'INITIAL_STATE'>): string;
  /** The value is null when the fact is not an observation of the object itself. */
  observed(fact: AnyFact): ObservedObject | null;
  /** True when the controllers in the settings control the object. */
  isOurs(settings: Settings, managedBy: string | undefined): boolean;
  /** True when a run of the object needs the fact. */
  concerns(arrival: Arrival, settings: Settings): boolean;
  /** True when the fact starts a run if no run exists. */
  mayStart(arrival: Arrival): boolean;
  /** True when the run that the object starts must recall facts that were recorded before the object. */
  isRecalledLater(fact: AnyFact): boolean;
  /** The object of the fact: the controlled object itself, another object by its UID, or null. */
  objectIn(fact: AnyFact): 'itself' | { uid: string } | null;
  /** The resourceVersion of the object itself in an observation. */
  versionIn(fact: AnyFact): string | undefined;
  /** The urgency of a fact, given the previous fact of the same object. */
  urgency(previous: AnyFact | undefined, next: AnyFact): Urgency;
  /** True when the fact only reports an end for which no run waits after the object has finished. */
  onlySaysGone(fact: AnyFact): boolean;
}

/** The fields of every event of an object of this kind; a placed Job is also a Job. */
export function objectFields(
  { name }: Pick<Kind, 'name'>,
  { cluster, uid }: { cluster: string; uid: string },
): { cluster: string } & { [Field in OfAnyKind<'uidField'>]?: string } {
  return { cluster, ...(name === 'PlacedJob' && { jobUid: uid }), [UID_FIELDS[name]]: uid };
}

/**
 * True when an object needs a run: Jobledger controls it and it has not finished, or Jobledger must delete it after
 * its TTL, whichever controller manages it (J-10.4).
 */
export function needsRun({ controllers }: Settings, known: Known | undefined): boolean {
  if (known === undefined) return false;
  return (known.isOurs && !known.isFinished) || (known.expires && controllers.includes('ttl'));
}

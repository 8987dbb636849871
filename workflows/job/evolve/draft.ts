import { completedOn, failedOn, type Indexes } from '../definitions/completion-indexes.ts';
import type { JobFacts } from '../facts.ts';
import type { JobState, PodState } from '../state.ts';

/** A copy of a state that one fold changes in place, with what the fold derives from it. */
export interface Draft extends JobState {
  derived: {
    /** UIDs of the pods of each index; null until the fold first asks for them. */
    podsByIndex: Map<number, Set<string>> | null;
    /** The finished indexes in the status of `job`, parsed. */
    finished: { job: JobFacts; indexes: FinishedIndexes } | null;
  };
}

interface FinishedIndexes {
  completed: Indexes;
  failed: Indexes;
}

/** Copies what folding changes in place; pods and Job facts are replaced as a whole. */
export function draftOf(state: JobState): Draft {
  return {
    ...state,
    marks: { ...state.marks },
    pods: copyOf(state.pods),
    owed: { succeeded: [...state.owed.succeeded], failed: [...state.owed.failed] },
    written: copyOf(state.written),
    backoff: { ...state.backoff, failures: [...state.backoff.failures] },
    delayed: copyOf(state.delayed),
    indexOrdinals: { ...state.indexOrdinals, next: copyOf(state.indexOrdinals.next) },
    requests: [...state.requests],
    requested: [...state.requested],
    folded: [...state.folded],
    derived: { podsByIndex: null, finished: null },
  };
}

export function stateOf({ derived: _derived, ...state }: Draft): JobState {
  return state;
}

/** Must be used for a pod that is new in the draft, or may have another index than before. */
export function putPod({ pods, derived: { podsByIndex } }: Draft, uid: string, pod: PodState): void {
  pods[uid] = pod;
  if (podsByIndex !== null) note(podsByIndex, uid, pod.index);
}

/** UIDs of the pods of an index, without a search through all pods. */
export function podsOfIndex({ pods, derived }: Draft, index: number): string[] {
  derived.podsByIndex ??= indexed(pods);
  const uids = derived.podsByIndex.get(index) ?? [];
  return [...uids].filter((uid) => pods[uid]?.index === index);
}

/** Indexes that the status of the Job lists as completed and as failed. */
export function finishedIndexes({ derived }: Draft, job: JobFacts): FinishedIndexes {
  if (derived.finished?.job !== job)
    derived.finished = { job, indexes: { completed: completedOn(job), failed: failedOn(job) } };
  return derived.finished.indexes;
}

function indexed(pods: JobState['pods']): Map<number, Set<string>> {
  const podsByIndex = new Map<number, Set<string>>();
  for (const [uid, { index }] of Object.entries(pods)) note(podsByIndex, uid, index);
  return podsByIndex;
}

function note(podsByIndex: Map<number, Set<string>>, uid: string, index: number | undefined): void {
  if (index === undefined) return;
  const uids = podsByIndex.get(index);
  if (uids === undefined) podsByIndex.set(index, new Set([uid]));
  else uids.add(uid);
}

/**
 * Copies a record keyed by UID or index. Without a prototype V8 treats it as a dictionary from the start; otherwise it
 * builds a hidden class for every added key, which makes each copy slow.
 */
function copyOf<T>(record: Record<string, T>): Record<string, T> {
  const copy = Object.create(null) as Record<string, T>;
  for (const key of Object.keys(record)) copy[key] = record[key] as T;
  return copy;
}

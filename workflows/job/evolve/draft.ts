import { completedIndexesOf, failedIndexesOf, type Indexes } from '../../batch/completion-indexes.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { JobState, PodState } from '../state.ts';

/**
 * A copy of a state that one fold changes in place, with values that the fold derives from it, so that the cost of
 * folding a fact does not depend on the number of pods. Only the functions below change `uncounted`, `written` and
 * `spentOrdinals`.
 */
export interface Draft extends JobState {
  derived: {
    /** UIDs of the pods of each index; null until the fold first asks for them. */
    podsByIndex: Map<number, Set<string>> | null;
    /** The pods in `uncounted`; null until the fold first asks for them. */
    uncounted: Map<string, Counter> | null;
    /** The resourceVersions in `written`, ascending; null until the fold first needs them. */
    ownVersions: OwnVersion[] | null;
    /**
     * The entries of `spentOrdinals` that may still have ordinals lower than the next ordinal; null until the fold
     * first asks for them.
     */
    spent: Set<number> | null;
    /** The finished indexes in the status of `job`, parsed. */
    finished: { job: JobFacts; indexes: FinishedIndexes } | null;
  };
}

type Counter = keyof JobState['uncounted'];

interface OwnVersion {
  uid: string;
  version: string;
}

interface FinishedIndexes {
  completed: Indexes;
  failed: Indexes;
}

/** Copies the parts that folding changes in place; pods and Job facts are replaced as a whole. */
export function toDraft(state: JobState): Draft {
  return {
    ...state,
    versions: { ...state.versions },
    pods: copyRecord(state.pods),
    uncounted: { succeeded: [...state.uncounted.succeeded], failed: [...state.uncounted.failed] },
    written: copyRecord(state.written),
    backoff: { ...state.backoff, failures: [...state.backoff.failures] },
    delayed: copyRecord(state.delayed),
    keptPods: copyRecord(state.keptPods),
    indexOrdinals: { ...state.indexOrdinals, next: copyRecord(state.indexOrdinals.next) },
    requests: [...state.requests],
    requested: [...state.requested],
    folded: [...state.folded],
    derived: { podsByIndex: null, uncounted: null, ownVersions: null, spent: null, finished: null },
  };
}

/** The state without the derived values of the draft. */
export function toState({ derived, ...state }: Draft): JobState {
  const spentOrdinals = [...(derived.spent ?? state.spentOrdinals)];
  return { ...state, spentOrdinals: spentOrdinals.filter((ordinal) => ordinal >= state.nextOrdinal) };
}

/**
 * Marks an ordinal as used, because an ordinal whose name was observed is not used again. A lower ordinal may belong
 * to a creation whose outcome was lost and whose pod is not observed yet, so this ordinal remains the next one.
 */
export function spendOrdinal(draft: Draft, ordinal: number, index: number | undefined): void {
  if (index !== undefined) return spendIndexOrdinal(draft, index, ordinal);
  if (ordinal < draft.nextOrdinal) return;
  const spent = (draft.derived.spent ??= new Set(draft.spentOrdinals));
  spent.add(ordinal);
  while (spent.delete(draft.nextOrdinal)) draft.nextOrdinal += 1;
}

/**
 * Marks the ordinal of an index as used; each index has its own ordinals, so that a repeated step uses the same
 * names, whatever happens to other indexes.
 */
export function spendIndexOrdinal(draft: Draft, index: number, ordinal: number): void {
  const { next, first } = draft.indexOrdinals;
  next[index] = Math.max(next[index] ?? first, ordinal + 1);
  draft.nextOrdinal = Math.max(draft.nextOrdinal, ordinal + 1);
}

/**
 * Puts a pod into the draft; the caller must use this function for a pod that is new in the draft, or may have
 * another index than before.
 */
export function putPod({ pods, derived: { podsByIndex } }: Draft, uid: string, pod: PodState): void {
  pods[uid] = pod;
  if (podsByIndex !== null) notePod(podsByIndex, uid, pod.index);
}

/** The UIDs of the pods of an index, found without a search through all pods. */
export function podsOfIndex({ pods, derived }: Draft, index: number): string[] {
  derived.podsByIndex ??= podsByIndexIn(pods);
  const uids = derived.podsByIndex.get(index) ?? [];
  return [...uids].filter((uid) => pods[uid]?.index === index);
}

/** The counter whose count a pod awaits; undefined without such a counter. */
export function awaitedCounter({ uncounted, derived }: Draft, uid: string): Counter | undefined {
  derived.uncounted ??= new Map([
    ...uncounted.succeeded.map((each) => [each, 'succeeded'] as const),
    ...uncounted.failed.map((each) => [each, 'failed'] as const),
  ]);
  return derived.uncounted.get(uid);
}

/** Adds a pod to the pods that await their count in a counter. */
export function addUncounted({ uncounted, derived }: Draft, counter: Counter, uid: string): void {
  uncounted[counter].push(uid);
  derived.uncounted?.set(uid, counter);
}

/** Removes pods from the pods that await their count. */
export function removeUncounted(draft: Draft, uids: readonly string[]): void {
  const removed = new Set(uids.filter((uid) => awaitedCounter(draft, uid) !== undefined));
  if (removed.size === 0) return;
  /** True for a pod that still awaits its count. */
  const isLeft = (uid: string): boolean => !removed.has(uid);
  draft.uncounted.succeeded = draft.uncounted.succeeded.filter(isLeft);
  draft.uncounted.failed = draft.uncounted.failed.filter(isLeft);
  for (const uid of removed) draft.derived.uncounted?.delete(uid);
}

/**
 * Records the resourceVersion of a change of a pod by Jobledger, or that the pod does not exist (`written` of the
 * state).
 */
export function noteWritten({ written, derived }: Draft, uid: string, version: string): void {
  written[uid] = version;
  if (!isVersion(version) || derived.ownVersions === null) return;
  const last = derived.ownVersions.at(-1);
  if (last === undefined || compareVersions(last.version, version) <= 0)
    derived.ownVersions.push({ uid, version });
  else derived.ownVersions = null;
}

/** Forgets the changes by Jobledger up to a version, except the change of a given pod. */
export function forgetWritten({ written, derived }: Draft, upTo: string, except: string): void {
  derived.ownVersions ??= ownVersionsIn(written);
  const end = derived.ownVersions.findIndex(({ version }) => compareVersions(version, upTo) > 0);
  const passed = derived.ownVersions.splice(0, end === -1 ? derived.ownVersions.length : end);
  for (const own of passed) {
    if (written[own.uid] !== own.version) continue;
    if (own.uid === except) derived.ownVersions.unshift(own);
    else delete written[own.uid];
  }
}

/** The changes of pods by Jobledger, in the order of their versions. */
function ownVersionsIn(written: JobState['written']): OwnVersion[] {
  return Object.entries(written)
    .filter(([, version]) => isVersion(version))
    .map(([uid, version]) => ({ uid, version }))
    .sort((a, b) => compareVersions(a.version, b.version));
}

/** True for a version, which begins with a digit; a mark begins with a letter. */
export function isVersion(written: string): boolean {
  return written < 'a';
}

/** The indexes that the status of the Job lists as completed and as failed. */
export function finishedIndexes({ derived }: Draft, job: JobFacts): FinishedIndexes {
  if (derived.finished?.job !== job)
    derived.finished = { job, indexes: { completed: completedIndexesOf(job), failed: failedIndexesOf(job) } };
  return derived.finished.indexes;
}

/** The UIDs of the pods of each index. */
function podsByIndexIn(pods: JobState['pods']): Map<number, Set<string>> {
  const podsByIndex = new Map<number, Set<string>>();
  for (const [uid, { index }] of Object.entries(pods)) notePod(podsByIndex, uid, index);
  return podsByIndex;
}

/** Adds a pod to the pods of its index. */
function notePod(podsByIndex: Map<number, Set<string>>, uid: string, index: number | undefined): void {
  if (index === undefined) return;
  const uids = podsByIndex.get(index);
  if (uids === undefined) podsByIndex.set(index, new Set([uid]));
  else uids.add(uid);
}

/**
 * Copies a record keyed by UID or index. V8 treats an object without a prototype as a dictionary from the start; for
 * other objects V8 builds a hidden class for every added key, which makes each copy slow.
 */
function copyRecord<T>(record: Record<string, T>): Record<string, T> {
  const copy = Object.create(null) as Record<string, T>;
  for (const key of Object.keys(record)) copy[key] = record[key] as T;
  return copy;
}

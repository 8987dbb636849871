import type { JobState } from '../state.ts';

type ByIndex = Map<number, Set<string>>;

/** Built at the first use in a fold, and discarded with the fold's pods. */
const known = new WeakMap<JobState['pods'], ByIndex>();

/** UIDs of the pods of an index, without a search through all pods. */
export function podsOfIndex({ pods }: JobState, index: number): string[] {
  const uids = (known.get(pods) ?? build(pods)).get(index);
  return uids === undefined ? [] : [...uids].filter((uid) => pods[uid]?.index === index);
}

/** Must be called for each pod that is put into the state during a fold. */
export function noteIndex({ pods }: JobState, uid: string): void {
  const uids = known.get(pods);
  if (uids !== undefined) note(uids, uid, pods[uid]?.index);
}

function build(pods: JobState['pods']): ByIndex {
  const uids: ByIndex = new Map();
  for (const [uid, { index }] of Object.entries(pods)) note(uids, uid, index);
  known.set(pods, uids);
  return uids;
}

function note(uids: ByIndex, uid: string, index: number | undefined): void {
  if (index === undefined) return;
  const those = uids.get(index);
  if (those === undefined) uids.set(index, new Set([uid]));
  else those.add(uid);
}

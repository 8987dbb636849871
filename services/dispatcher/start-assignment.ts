import { beginAssignment, endAssignment, type Assignments, type LivePartition } from './assignment.ts';
import type { ReadLiveJobs } from './read-live-jobs.ts';
import { batched } from './batched.ts';

export interface StartAssignmentDependencies {
  assignments: Assignments;
  /** The committed offsets of the group, by partition. */
  committed: () => Promise<ReadonlyMap<number, bigint>>;
  readLiveJobs: ReadLiveJobs;
  /** Called when a partition was gained. */
  onTaken: () => void;
}

/** Starts an assignment for a partition that the group assigned to this dispatcher; returns the offset to read next. */
export type StartAssignment = (partition: number, isStale: () => boolean) => Promise<bigint | null>;

/**
 * A partition that this dispatcher already had continues as before, unless another member has committed in between: a
 * member that was disconnected misses intermediate rebalances. Any other partition is read from the live topic and
 * starts at the group's committed offset. Partitions assigned together are handled in one pass.
 */
export function createStartAssignment({
  assignments,
  committed,
  readLiveJobs,
  onTaken,
}: StartAssignmentDependencies): StartAssignment {
  const find = batched(async (partitions: ReadonlySet<number>) => {
    const offsets = await committed();
    const offsetOf = (partition: number): bigint => offsets.get(partition) ?? 0n;
    const gained = [...partitions].filter(
      (partition) => assignments.get(partition)?.position.committed() !== offsetOf(partition),
    );
    const live = gained.length === 0 ? new Map<number, LivePartition>() : await readLiveJobs(new Set(gained));
    return new Map([...partitions].map((each) => [each, { offset: offsetOf(each), live: live.get(each) }]));
  });
  return async (partition, isStale) => {
    const { offset = 0n, live } = (await find(partition)) ?? {};
    if (isStale()) return null;
    const kept = assignments.get(partition);
    if (live === undefined) {
      if (kept === undefined) throw new Error('the partition was lost during the lookup');
      return kept.position.next();
    }
    endAssignment(assignments, partition);
    assignments.set(partition, beginAssignment(partition, offset, live));
    onTaken();
    return offset;
  };
}

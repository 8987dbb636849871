import { beginAssignment, endAssignment, type Assignments, type LivePartition } from './assignment.ts';
import type { ReadLiveJobs } from './read-live-jobs.ts';
import { batchCalls } from '../../adapters/waiting/batched.ts';

export interface StartAssignmentDependencies {
  assignments: Assignments;
  /**
   * The committed offsets of the group, by partition; empty if the group never committed, or Kafka has dropped the
   * offset.
   */
  committed: () => Promise<ReadonlyMap<number, bigint>>;
  /** The live topic is complete for the ledger's records before these offsets. */
  writtenUpTo: () => Promise<ReadonlyMap<number, bigint>>;
  readLiveJobs: ReadLiveJobs;
  /** Called when this dispatcher has gained a partition. */
  onTaken: () => void;
}

/** Starts an assignment for a partition that the group assigned to this dispatcher; returns the offset to read next. */
export type StartAssignment = (partition: number, isStale: () => boolean) => Promise<bigint | null>;

/**
 * A partition that this dispatcher already had continues at its position, unless another member has committed in
 * between: a member that was disconnected misses intermediate rebalances. Any other partition is read from the live
 * topic and starts at the group's committed offset. Without a committed offset, the partition starts where the live
 * topic ends, and its runs recall earlier facts (docs/decisions/0078). Partitions assigned together are handled in one
 * pass.
 */
export function createStartAssignment({
  assignments,
  committed,
  writtenUpTo,
  readLiveJobs,
  onTaken,
}: StartAssignmentDependencies): StartAssignment {
  const find = batchCalls(async (partitions: ReadonlySet<number>) => {
    const offsets = await committed();
    const gained = [...partitions].filter(
      (partition) => assignments.get(partition)?.position.committed() !== (offsets.get(partition) ?? null),
    );
    // The offsets are looked up before the live topic is read.
    const starts = gained.every((each) => offsets.has(each)) ? offsets : await writtenUpTo();
    const live = gained.length === 0 ? new Map<number, LivePartition>() : await readLiveJobs(new Set(gained));
    const foundFor = (partition: number): Found => ({
      offset: offsets.get(partition) ?? starts.get(partition) ?? 0n,
      hasOffset: offsets.has(partition),
      live: live.get(partition),
    });
    return new Map([...partitions].map((each) => [each, foundFor(each)]));
  });
  return async (partition, isStale) => {
    const { offset = 0n, hasOffset, live } = (await find(partition)) ?? {};
    if (isStale()) return null;
    const kept = assignments.get(partition);
    if (live === undefined) {
      if (kept === undefined) throw new Error('the partition was lost during the lookup');
      return kept.position.next();
    }
    endAssignment(assignments, partition);
    assignments.set(partition, beginAssignment(partition, offset, live, hasOffset));
    onTaken();
    return offset;
  };
}

/** The results of the lookups about a partition. `live` is absent when the assignment continues. */
interface Found {
  offset: bigint;
  hasOffset: boolean;
  live: LivePartition | undefined;
}

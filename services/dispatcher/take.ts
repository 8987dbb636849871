import { beginAssignment, endAssignment, type Assignments, type Learnt } from './assignment.ts';
import type { Learn } from './learn.ts';
import { together } from './together.ts';

export interface TakeDependencies {
  assignments: Assignments;
  /** What the group has committed, by partition. */
  committed: () => Promise<ReadonlyMap<number, bigint>>;
  learn: Learn;
  /** A partition has been learnt that this dispatcher did not have before. */
  onTaken: () => void;
}

/** Takes a partition that the group has assigned to this dispatcher; returns where to read on. */
export type Take = (partition: number, isStale: () => boolean) => Promise<bigint | null>;

/**
 * A partition that this dispatcher had already goes on as it is, unless somebody else has committed in between: a member
 * that was away while the group was assigned more than once is not told of it. Any other is learnt, and begins where the
 * group had come to. Partitions that are assigned together are learnt together.
 */
export function createTake({ assignments, committed, learn, onTaken }: TakeDependencies): Take {
  const find = together(async (partitions: ReadonlySet<number>) => {
    const offsets = await committed();
    const offsetOf = (partition: number): bigint => offsets.get(partition) ?? 0n;
    const gained = [...partitions].filter(
      (partition) => assignments.get(partition)?.position.committed() !== offsetOf(partition),
    );
    const learnt = gained.length === 0 ? new Map<number, Learnt>() : await learn(new Set(gained));
    return new Map(
      [...partitions].map((each) => [each, { offset: offsetOf(each), learnt: learnt.get(each) }]),
    );
  });
  return async (partition, isStale) => {
    const { offset = 0n, learnt } = (await find(partition)) ?? {};
    if (isStale()) return null;
    const kept = assignments.get(partition);
    if (learnt === undefined) {
      if (kept === undefined) throw new Error('the partition was lost while it was looked for');
      return kept.position.next();
    }
    endAssignment(assignments, partition);
    assignments.set(partition, beginAssignment(partition, offset, learnt));
    onTaken();
    return offset;
  };
}

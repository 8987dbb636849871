import type { MemberFacts } from '../../placement/facts.ts';

type MemberInEpoch = Pick<MemberFacts, 'cluster' | 'uid' | 'epoch'>;

/**
 * The members that were seen in a later epoch of their cluster since the last decision: the cluster was restored from an
 * older copy. A list of such a cluster does not prove that no pod of the member runs, because the copy may lack pods
 * that still run. The next decision is about the new epoch, so lists count again.
 */
export interface RestoredMembers {
  /** Records that a member was seen in an epoch of its cluster. */
  note(member: MemberInEpoch): void;
  /** Forgets the members, because a decision was made. */
  decided(): void;
  has(member: Pick<MemberInEpoch, 'cluster' | 'uid'>): boolean;
}

/** Creates the memory of members whose cluster was restored since the last decision. */
export function createRestoredMembers(): RestoredMembers {
  const epochs = new Map<string, number>();
  const restored = new Set<string>();
  return {
    note({ epoch = 0, ...member }) {
      const key = memberKey(member);
      const before = epochs.get(key) ?? epoch;
      if (epoch > before) restored.add(key);
      epochs.set(key, Math.max(epoch, before));
    },
    decided: () => restored.clear(),
    has: (member) => restored.has(memberKey(member)),
  };
}

function memberKey({ cluster, uid }: Pick<MemberInEpoch, 'cluster' | 'uid'>): string {
  return `${cluster}/${uid}`;
}

import type { MemberFacts } from '../../placement/facts.ts';

type Version = Pick<MemberFacts, 'cluster' | 'uid' | 'epoch'>;

/**
 * Members whose cluster was restored since the last decision; the answers of such a cluster prove nothing until the
 * next decision (J-16.19).
 */
export interface RestoredMembers {
  /** Records that a member was seen in the epoch of its version. */
  note(shown: Version): void;
  decided(): void;
  has(member: Pick<Version, 'cluster' | 'uid'>): boolean;
}

/** Creates the memory of members whose cluster was restored since the last decision. */
export function createRestoredMembers(): RestoredMembers {
  const epochs = new Map<string, number>();
  const restored = new Set<string>();
  return {
    note({ epoch = 0, ...member }) {
      const key = versionKey(member);
      const before = epochs.get(key) ?? epoch;
      if (epoch > before) restored.add(key);
      epochs.set(key, Math.max(epoch, before));
    },
    decided: () => restored.clear(),
    has: (member) => restored.has(versionKey(member)),
  };
}

function versionKey({ cluster, uid }: Pick<Version, 'cluster' | 'uid'>): string {
  return `${cluster}/${uid}`;
}

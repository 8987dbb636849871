import type { ListedPlacement } from '../api/rows.ts';

const STOPPING: Readonly<Record<string, string>> = {
  drain: 'the cluster is drained',
  spill: 'its pods found no node',
  lost: 'the cluster is lost',
  returned: 'another cluster has the Job',
};

/** How a cluster lost the Job, with the basis; while it has it, why it is stopped, if it is. */
export function placementEnd({
  ended_at: endedAt,
  stopping,
  basis,
  refused,
  end_words: words,
  overlapped,
}: ListedPlacement): string {
  if (endedAt === null)
    return stopping === null ? '' : `it is being stopped: ${STOPPING[stopping] ?? stopping}`;
  const parts = [basis, refused ?? words].filter((part) => part !== null);
  return `${parts.join(': ')}${overlapped ? '; what it did since overlaps with another cluster' : ''}`;
}

import { isoTime } from '../../ledger/instants.ts';
import type { GrantsOfJob, RecordedGrant } from './recorded-grants.ts';
import { countSharedIndexes } from './rights.ts';
import type { PlacementFinding } from './types.ts';

/** Finds grants that were given while another cluster had the Job, by the order of the decisions in its stream. */
export function findGrantsAtOnce({ job, grants }: GrantsOfJob): PlacementFinding[] {
  const inOrder = grants.toSorted((a, b) => a.given - b.given || a.number - b.number);
  return inOrder.flatMap((grant, at) =>
    inOrder.slice(0, at).flatMap((earlier) => {
      const shared = countSharedIndexes(earlier, grant);
      return shared === null ? [] : [sharedGrantFinding(job, earlier, grant, shared)];
    }),
  );
}

/** The finding that two clusters had the Job, or some of its indexes, at the same time. */
function sharedGrantFinding(
  job: string,
  earlier: RecordedGrant,
  later: RecordedGrant,
  shared: number,
): PlacementFinding {
  const ends = [earlier, later].flatMap(({ end }) => end?.at ?? []);
  return {
    type: 'two-grants',
    job,
    index: null,
    clusters: [earlier.cluster, later.cluster],
    from: isoTime(later.since),
    until: ends.length === 0 ? null : isoTime(Math.min(...ends)),
    pods: [],
    message:
      shared === 0
        ? `the decision ${later.decision} gave the Job to ${later.cluster} while ${earlier.cluster} had it`
        : `${shared} indexes were given to ${later.cluster}, first by the decision ${later.decision}, while ${earlier.cluster} had them`,
  };
}

import type { PlacedView } from '../../../services/read-model/views/clusters.ts';
import type { ClusterVerb } from '../../../services/requests/cluster-verbs.ts';
import { pause } from '../../../services/adapters/waiting/pause.ts';
import { report, write } from '../../output.ts';
import { table } from '../../print/table.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';

export interface OverrideOptions extends ConnectionOptions {
  readonly by?: string;
  readonly force?: boolean;
  readonly wait?: boolean;
}

const POLL_MS = 1000;
/** A signal that is never aborted: only the user ends the wait. */
const NEVER = new AbortController().signal;

/**
 * Prints the recorded override, and the remaining placed Jobs of a drained cluster; with `--wait`, prints the remaining Jobs at each change, until no
 * placed Job is left.
 */
export async function printOverride(
  { verb, cluster, by, isChanged }: { verb: ClusterVerb; cluster: string; by: string; isChanged: boolean },
  { wait }: OverrideOptions,
  placed: () => Promise<readonly PlacedView[]>,
): Promise<void> {
  if (!isChanged) {
    const state = verb === 'found' ? 'declared lost' : 'cordoned';
    return write(`${cluster} is not ${state}, so nothing was changed`);
  }
  write(`${cluster}: ${verb} recorded by ${by}`);
  if (verb !== 'drain') return;
  for (let last = ''; ; await pause(POLL_MS, NEVER)) {
    const left = await placed();
    const message = left.length === 0 ? `no placed Job is in ${cluster}` : placedTable(left);
    if (message !== last) write(message);
    last = message;
    if (left.length === 0) return;
    if (wait !== true) {
      report(
        '"jobledger clusters drain --wait" waits until all placed Jobs have left the cluster; other Jobs stay in it',
      );
      return;
    }
  }
}

/** A table of the placed Jobs that are left in a cluster. */
function placedTable(left: readonly PlacedView[]): string {
  return table(
    ['HOME', 'NAMESPACE', 'JOB', 'MEMBER', 'PODS', 'INDEXES', 'STATUS'],
    left.map(
      ({
        home,
        namespace,
        job_name: job,
        member_name: member,
        pod_count: pods,
        index_count: indexes,
        stopping,
      }) => [
        home,
        namespace,
        job,
        member,
        String(pods),
        String(indexes),
        stopping === null ? 'runs' : 'stops',
      ],
    ),
  );
}

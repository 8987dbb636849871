import { errorMessage } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { followWatches, type ClusterWatches } from '../live-topic/watches.ts';

const INTERVAL_MS = 60_000;

/** Stores at intervals up to when the ingesters received the objects of each cluster, so that SQL can tell it from silence. */
export async function keepWatches(
  run: Run,
  { connection, log, signal }: { connection: KafkaConnection; log: Log; signal: AbortSignal },
): Promise<void> {
  const readWatches = followWatches(connection);
  while (!signal.aborted) {
    try {
      await storeWatches(run, await readWatches());
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: errorMessage(error) }, 'the watches of the clusters are not stored; trying again');
    }
    await pause(INTERVAL_MS, signal);
  }
}

export async function storeWatches(run: Run, watches: ReadonlyMap<string, ClusterWatches>): Promise<void> {
  for (const [cluster, { jobsReceivedAt, podsReceivedAt }] of watches)
    await run(
      sql`insert into jobledger.cluster_watches (cluster, jobs_received_at, pods_received_at)
          values (${cluster}, ${jobsReceivedAt}, ${podsReceivedAt})
          on conflict (cluster) do update
          set jobs_received_at = excluded.jobs_received_at, pods_received_at = excluded.pods_received_at`,
    );
}

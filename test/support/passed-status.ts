import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';
import { countersIn, type Counters, type PlayedJob } from './played-job.ts';

/**
 * The status with which a Job had exactly these counters (`PlayedJob.shows`), from the ledger. Without a node, pods are deleted
 * at once, so a test may look too late to see it on the server.
 */
export function passedStatus(
  { sql }: Pick<Installation, 'sql'>,
  { name, created }: PlayedJob,
  counters: Counters,
): Promise<JobStatus> {
  const wanted = countersIn(counters);
  return eventually(`${name} has shown ${wanted}`, 20, async () => {
    const rows = await sql<{ status: JobStatus }>(
      "select data #> '{object,status}' as status from jobledger.events where job_uid = $1 and type = 'job.observed' order by kafka_offset",
      [created.metadata.uid],
    );
    return rows.find(({ status }) => countersIn(status) === wanted)?.status;
  });
}

import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';

/**
 * The first status of a Job with this number of terminating pods. Without a node, pods are deleted at once, so a test may not
 * see it on the server; the ledger has it.
 */
export async function passingStatus(
  installation: Installation,
  jobUid: string,
  terminating: number,
): Promise<JobStatus> {
  const found = await eventually(`a status with ${terminating} terminating pods`, 20, async () => {
    const [first] = await installation.sql<{ status: JobStatus }>(
      "select data #> '{object,status}' as status from jobledger.events where job_uid = $1 and type = 'job.observed' and data #>> '{object,status,terminating}' = $2 order by kafka_offset limit 1",
      [jobUid, `${terminating}`],
    );
    return first;
  });
  return found.status;
}

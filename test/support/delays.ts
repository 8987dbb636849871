import type { Pod } from '../../workflows/kubernetes/objects.ts';
import type { Installation } from './installation.ts';

/** A delay that decisions of a Job waited for, as recorded in the ledger: its end in milliseconds. */
export interface ToldDelay {
  until: number;
  message: string;
}

/** The delays of failed pods (J-5.40, J-5.44), in order. */
export async function recordedDelays({ sql }: Installation, jobUid: string): Promise<ToldDelay[]> {
  const rows = await sql<{ until: string; message: string }>(
    "select distinct on ((data->>'nextDecisionAt')::bigint) data->>'nextDecisionAt' as until, data->'waiting'->>'message' as message from jobledger.events where job_uid = $1 and type = 'job.decided' and data->'waiting'->>'rule' in ('J-5.40', 'J-5.44')",
    [jobUid],
  );
  return rows.map(({ until, message }) => ({ until: Number(until), message }));
}

/** The time when the containers of a pod ended, in milliseconds. */
export function podEnd({ status }: Pod): number {
  return Date.parse(status?.containerStatuses?.[0]?.state?.terminated?.finishedAt ?? '');
}

export function podStart({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp);
}

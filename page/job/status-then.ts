import type { JobThen } from '../api/rows.ts';

/** The status of a Job at an instant, in the terms of Jobledger. */
export function statusAtInstant(then: JobThen): string {
  const { kubectl_status: status, deleted, suspend, active, failed } = then;
  if (status === 'Complete' || status === 'SuccessCriteriaMet') return 'Succeeded';
  if (status === 'Failed' || status === 'FailureTarget') return 'Failed';
  if (deleted) return 'Deleted';
  if (suspend) return 'Suspended';
  if (active > 0) return 'Running';
  return failed > 0 ? 'Retrying' : 'Pending';
}

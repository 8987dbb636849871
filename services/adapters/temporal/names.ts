/** Workflow id of a Job; also its key in the ledger. */
export function workflowId(cluster: string, jobUid: string): string {
  return `${cluster}/${jobUid}`;
}

/**
 * Each cluster has its own task queues, because a worker serves only its configured clusters. So does each build of the
 * workflow code, because a run must be replayed by the code that started it.
 */
export function taskQueue(cluster: string, build: string): string {
  return `jobledger-${cluster}-${build}`;
}

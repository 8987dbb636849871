/** Workflow id of a Job, also its key in the ledger. */
export function workflowId(cluster: string, jobUid: string): string {
  return `${cluster}/${jobUid}`;
}

/**
 * Each cluster has a task queue of its own: a worker serves the clusters that it was given. So has each build of the
 * workflow code: a run is never replayed by code that did not begin it.
 */
export function taskQueue(cluster: string, build: string): string {
  return `jobledger-${cluster}-${build}`;
}

/** Workflow id of a Job, also its key in the ledger. */
export function workflowId(cluster: string, jobUid: string): string {
  return `${cluster}/${jobUid}`;
}

/** Each cluster has a task queue of its own: a worker serves the clusters that it was given. */
export function taskQueue(cluster: string): string {
  return `jobledger-${cluster}`;
}

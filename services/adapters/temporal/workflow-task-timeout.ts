/**
 * The time that the server waits for the result of a workflow task before it gives the task to another worker, in
 * milliseconds. It is half of Temporal's default, because the task of a crashed worker must not block the run for long.
 */
export const WORKFLOW_TASK_TIMEOUT_MS = 5000;

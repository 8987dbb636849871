/**
 * The time that the server waits for the result of a workflow task before it gives the task to another worker, in
 * milliseconds.
 */
export const WORKFLOW_TASK_TIMEOUT_MS = 5000;

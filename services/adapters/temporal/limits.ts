/** The most workflow tasks that a worker handles at once, for each cluster; each is about one Job. */
export const WORKFLOW_TASKS_AT_ONCE = 40;

/** How long the server waits for the result of a workflow task before it gives the task to another worker, in milliseconds. */
export const WORKFLOW_TASK_TIMEOUT_MS = 5000;

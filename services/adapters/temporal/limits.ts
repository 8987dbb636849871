/** The most workflow tasks that a worker handles at once, for each cluster; each is about one Job. */
export const WORKFLOW_TASKS_AT_ONCE = 40;

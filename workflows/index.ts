/** The exports of the workflow bundle: one function for each workflow type. Recorded runs have these names, so an export must keep its name. */
export { jobWorkflow } from './job-workflow.ts';
export { cronJobWorkflow } from './cron-job-workflow.ts';
export { placedJobWorkflow } from './placed-job-workflow.ts';

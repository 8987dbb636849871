import { createRequire } from 'node:module';
import threads from 'node:worker_threads';

/** The program of the SDK's workflow thread. */
const WORKFLOW_THREAD = createRequire(import.meta.url).resolve(
  '@temporalio/worker/lib/workflow/workflow-worker-thread.js',
);

/**
 * A new thread evaluates this code before its program; afterwards no code in the thread can watch promises.
 */
const WITHOUT_PROMISE_HOOKS = `import v8 from 'node:v8';
v8.promiseHooks.createHook = () => () => undefined;`;

const PRELOADING = ['--import', `data:text/javascript,${encodeURIComponent(WITHOUT_PROMISE_HOOKS)}`];

const { Worker } = threads;

/**
 * In workflow threads that are started from now on, the SDK makes no stack trace for each promise. The SDK makes these
 * traces for its query `__stack_trace` and has no setting to disable them. Without them, the query returns an empty
 * trace.
 */
export function withoutPromiseStacks(): void {
  class WorkerWithout extends Worker {
    constructor(file: string | URL, options: threads.WorkerOptions = {}) {
      super(file, file === WORKFLOW_THREAD ? { ...options, execArgv: PRELOADING } : options);
    }
  }
  Object.assign(threads, { Worker: WorkerWithout });
}

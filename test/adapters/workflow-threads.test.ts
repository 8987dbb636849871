import { createRequire } from 'node:module';
import threads from 'node:worker_threads';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { withoutPromiseStacks } from '../../services/adapters/temporal/workflow-threads.ts';

const THREAD = createRequire(import.meta.url).resolve(
  '@temporalio/worker/lib/workflow/workflow-worker-thread.js',
);

/** Stands for a bundle: creates a promise as a run would, and fails when the SDK keeps a stack trace of it. */
const BUNDLE = `
globalThis.__webpack_module_cache__;
globalThis.__TEMPORAL__ = { api: { destroy() {} } };
const promiseStackStore = { promiseToStack: new Map(), childToParent: new Map() };
globalThis.__TEMPORAL_ACTIVATOR__ = { info: { runId: 'run' }, promiseStackStore };
new Promise(() => undefined);
delete globalThis.__TEMPORAL_ACTIVATOR__;
if (promiseStackStore.promiseToStack.size > 0) throw new Error('this promise was watched');
`;

/** The answer of the SDK's own thread, once it has evaluated the bundle. */
async function evaluated(): Promise<unknown> {
  const thread = new threads.Worker(THREAD);
  try {
    thread.postMessage(
      {
        requestId: 1n,
        input: {
          type: 'init',
          workflowBundle: {
            code: BUNDLE,
            filename: 'bundle.js',
            sourceMap: { version: 3, sources: [], names: [], mappings: '' },
          },
          isolateExecutionTimeoutMs: 5000,
          reuseV8Context: true,
          registeredActivityNames: new Set(),
          hasPatchActivationCallback: false,
        },
      },
      [],
    );
    const [{ result }] = (await once(thread, 'message')) as [{ result: unknown }];
    return result;
  } finally {
    await thread.terminate();
  }
}

describe('the threads in which the Temporal SDK runs workflows', () => {
  it('keep a record of every JavaScript promise with the published version of the SDK', async () => {
    expect(await evaluated()).toMatchObject({ type: 'error', message: 'this promise was watched' });
  });

  it('keep no record of JavaScript promises with the patch that Jobledger applies to the SDK', async () => {
    withoutPromiseStacks();
    expect(await evaluated()).toEqual({ type: 'ok' });
  });
});

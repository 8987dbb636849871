import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { BaseVMWorkflow } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { dataConverter } from '../../services/adapters/temporal/connection.ts';

type HistoryEvent = NonNullable<
  NonNullable<
    Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>['history']
  >['events']
>[number];

/**
 * CPU seconds of each activation of a workflow in all its runs, longest first. The recorded histories are replayed in this
 * thread, one activation at a time. Other threads are not counted: what they take depends on the machine's other load.
 */
export async function activationTimes(client: Client, workflowId: string): Promise<number[]> {
  const { file: codePath } = await workflowBundle(PACKAGE_DIR);
  const times: number[] = [];
  const stop = meter((seconds) => times.push(seconds));
  try {
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      const events = await readHistory(client, workflowId, runId);
      await Worker.runReplayHistory({ workflowBundle: { codePath }, dataConverter }, { events }, workflowId);
    }
  } finally {
    stop();
  }
  return times.toSorted((a, b) => b - a);
}

/** Measures every activation in this process until the returned function is called. */
function meter(measured: (seconds: number) => void): () => void {
  const { prototype } = BaseVMWorkflow;
  const { activate } = prototype;
  prototype.activate = async function metered(activation) {
    const before = process.threadCpuUsage();
    try {
      return await activate.call(this, activation);
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      measured((user + system) / 1e6);
    }
  };
  return () => {
    prototype.activate = activate;
  };
}

/** Events of a page: few, because a client takes at most 4 MiB at once. */
const PAGE = 20;

async function readHistory(client: Client, workflowId: string, runId: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: PAGE,
      ...(nextPageToken && { nextPageToken }),
    });
    events.push(...(page.history?.events ?? []));
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
  return events;
}

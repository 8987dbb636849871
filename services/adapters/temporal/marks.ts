import type { Client } from '@temporalio/client';
import { resultUnlessEnded } from './job-workflows.ts';

/** A mark: a growing number, and its previous value. */
interface MarkAfter {
  mark: number;
  from?: number;
}

/** A mark is a workflow that does nothing: no worker polls its task queue, and its memo holds the value. */
const TYPE = 'jobledgerMark';
const TASK_QUEUE = 'jobledger-marks';

/**
 * Marks in Temporal, by partition of a ledger. The names contain the ledger's name, because installations may share a
 * namespace.
 */
export function createTemporalMarks(
  client: Client,
  ledger: string,
): {
  read: (partition: number) => Promise<MarkAfter | null>;
  write: (partition: number, mark: MarkAfter) => Promise<void>;
} {
  const markName = (partition: number): string => `jobledger-mark/${ledger}/${partition}`;
  return {
    async read(partition) {
      const found = await resultUnlessEnded(client.workflow.getHandle(markName(partition)).describe());
      const { mark, from } = (found?.status.name === 'RUNNING' ? found.memo : undefined) ?? {};
      if (typeof mark !== 'number') return null;
      return { mark, ...(typeof from === 'number' && { from }) };
    },
    async write(partition, { mark, from }) {
      await client.workflow.start(TYPE, {
        workflowId: markName(partition),
        taskQueue: TASK_QUEUE,
        workflowIdConflictPolicy: 'TERMINATE_EXISTING',
        staticSummary: 'this workflow is not a Job: it shows when Temporal was restored from an old copy',
        memo: { mark, ...(from !== undefined && { from }) },
      });
    },
  };
}

import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import type { Installation } from '../support/installation.ts';

const LAST_EVENTS = 30;

/** What Temporal knows of the last run of a Job, for a person: its status, what is pending, and the end of its history. */
export async function readRunId(installation: Installation, uid: string): Promise<string> {
  const temporal = await installation.temporal();
  try {
    const handle = temporal.workflow.getHandle(workflowId('local', uid, 'Job'));
    const { status, runId, raw } = await handle.describe();
    const pending = { activities: raw.pendingActivities, task: raw.pendingWorkflowTask };
    const { events = [] } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events?: unknown[] };
    const last = events.slice(-LAST_EVENTS).map((event) => JSON.stringify(event).slice(0, 400));
    return [`run ${runId}: ${status.name}`, JSON.stringify(pending).slice(0, 3000), ...last].join('\n');
  } finally {
    await temporal.connection.close();
  }
}

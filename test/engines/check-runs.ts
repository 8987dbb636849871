import type { Finding } from '../kills/checks.ts';
import type { Outage } from '../kills/outages.ts';
import type { Installation } from '../support/installation.ts';

export interface ReplacedRun {
  id: string;
  runId: string;
  /** In milliseconds. */
  at: number;
}

/** After it, the dispatcher compares its marks with Temporal's again, at the latest. */
const NOTICED_WITHIN_MS = 180_000;

/** Runs that were ended from outside or failed, which another run continues from the ledger. */
export async function replacedRuns(installation: Installation): Promise<ReplacedRun[]> {
  const temporal = await installation.temporal();
  try {
    const query =
      "WorkflowType = 'jobWorkflow' AND ExecutionStatus IN ('Terminated', 'Failed', 'TimedOut', 'Canceled')";
    const found: ReplacedRun[] = [];
    for await (const { workflowId: id, runId, closeTime } of temporal.workflow.list({ query }))
      found.push({ id, runId, at: closeTime?.getTime() ?? Number.NaN });
    return found;
  } finally {
    await temporal.connection.close();
  }
}

/** A run is replaced with a cause when Temporal has lost something: `losses`. */
export function withoutCause(runs: readonly ReplacedRun[], losses: readonly Outage[]): Finding[] {
  return runs
    .filter(({ at }) => !losses.some(({ from, to }) => from <= at && at <= to + NOTICED_WITHIN_MS))
    .map(({ id, runId, at }) => ({
      guarantee: 'runs',
      text: `the run ${runId} of ${id} was replaced at ${new Date(at).toISOString()} without a cause`,
    }));
}

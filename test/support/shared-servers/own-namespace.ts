import { Connection } from '@temporalio/client';
import type { Addresses } from '../../../infra/local/state/addresses.ts';
import { TEMPORAL_NAMESPACE } from '../../../infra/local/servers/temporal.ts';
import { retryUntilResolved } from '../../../infra/local/processes/until.ts';
import { uniqueName, type OwnPart } from './own-part.ts';

/** The time that a new namespace may take to answer. */
const READY_WITHIN_MS = 60_000;

/** A namespace of its own in Temporal. The namespace stays when the file ends: without workers nothing happens in it. */
export async function ownNamespace(shared: Addresses): Promise<OwnPart> {
  const namespace = uniqueName();
  const connection = await Connection.connect({ address: shared.temporalAddress ?? '' });
  const { workflowService } = connection;
  try {
    const { config } = await workflowService.describeNamespace({ namespace: TEMPORAL_NAMESPACE });
    const retention = config?.workflowExecutionRetentionTtl ?? null;
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention });
    const list = (): Promise<unknown> => workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
    await retryUntilResolved(list, AbortSignal.timeout(READY_WITHIN_MS));
  } finally {
    await connection.close();
  }
  return {
    addresses: { ...shared, temporalNamespace: namespace },
    release: () => Promise.resolve(),
  };
}

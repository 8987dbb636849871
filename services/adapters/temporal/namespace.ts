import type { Client } from '@temporalio/client';
import type { TemporalConfig } from '../config.ts';
import { InputError, errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { retry } from '../waiting/retry.ts';
import { isAboutNamespace, missingNamespace } from './problems.ts';

/** Temporal must keep the history of a failed run long enough for an examination. */
const LEAST_RETENTION_HOURS = 24;

/** The number of attempts for each log line while the namespace is missing: about five minutes. */
const REMIND_EVERY = 150;

type WorkflowService = Pick<Client['workflowService'], 'describeNamespace'>;

/** Waits until the namespace exists, and warns when Temporal deletes its histories early. */
export async function waitForNamespace(
  service: WorkflowService,
  config: TemporalConfig,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = config;
  const found = await retry(() => service.describeNamespace({ namespace }), {
    signal,
    shouldRetry: (error) => !(error instanceof InputError),
    onFailedAttempt: (error, failures) => {
      const text = errorMessage(error);
      const message = isAboutNamespace(text)
        ? `${missingNamespace(config)}; waiting for it`
        : `Temporal at ${address} does not answer; waiting for it`;
      log[failures % REMIND_EVERY === 1 ? 'error' : 'debug']({ error: text }, message);
    },
  });
  const hours = Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600;
  if (hours < LEAST_RETENTION_HOURS)
    log.warn(
      { namespace, retentionHours: hours },
      `Temporal deletes the history of a run ${hours} h after its end, before you can examine a failed run; run temporal operator namespace update --address ${address} --namespace ${namespace} --retention 72h`,
    );
}

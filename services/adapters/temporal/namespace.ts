import type { Client } from '@temporalio/client';
import type { TemporalConfig } from '../config.ts';
import { InputError, errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { retry } from '../waiting/retry.ts';
import { isAboutNamespace, missingNamespace } from './problems.ts';

/** The history of a run that failed must stay long enough to be looked at. */
const LEAST_RETENTION_HOURS = 24;

/** While the namespace is missing, one of this many attempts is logged, about every five minutes. */
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
      `Temporal deletes the history of a run ${hours} h after its end, before anyone can look at one that failed; run temporal operator namespace update --address ${address} --namespace ${namespace} --retention 72h`,
    );
}

import type { JobRef } from '../../../workflows/activities.ts';
import { kindOf, streamId } from '../../../workflows/kinds.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import { emitEvents } from './emit-events.ts';

export interface FaultDependencies {
  client: KubernetesClient;
  log: Log;
  now: () => number;
  /** Counts faulty runs. */
  onFault: () => void;
}

/** Shows that a run cannot decide: in the log, in a metric, and in an Event about its object. */
export async function reportFault(
  { client, log, now, onFault }: FaultDependencies,
  { job, fault }: { job: JobRef; fault: string },
  signal: AbortSignal,
): Promise<void> {
  onFault();
  log.error(
    { job: streamId(job), error: fault },
    'nothing more is decided about this object: report this as a bug of Jobledger, with its records; a fixed version continues',
  );
  const kind = kindOf(job).name === 'CronJob' ? 'CronJob' : 'Job';
  const of = { client, job, signal, log, now, kind, resourceVersion: '' } as const;
  const eventKey = { decision: `${streamId(job)}/fault`, now: now(), command: 0 };
  await emitEvents({ ...of, component: 'jobledger', eventKey }, [
    {
      type: 'Warning',
      reason: 'NotDecided',
      message: `Jobledger cannot decide about it because of a bug: ${fault}`,
    },
  ]);
}

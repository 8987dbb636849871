import type { JobRef } from '../../../workflows/activities.ts';
import { kindOf, streamId } from '../../../workflows/kinds.ts';
import { messageOf } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import { emitEvents } from './emit-events.ts';

export interface FaultDependencies {
  client: KubernetesClient;
  log: Log;
  now: () => number;
  /** Counts faulty runs, and those that are slowed down. */
  onFault: (goesOn: boolean) => void;
  /** Writes a dead letter about a run that cannot decide. */
  keepFault: (report: { job: JobRef; fault: string }) => Promise<void>;
}

/** Shows that a run cannot decide, or is slowed down: in the log, in a metric, in a dead letter unless it goes on, and in an Event about its object. */
export async function reportFault(
  { client, log, now, onFault, keepFault }: FaultDependencies,
  { job, fault, goesOn = false }: { job: JobRef; fault: string; goesOn?: boolean },
  signal: AbortSignal,
): Promise<void> {
  onFault(goesOn);
  log.error(
    { job: streamId(job), error: fault },
    goesOn
      ? 'decisions about this object are made at growing intervals: something undoes each change, or report this as a bug of Jobledger, with its records'
      : 'nothing more is decided about this object: report this as a bug of Jobledger, with its records; a fixed version continues',
  );
  // The run waits for this activity: a missing right in Kafka must not keep it from another build.
  if (!goesOn)
    await keepFault({ job, fault }).catch((error: unknown) =>
      log.error({ job: streamId(job), error: messageOf(error) }, 'the dead letter about it was not written'),
    );
  const kind = kindOf(job).name === 'CronJob' ? 'CronJob' : 'Job';
  const of = { client, job, signal, log, now, kind, resourceVersion: '' } as const;
  const eventKey = { decision: `${streamId(job)}/${goesOn ? 'loop' : 'fault'}`, now: now(), command: 0 };
  await emitEvents({ ...of, component: 'jobledger', eventKey }, [
    {
      type: 'Warning',
      reason: goesOn ? 'DecidesInALoop' : 'NotDecided',
      message: goesOn
        ? `Jobledger waits longer and longer between decisions: ${fault}`
        : `Jobledger cannot decide about it because of a bug: ${fault}`,
    },
  ]);
}

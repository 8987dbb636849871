import type { ObjectRef } from '../../../workflows/activities.ts';
import { getKind, streamId } from '../../../workflows/kinds.ts';
import { errorMessage } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import { emitEvents } from '../command/emit-events.ts';
import { dropOldest } from '../../adapters/drop-oldest.ts';

/** A run that cannot decide, or that is slowed down and continues, with the namespace of its object. */
export interface CountedFault {
  cluster: string;
  namespace: string;
  goesOn: boolean;
}

export interface FaultDependencies {
  client: KubernetesClient;
  log: Log;
  now: () => number;
  /** Counts a run that cannot decide or is slowed down. */
  onFault: (fault: CountedFault) => void;
  /** Writes a dead letter about a run that cannot decide. */
  keepFault: (report: { job: ObjectRef; fault: string }) => Promise<void>;
}

/** Reports a run that cannot decide, or is slowed down. */
export type ReportFault = (
  report: { job: ObjectRef; fault: string; goesOn?: boolean },
  signal: AbortSignal,
) => Promise<void>;

/** The most objects whose reports are remembered. */
const MOST_REPORTED = 10_000;

/**
 * Shows that a run cannot decide or is slowed down: in the log, in a metric, in an Event about its object and, if the
 * run does not continue, in a dead letter. A run that cannot decide reports again after some hundred changes of its
 * object, which a tenant can make at any rate. This process therefore counts each object once, and writes one dead
 * letter about each object.
 */
export function createReportFault({ client, log, now, onFault, keepFault }: FaultDependencies): ReportFault {
  const counted = new Set<string>();
  const kept = new Set<string>();
  return async ({ job, fault, goesOn = false }, signal) => {
    const id = streamId(job);
    const { cluster, namespace } = job;
    if (goesOn || !counted.has(id)) onFault({ cluster, namespace, goesOn });
    if (!goesOn) remember(counted, id);
    log.error(
      { job: id, error: fault },
      goesOn
        ? 'decisions about this object are made at growing intervals, because another client undoes each change; if no client does, report this as a bug of Jobledger, with the records of the object'
        : 'this version makes no further decisions about this object: report this as a bug of Jobledger, with the records of the object; a fixed version continues',
    );
    // A failure is only logged: the run waits for this activity, and a missing right in Kafka must not prevent another
    // build from taking over the run.
    if (!goesOn && !kept.has(id))
      await keepFault({ job, fault }).then(
        () => remember(kept, id),
        (error: unknown) =>
          log.error(
            { job: id, error: errorMessage(error) },
            'the dead letter about the object was not written',
          ),
      );
    const kind = getKind(job).name === 'CronJob' ? 'CronJob' : 'Job';
    const of = { client, job, signal, log, now, kind, resourceVersion: '' } as const;
    const eventKey = { decision: `${streamId(job)}/${goesOn ? 'loop' : 'fault'}`, now: now(), command: 0 };
    await emitEvents({ ...of, component: 'jobledger', eventKey }, [
      {
        type: 'Warning',
        reason: goesOn ? 'DecidesInALoop' : 'NotDecided',
        message: goesOn
          ? `Jobledger makes decisions at growing intervals: ${fault}`
          : `Jobledger cannot decide about this object because of a bug: ${fault}`,
      },
    ]);
  };
}

/** Adds an id to a set of limited size. */
function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  dropOldest(ids, MOST_REPORTED);
}

import { createHash } from 'node:crypto';
import type { KindName } from '../../../workflows/kind.ts';
import { errorMessage } from '../../adapters/errors.ts';
import { pathSegment } from '../../adapters/kubernetes/path-segment.ts';
import type { Log } from '../../adapters/process/log.ts';
import { mapInBatches, isConflict, type Requesting } from './requests.ts';

interface EventText {
  type: string;
  reason: string;
  message: string;
}

/** Identifies a command of a decision by the id and the instant of the decision, and by the position of the command. */
export interface EventKey {
  decision: string;
  now: number;
  command: number;
}

/** The object that Events are about, and the component that sends them. */
interface Emission extends Requesting {
  log: Log;
  now: () => number;
  kind: KindName;
  resourceVersion: string;
  /** The component in the Events is the component of the controller that Jobledger replaces (J-7.2). */
  component: string;
  eventKey: EventKey;
  /** The position of the first Event among the Events of the command. */
  from?: number;
}

/** Sends Kubernetes Events about an object. A failure is only logged, as upstream (J-7.1). */
export async function emitEvents(emission: Emission, events: readonly EventText[]): Promise<void> {
  const { from = 0 } = emission;
  await mapInBatches([...events.entries()], ([at, event]) => emitEvent(emission, event, from + at));
}

async function emitEvent(
  { client, log, now, job, kind, resourceVersion, component, eventKey, signal }: Emission,
  { type, reason, message }: EventText,
  at: number,
): Promise<void> {
  const { namespace, name, uid } = job;
  const time = `${new Date(now()).toISOString().slice(0, 19)}Z`;
  const body = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(name, eventKey, at), namespace },
    involvedObject: { apiVersion: 'batch/v1', kind, namespace, name, uid, resourceVersion },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  const path = `/api/v1/namespaces/${pathSegment(namespace)}/events`;
  try {
    await client.request({ method: 'POST', path, body, signal, timeoutMs: 2000, isBestEffort: true });
  } catch (error) {
    if (!isConflict(error))
      log.warn(
        { job: `${namespace}/${name}`, error: errorMessage(error) },
        `the Event ${reason} was not accepted`,
      );
  }
}

/**
 * The name of an Event. Upstream's names end in hexadecimal nanoseconds (J-7.1), and kubectl sorts the Events of one
 * second by name. In this name, the nanoseconds are the instant of the decision and, below the millisecond, the
 * position of the Event in the decision.
 */
export function eventName(jobName: string, { decision, now, command }: EventKey, at: number): string {
  // The digest distinguishes the Events of two decisions with the same instant.
  const salt = createHash('sha256').update(decision).digest().readUInt16BE() % 100;
  const nanoseconds = BigInt(now) * 1_000_000n + BigInt(command * 100_000 + at * 100 + salt);
  return `${jobName}.${nanoseconds.toString(16)}`;
}

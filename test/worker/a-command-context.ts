import { pino } from 'pino';
import type { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { createClaimedJobs } from '../../services/worker/activities/job/claimed-jobs.ts';
import type { CommandContext } from '../../services/worker/activities/job/command-context.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { JOB_UID, jobObject, podObject, type JobFields } from '../support/builders.ts';

export interface RecordedContext extends CommandContext {
  /** Requests sent, except Events. */
  requests: ApiRequest[];
  /** Reasons of the Events sent. */
  events: string[];
}

/** A cluster that answers with this pod, records its requests, and refuses what `refusal` says. */
export function aCommandContext(
  job: JobFields = {},
  refusal: (request: ApiRequest, asked: number) => KubernetesApiError | null = () => null,
  pod: Pod = podObject(),
): RecordedContext {
  const requests: ApiRequest[] = [];
  const events: string[] = [];
  const object = jobObject(job);
  const request = <T>(asked: ApiRequest): Promise<T> => {
    if (asked.path.endsWith('/events')) events.push((asked.body as { reason: string }).reason);
    else requests.push(asked);
    const error = refusal(asked, requests.length);
    return error === null ? Promise.resolve(pod as T) : Promise.reject(error);
  };
  return {
    client: { cluster: 'east', request, stream: () => Promise.reject(new Error('not asked for')) },
    log: pino({ level: 'silent' }),
    now: Date.now,
    job: { cluster: 'east', uid: JOB_UID, namespace: 'default', name: 'pi' },
    eventKey: { decision: 'east/decision', now: 0, command: 0 },
    signal: new AbortController().signal,
    readJob: () => Promise.resolve(object),
    recentJob: () => Promise.resolve(object),
    rememberJob: () => undefined,
    claimed: createClaimedJobs('managed'),
    parts: { before: [], keep: () => undefined },
    isLate: () => false,
    requests,
    events,
  };
}

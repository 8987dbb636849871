import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { seededRandom } from '../support/random.ts';
import { after, aJob, aPod, jobObserved, podDeleted, podObserved } from './builders.ts';

/** A period in which a pod held its node with the same requests, in seconds after the start of the story. */
export interface HeldPeriod {
  from: number;
  until: number;
  /** The earliest possible end; before `until` when nobody saw the end of the pod. */
  atLeast: number;
  cores: number;
  bytes: number;
  gpus: number;
}

/** A pod with everything that was recorded about it, and the truth about its hours, which no product code computes. */
export interface PodLife {
  uid: string;
  jobUid: string;
  events: JobEvent[];
  periods: HeldPeriod[];
  /** The seconds from the first start to the last end of a container; null when no end was seen. */
  ranSeconds: number | null;
  negativeSpans: number;
  isOpen: boolean;
}

const GIB = 2 ** 30;
const HOUR = 3600;

/** The life of a pod whose steps, requests and end depend on the random numbers alone. */
export function randomPodLife(number: number, chance: () => number, jobUid = 'job-1'): PodLife {
  const name = `pod-${jobUid}-${number}`;
  const within = (from: number, to: number): number => from + Math.floor(chance() * (to - from + 1));
  const pick = <T>(...choices: readonly [T, ...T[]]): T =>
    choices[within(0, choices.length - 1)] ?? choices[0];
  const kind = pick(
    'ends',
    'ends',
    'restarts',
    'deleted running',
    'deleted ended',
    'vanished',
    'clock',
    'pending',
    'open',
  );
  const created = within(0, 30 * HOUR);
  const bound = created + within(0, 600);
  const started = bound + within(0, 30);
  const ended = started + within(1, 5 * HOUR);
  let version = number * 1000 + 10;
  let requests = { cores: pick(0.25, 0.5, 1, 2.5), bytes: pick(1, 2, 3) * GIB, gpus: pick(0, 0, 1) };
  const life: PodLife = {
    uid: `uid-${name}`,
    jobUid,
    events: [],
    periods: [],
    ranSeconds: null,
    negativeSpans: 0,
    isOpen: kind === 'open' || kind === 'pending',
  };
  const pod = (phase: string, status: Pod['status'] = {}, isBound = true): Pod => {
    version += 1;
    const object = aPod({ name, version, phase, status, metadata: { creationTimestamp: after(created) } });
    const amounts = {
      cpu: String(requests.cores),
      memory: String(requests.bytes),
      'nvidia.com/gpu': String(requests.gpus),
    };
    return {
      ...object,
      spec: {
        ...(isBound && { nodeName: 'node-1' }),
        containers: [{ name: 'main', resources: { requests: amounts } }],
      },
    };
  };
  const observe = (at: number, object: Pod): void => {
    // An event is recorded a moment after the change.
    life.events.push(toJob(podObserved(at + 0.4, object), jobUid));
  };
  const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: after(bound) }];
  const running = (since: number, lastState?: object): Pod['status'] => ({
    conditions,
    containerStatuses: [
      { name: 'main', state: { running: { startedAt: after(since) } }, ...(lastState && { lastState }) },
    ],
  });
  const terminated = (from: number, until: number) => ({
    terminated: { exitCode: 0, startedAt: after(from), finishedAt: after(until) },
  });
  const over = (from: number, until: number): Pod['status'] => ({
    conditions,
    containerStatuses: [{ name: 'main', state: terminated(from, until) }],
  });
  /** Ends the last period of the pod. */
  const hold = (until: number, atLeast = until): void => {
    const [from, last] = [life.periods.at(-1)?.until ?? bound, Math.max(until, bound)];
    if (last > from) life.periods.push({ from, until: last, atLeast: Math.max(atLeast, bound), ...requests });
    for (const period of life.periods) period.atLeast = Math.min(period.until, Math.max(atLeast, bound));
  };
  const resize = (at: number, status: Pod['status']): void => {
    hold(at);
    requests = { ...requests, cores: requests.cores * 2, bytes: requests.bytes + GIB };
    observe(at, pod('Running', status));
  };

  observe(created, pod('Pending', {}, false));
  if (kind === 'pending') return life;
  observe(bound, pod('Pending', { conditions }));
  observe(started, pod('Running', running(started)));
  const half = started + Math.floor((ended - started) / 2);
  const isResized = half > started && chance() < 0.3;
  if (isResized) resize(half, running(started));
  switch (kind) {
    case 'open':
      break;
    case 'ends':
      observe(ended, pod(pick('Succeeded', 'Failed'), over(started, ended)));
      hold(ended);
      life.ranSeconds = ended - started;
      if (chance() < 0.5)
        life.events.push(toJob(podDeleted(ended + 1000, { name, version: version + 1 }), jobUid));
      break;
    case 'restarts': {
      const again = ended + within(1, 60);
      const last = again + within(1, HOUR);
      observe(ended, pod('Running', over(started, ended)));
      observe(again, pod('Running', running(again, terminated(started, ended))));
      observe(last, pod('Succeeded', over(again, last)));
      hold(last);
      life.ranSeconds = last - started;
      break;
    }
    case 'deleted running': {
      const gone = ended + within(0, 30);
      life.events.push(toJob(podDeleted(gone + 0.7, { name, version: version + 1 }), jobUid));
      hold(gone);
      break;
    }
    case 'deleted ended': {
      // The containers have ended, but the deletion comes before the end of the pod.
      const gone = ended + within(1, 30);
      version += 1;
      const object = pod('Running', over(started, ended));
      life.events.push(toJob(podDeleted(gone + 0.7, { name, version, object }), jobUid));
      hold(gone);
      life.ranSeconds = ended - started;
      break;
    }
    case 'vanished': {
      const gone = ended + within(60, HOUR);
      life.events.push(toJob(podDeleted(gone + 0.7, { name, version: version + 1, seen: false }), jobUid));
      hold(gone, isResized ? half : started);
      break;
    }
    case 'clock': {
      // The clock of the node is behind the clock that bound the pod.
      const early = bound - within(1, 100);
      observe(ended, pod('Succeeded', over(started, early)));
      life.periods = [];
      life.ranSeconds = 0;
      life.negativeSpans = 2;
      break;
    }
  }
  return life;
}

/** The event in the stream of another Job, in the same cluster or in another one. */
export function toJob(
  { digest: _digest, ...event }: JobEvent,
  jobUid: string,
  cluster = event.data.cluster,
): JobEvent {
  const id = cluster === event.data.cluster ? event.id : `${cluster}/${event.id}`;
  return withDigest({ ...event, id, source: cluster, data: { ...event.data, cluster, jobUid } });
}

const SEED = 58;
const JOBS = ['job-1', 'job-2', 'job-3'];

/** The observation of a Job of pods' lives; the names of these Jobs are those of one series. */
export function jobOfLives(jobUid: string, labels: Record<string, string> = {}): JobEvent {
  const number = jobUid.replace(/\D/g, '');
  const job = aJob({ version: 1, metadata: { uid: jobUid, name: `load-2026112${number}`, labels } });
  return jobObserved(0, job, jobUid);
}

/** Lives of pods of three Jobs; the same for the same number. */
export function randomLives(count: number): PodLife[] {
  const chance = seededRandom(SEED);
  return Array.from({ length: count }, (_, at) => randomPodLife(at, chance, JOBS[at % JOBS.length]));
}

/** Everything recorded about the three Jobs and their pods, in order of time. */
export function eventsOfLives(lives: readonly PodLife[]): JobEvent[] {
  const events = [...JOBS.map((jobUid) => jobOfLives(jobUid)), ...lives.flatMap((life) => life.events)];
  return events.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

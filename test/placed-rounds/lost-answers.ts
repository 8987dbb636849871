import type { FaultyRequests } from '../kills/faulty-requests.ts';
import { seededRandom } from '../support/random.ts';

/** The creations of Jobs whose answers a cluster loses, before it refuses them. */
export interface LostAnswers {
  /** The faults of the requests to a cluster. */
  requestsTo(cluster: string): Pick<FaultyRequests, 'nextFault'>;
  /**
   * From now on the cluster carries out the first creation of a Job without an answer; it refuses later creations, or carries them out without an
   * answer.
   */
  begin(cluster: string, seed: number): void;
  end(cluster: string): void;
  /** True when a creation has had no answer since `begin`. */
  hasLost(cluster: string): boolean;
  /** The number of creations without an answer. */
  readonly unanswered: number;
  readonly refused: number;
}

/** The answers of a quota, of a webhook that takes too long, and of an admission policy. */
const REFUSALS = [
  { code: 403, reason: 'Forbidden', message: 'exceeded quota: jobs, requested: count/jobs.batch=1' },
  {
    code: 500,
    reason: 'InternalError',
    message: 'failed calling webhook "rounds": context deadline exceeded',
  },
  { code: 422, reason: 'Invalid', message: "ValidatingAdmissionPolicy 'rounds' denied request: no" },
] as const;
const REFUSED_SHARE = 0.6;

export function lostAnswers(): LostAnswers {
  /** By cluster. */
  const active = new Map<string, { random: () => number; hasLost: boolean }>();
  let [unanswered, refused] = [0, 0];
  return {
    requestsTo: (cluster) => ({
      nextFault({ method = 'GET', url = '/' }) {
        const here = active.get(cluster);
        if (here === undefined || method !== 'POST' || !isOfJobs(url)) return null;
        if (!here.hasLost || here.random() >= REFUSED_SHARE) {
          here.hasLost = true;
          unanswered += 1;
          return 'unanswered';
        }
        refused += 1;
        return refusal(REFUSALS[Math.floor(here.random() * REFUSALS.length)] ?? REFUSALS[0]);
      },
    }),
    begin: (cluster, seed) => void active.set(cluster, { random: seededRandom(seed), hasLost: false }),
    end: (cluster) => void active.delete(cluster),
    hasLost: (cluster) => active.get(cluster)?.hasLost === true,
    get unanswered() {
      return unanswered;
    },
    get refused() {
      return refused;
    },
  };
}

function isOfJobs(url: string): boolean {
  return /^\/apis\/batch\/v1\/namespaces\/[^/]+\/jobs(?:\?|$)/.test(url);
}

function refusal({ code, reason, message }: (typeof REFUSALS)[number]): {
  status: number;
  headers: Record<string, string>;
  body: string;
} {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
  return { status: code, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
}

import { api, requireBody } from '../../api/client.ts';
import type { LiveEvent } from '../../api/live.ts';
import { ApiError } from '../../api/problem.ts';
import type { ListedJob } from '../../api/rows.ts';
import { jobKey } from './job-rows.ts';

/** A Job that an event has named. */
interface NamedJob {
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
}

/** A set of the Jobs that have changed and that the page has not read again. */
export interface ChangedJobs {
  add(event: LiveEvent): void;
  /** Removes and returns the first of the changed Jobs, at most `BATCH`. */
  take(): NamedJob[];
  /** Adds the Jobs that could not be read again. */
  putBack(jobs: readonly NamedJob[]): void;
}

/** The largest number of Jobs to read at once, so that many changes do not overload the API. */
const BATCH = 20;

const GONE = 404;

/** Creates an empty set of changed Jobs. */
export function createChangedJobs(): ChangedJobs {
  const changed = new Map<string, NamedJob>();
  return {
    add({ subject, data: { cluster, jobUid: uid } }) {
      const slash = subject.indexOf('/');
      if (uid === undefined || slash < 0) return;
      const job = { cluster, uid, namespace: subject.slice(0, slash), name: subject.slice(slash + 1) };
      changed.set(jobKey(job), job);
    },
    take() {
      const batch = [...changed.values()].slice(0, BATCH);
      for (const job of batch) changed.delete(jobKey(job));
      return batch;
    },
    putBack(jobs) {
      for (const job of jobs) changed.set(jobKey(job), job);
    },
  };
}

/** The present rows of the Jobs; `gone` contains the keys of Jobs that the API no longer has. */
export async function readChangedJobs(
  jobs: readonly NamedJob[],
): Promise<{ fresh: ListedJob[]; gone: Set<string> }> {
  const gone = new Set<string>();
  const found = await Promise.all(
    jobs.map(async (job) => {
      const { name, ...query } = job;
      try {
        return await requireBody(api.GET('/v1/jobs/{job}', { params: { path: { job: name }, query } }));
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== GONE) throw error;
        gone.add(jobKey(job));
        return undefined;
      }
    }),
  );
  return { fresh: found.filter((job) => job !== undefined), gone };
}

import { writeFileSync } from 'node:fs';
import type { CronJob, CronJobSpec, Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from './eventually.ts';
import { install, type Installation } from './installation.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';

export const MINUTE = 60_000;

/** How often the worker is killed after a decision, at most: it may be another one than the start. */
const MOST_TRIES = 12;

/** A Job that was created for a start. Instants in milliseconds. */
export interface Start {
  job: string;
  scheduledAt: number;
  at: number;
  /** The user who created it. */
  by: string;
}

/** The CronJobs of the first cluster of an installation, as a user and as the API server's log see them. */
export interface CronJobsOfCluster {
  /** `command`: of the only container. Default schedule: every minute. */
  create(name: string, spec: Partial<CronJobSpec>, command: string[]): Promise<CronJob>;
  read(name: string): Promise<CronJob>;
  patch(name: string, body: object): Promise<CronJob>;
  /** As if the last start had been ten minutes ago: the newest of the missed times is due at once (J-9.40). */
  overdue(name: string): Promise<CronJob>;
  /** Its workflow has nothing to do, by this rule. */
  waits(cronJob: CronJob, rule: string): Promise<true>;
  /**
   * Kills the worker between a decision and its first request, until that was the creation of a Job: the next attempt cannot
   * know whether the request was sent, and asks how far the watch is. Returns the names of the CronJobs; the last one's start
   * was in doubt.
   */
  startInDoubt(): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** By name. */
  listJobs(cronJob: CronJob): Promise<Job[]>;
  jobsWhere(
    cronJob: CronJob,
    what: string,
    holds: (jobs: Job[]) => boolean,
    seconds?: number,
  ): Promise<Job[]>;
  /** By the API server's log. */
  listStarts(name: string): Start[];
}

/** A running installation that controls Jobs, CronJobs and the time to live, each service in a process of its own. */
export async function installCronJobs(): Promise<Installation> {
  const installation = await install({
    separate: true,
    claim: 'all',
    clusters: [
      {
        name: 'local',
        builtInJobController: false,
        builtInTtlController: false,
        builtInCronJobController: false,
      },
    ],
    environment: { JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl' },
  });
  await installation.startServices();
  return installation;
}

/** `installation`: asked for when it is needed, since tests make it later. */
export function connectCronJobs(installation: () => Installation, namespace = 'default'): CronJobsOfCluster {
  const batch = `/apis/batch/v1/namespaces/${namespace}`;
  type Request = Parameters<Installation['cluster']['client']['request']>[0];
  const request = <T>(asked: Request): Promise<T> => installation().cluster.client.request<T>(asked);
  const patched = (path: string, body: object): Promise<CronJob> =>
    request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  const listJobs = async ({ metadata: { uid } }: CronJob): Promise<Job[]> => {
    const path = `${batch}/jobs`;
    const { items } = await request<{ items: Job[] }>({ method: 'GET', path });
    return items
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  };
  const create: CronJobsOfCluster['create'] = (name, spec, command) => {
    const container = { name: 'main', image: 'none', command };
    const template = { spec: { restartPolicy: 'Never', containers: [container] } };
    const body = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: { schedule: '* * * * *', ...spec, jobTemplate: { spec: { template } } },
    };
    return request({ method: 'POST', path: `${batch}/cronjobs`, body });
  };
  const overdue: CronJobsOfCluster['overdue'] = (name) => {
    const lastScheduleTime = `${new Date(Date.now() - 10 * MINUTE).toISOString().slice(0, 19)}Z`;
    return patched(`${batch}/cronjobs/${name}/status`, { status: { lastScheduleTime } });
  };
  const waits: CronJobsOfCluster['waits'] = ({ metadata: { uid, name } }, rule) =>
    eventually(`${name} waits by ${rule}`, 30, async () => {
      const client = await installation().temporal();
      const state = await client.workflow
        .getHandle(workflowId('local', uid, 'CronJob'))
        .query<{ waiting: { rule: string } | null }>('state')
        .catch(() => undefined);
      return state?.waiting?.rule === rule ? true : undefined;
    });
  // A run shows its wait before the decision is in the ledger: a fault point that is armed now would hit this decision.
  const isRecorded = (name: string, rule: string): Promise<boolean> =>
    eventually(`SQL has the wait of ${name} by ${rule}`, 30, async () => {
      const [row] = await installation().sql<{ waiting_rule: string | null }>(
        'select waiting_rule from jobledger.cron_jobs where name = $1',
        [name],
      );
      return row?.waiting_rule === rule ? true : undefined;
    });
  // The worker may have died after another decision.
  const wasInDoubt = (name: string): Promise<boolean> =>
    eventually(`SQL has the start of ${name}`, 90, async () => {
      const [row] = await installation().sql<{ asked: boolean; started: boolean }>(
        `select exists (select from jobledger.cron_job_events where type = 'watch.passed' and cron_job_name = $1) as asked,
           exists (select from jobledger.cron_job_starts where result = 'created' and cron_job_name = $1) as started`,
        [name],
      );
      return row?.started === true ? row.asked : undefined;
    });
  return {
    listJobs,
    create,
    overdue,
    waits,
    async startInDoubt() {
      const { services, faultFile } = installation();
      const names: string[] = [];
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const name = `doubt-${tries}`;
        names.push(name);
        await waits(await create(name, {}, ['true']), 'J-9.45');
        await isRecorded(name, 'J-9.45');
        const before = services.pid('worker');
        writeFileSync(faultFile, 'after-decision');
        await overdue(name);
        await eventually('the worker has died', 30, () =>
          Promise.resolve(services.pid('worker') === before ? undefined : true),
        );
        if (await wasInDoubt(name)) return names;
        // Its next start would be another decision after which the worker may die.
        await patched(`${batch}/cronjobs/${name}`, { spec: { suspend: true } });
      }
      throw new Error('no creation of a Job was in doubt');
    },
    read: (name) => request({ method: 'GET', path: `${batch}/cronjobs/${name}` }),
    patch: (name, body) => patched(`${batch}/cronjobs/${name}`, body),
    remove: (name) => request({ method: 'DELETE', path: `${batch}/cronjobs/${name}` }),
    jobsWhere: (cronJob, what, holds, seconds = 30) =>
      eventually(`${cronJob.metadata.name} ${what}`, seconds, async () => {
        const jobs = await listJobs(cronJob);
        return holds(jobs) ? jobs : undefined;
      }),
    listStarts: (name) =>
      installation()
        .audit()
        .filter(
          ({ verb, objectRef, responseStatus }) =>
            verb === 'create' && objectRef?.resource === 'jobs' && responseStatus?.code === 201,
        )
        .flatMap(({ objectRef, requestReceivedTimestamp, user }) => {
          const job = objectRef?.name ?? '';
          const minute = job.startsWith(`${name}-`) ? Number(job.slice(name.length + 1)) : Number.NaN;
          if (Number.isNaN(minute)) return [];
          const at = Date.parse(requestReceivedTimestamp);
          return [{ job, scheduledAt: minute * MINUTE, at, by: user.username }];
        }),
  };
}

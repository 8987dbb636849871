import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { install, type Installation } from './installation.ts';
import { jobledger as commandLine } from './rebuild.ts';
import { createProfiles } from './cluster-profiles.ts';
import { startLinks, type Links } from './links.ts';
import type { FaultyRequests } from '../kills/faulty-requests.ts';

const HOME_AND_OTHERS = ['east', 'west', 'north'] as const;

export type ClusterName = (typeof HOME_AND_OTHERS)[number];

/** Three clusters, of which each may run the Jobs of the namespaces `team`, and `alone` if there is one, of east. */
export interface ThreeClusters {
  jobledger: Installation;
  /** Each in the namespace `team`. */
  clusters: Record<ClusterName, TestCluster>;
  /** The links between our services and the API servers. */
  links: Links;
}

interface ThreeClustersOptions {
  /** Two of each service. */
  doubled?: boolean;
  /** The services reach the API servers through links. */
  linked?: boolean;
  /** Of links: the faults of the services' requests to a cluster. */
  requestsTo?: (cluster: string) => Pick<FaultyRequests, 'nextFault'>;
  /** As for `install`. */
  ownServers?: boolean;
  /** As for `install`. */
  ownClusters?: boolean;
  /** The properties of the ClusterProfile of each cluster, which is in east, by cluster. */
  profiles?: Partial<Record<ClusterName, Record<string, string>>>;
}

export async function installThreeClusters({
  doubled = false,
  linked = false,
  requestsTo,
  ownServers = false,
  ownClusters = ownServers,
  profiles = {},
}: ThreeClustersOptions = {}): Promise<ThreeClusters> {
  const allow = [{ home: 'east', namespaces: ['team', 'alone'] }];
  const placement = {
    clusters: HOME_AND_OTHERS.map((name) => ({
      name,
      labels: { side: name },
      ...(profiles[name] !== undefined && { profile: { cluster: 'east', namespace: 'default', name } }),
      allow,
    })),
  };
  const links = startLinks(requestsTo);
  const installed = await install({
    separate: true,
    clusters: HOME_AND_OTHERS.map((name) => ({ name })),
    environment: { JOBLEDGER_PLACEMENT: JSON.stringify(placement) },
    ...(linked && { proxied: (kubeconfig) => links.through(kubeconfig) }),
    doubled,
    ownServers,
    ownClusters,
  });
  const jobledger: Installation = {
    ...installed,
    async stop() {
      try {
        await installed.stop();
      } finally {
        await links.close();
      }
    },
  };
  try {
    await createProfiles(jobledger.clusters['east'], profiles);
    await jobledger.startServices();
    const namespaces = HOME_AND_OTHERS.map(
      async (name) => [name, await jobledger.clusters[name]?.inNewNamespace('team')] as const,
    );
    const clusters = Object.fromEntries(await Promise.all(namespaces)) as ThreeClusters['clusters'];
    return { jobledger, clusters, links };
  } catch (error) {
    await jobledger.stop();
    throw error;
  }
}

/** A placed Job to create; annotations without the prefix `jobledger.dev/`. */
interface PlacedJob {
  name: string;
  annotations?: Record<string, string>;
  spec?: object;
  pod?: object;
  /** A shell command. */
  command?: string;
}

/** Creates a placed Job at home. */
export function createPlaced(
  { client, namespace }: TestCluster,
  { name, annotations = {}, spec = {}, pod = {}, command = 'sleep 1' }: PlacedJob,
): Promise<Job> {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', command] };
  const prefixed = Object.entries(annotations).map(
    ([key, value]) => [`jobledger.dev/${key}`, value] as const,
  );
  return client.request<Job>({
    method: 'POST',
    path: `/apis/batch/v1/namespaces/${namespace}/jobs`,
    body: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, annotations: Object.fromEntries(prefixed) },
      spec: {
        managedBy: 'jobledger.dev/placement',
        template: {
          spec: { restartPolicy: 'Never', containers: [container], terminationGracePeriodSeconds: 1, ...pod },
        },
        ...spec,
      },
    },
  });
}

/** The placed Job once it is as wanted. */
export function placedJob(
  home: TestCluster,
  name: string,
  what: string,
  isSo: (job: Job) => boolean,
  seconds = 60,
): Promise<Job> {
  return eventually(`${name} ${what}`, seconds, async () => {
    const job = await home.job(name);
    return job !== undefined && isSo(job) ? job : undefined;
  });
}

let probes = 0;

/** Resolves when Jobs are placed in the cluster again: services read what is said of it every few seconds. */
export async function waitUntilClusterIsUsed(home: TestCluster, cluster: ClusterName): Promise<void> {
  probes += 1;
  const name = `probe-${probes}`;
  await createPlaced(home, { name, annotations: { clusters: cluster } });
  await placedJob(home, name, 'is complete', isComplete, 120);
}

/** `jobledger clusters …`, as a person runs it. @throws its error output. */
export async function clustersVerb(
  { environment }: Pick<Installation, 'environment'>,
  ...args: string[]
): Promise<string> {
  const { exitCode, stdout, stderr } = await commandLine(environment, 'clusters', ...args, '--by', 'anna');
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

export function isComplete({ status = {} }: Job): boolean {
  return trueCondition(status, 'Complete') !== undefined;
}

/** One run of a container by its own witness: seconds of the machine's monotonic clock. */
export interface WitnessedRun {
  run: string;
  /** The cluster: containers work in the directory of their node. */
  cluster: string;
  from: number;
  until: number;
  /** True when the run has reached its end. */
  isDone: boolean;
}

/**
 * A file in which containers write their starts and their lives, which knows nothing of Jobledger: they are processes of one machine,
 * so one monotonic clock orders them.
 */
export function aWitness() {
  const file = join(mkdtempSync(join(tmpdir(), 'jobledger-witness-')), 'lives');
  appendFileSync(file, '');
  return {
    /** A shell command that runs for some seconds, and says twice a second that it lives. `what`: a name, in shell. */
    living(what: string, seconds: number): string {
      const report = (state: string): string =>
        `read up rest < /proc/uptime; echo "${what} $PWD $$$$ $up ${state}" >> ${file}`;
      return `i=0; while [ $i -lt ${seconds * 2} ]; do ${report('lives')}; sleep 0.5; i=$((i+1)); done; ${report('done')}`;
    },
    runs(): WitnessedRun[] {
      const runs = new Map<string, WitnessedRun>();
      for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
        const [what, place, pid, up, state] = line.split(' ');
        if (what === undefined || place === undefined || state === undefined) continue;
        const at = Number(up);
        const key = `${what} ${place} ${pid}`;
        const cluster = /\/cluster\/([^/]+)\//.exec(place)?.[1] ?? place;
        const known = runs.get(key) ?? { run: what, cluster, from: at, until: at, isDone: false };
        const isDone = known.isDone || state === 'done';
        runs.set(key, { ...known, from: Math.min(known.from, at), until: Math.max(known.until, at), isDone });
      }
      return [...runs.values()];
    },
    /** Pairs of runs of one name at once, in two clusters. */
    overlaps(): string[] {
      const runs = this.runs();
      return runs.flatMap((a, at) =>
        runs
          .slice(at + 1)
          .filter((b) => a.run === b.run && a.cluster !== b.cluster && a.from < b.until && b.from < a.until)
          .map((b) => `${a.run}: ${a.cluster} ${a.from}-${a.until} and ${b.cluster} ${b.from}-${b.until}`),
      );
    },
  };
}

/** Seconds of the machine's monotonic clock. */
export function uptime(): number {
  return Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
}

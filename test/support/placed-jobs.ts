import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import type { TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { install, type InstallOptions, type Installation } from './installation.ts';

const HOME_AND_OTHERS = ['east', 'west', 'north'] as const;

/** Three clusters, of which each may run the Jobs of the namespace `team` of east. */
export interface ThreeClusters {
  jobledger: Installation;
  /** Each in the namespace `team`. */
  clusters: Record<(typeof HOME_AND_OTHERS)[number], TestCluster>;
}

export async function installThreeClusters(options: InstallOptions = {}): Promise<ThreeClusters> {
  const allow = [{ home: 'east', namespaces: ['team'] }];
  const placement = { clusters: HOME_AND_OTHERS.map((name) => ({ name, labels: { side: name }, allow })) };
  const jobledger = await install({
    ...options,
    clusters: HOME_AND_OTHERS.map((name) => ({ name })),
    environment: { JOBLEDGER_PLACEMENT: JSON.stringify(placement) },
  });
  try {
    await jobledger.startServices();
    const namespaces = HOME_AND_OTHERS.map(
      async (name) => [name, await jobledger.clusters[name]?.inNewNamespace('team')] as const,
    );
    const clusters = Object.fromEntries(await Promise.all(namespaces)) as ThreeClusters['clusters'];
    return { jobledger, clusters };
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

export function isComplete({ status = {} }: Job): boolean {
  return trueCondition(status, 'Complete') !== undefined;
}

/** One run of a container by its own witness: seconds of the machine's monotonic clock. */
export interface WitnessedRun {
  run: string;
  from: number;
  until: number;
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
      const say = `read up rest < /proc/uptime; echo "${what} $$$$ $up" >> ${file}`;
      return `i=0; while [ $i -lt ${seconds * 2} ]; do ${say}; sleep 0.5; i=$((i+1)); done; ${say}`;
    },
    runs(): WitnessedRun[] {
      const runs = new Map<string, WitnessedRun>();
      for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
        const [what, pid, up] = line.split(' ');
        if (what === undefined || pid === undefined || up === undefined) continue;
        const at = Number(up);
        const key = `${what} ${pid}`;
        const known = runs.get(key) ?? { run: what, from: at, until: at };
        runs.set(key, { ...known, from: Math.min(known.from, at), until: Math.max(known.until, at) });
      }
      return [...runs.values()];
    },
    /** Pairs of runs of one name at one time. */
    overlaps(): string[] {
      const runs = this.runs();
      return runs.flatMap((a, at) =>
        runs
          .slice(at + 1)
          .filter((b) => a.run === b.run && a.from < b.until && b.from < a.until)
          .map((b) => `${a.run}: ${a.from}-${a.until} and ${b.from}-${b.until}`),
      );
    },
  };
}

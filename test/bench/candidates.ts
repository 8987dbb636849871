import { PassThrough } from 'node:stream';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createReadCandidates } from '../../services/worker/placement/clusters/candidates.ts';
import { INITIAL_STATE } from '../../workflows/job/state.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import { aPlacedJob, aStateWith, DECIDER } from '../placement/a-placed-job.ts';
import { jobObject } from '../support/builders.ts';

/** The cost of placing a Job: milliseconds of CPU for reading the candidates and deciding, and the size of the decision. */
export interface ChoiceCost {
  milliseconds: number;
  bytes: number;
}

const NODES = 20;
const PODS = 500;
const RUNS = 200;
const requests = { cpu: '500m', memory: '1Gi' };
const spec = { containers: [{ name: 'main', image: 'busybox', resources: { requests } }] };

/** Chooses among that many clusters, each with 20 nodes and 500 pods. */
export async function runChoice(clusters: number): Promise<ChoiceCost> {
  const names = Array.from({ length: clusters }, (_none, number) => `cluster-${number}`);
  const clients = new Map(names.map((name) => [name, aCluster(name)]));
  const ended = new AbortController();
  const allow = [{ home: 'east', namespaces: ['*'] }];
  const read = createReadCandidates({
    allowed: names.map((name, number) => ({
      name,
      labels: { region: `region-${number % 5}`, gpu: 'none', zone: `zone-${number}` },
      price: number / 10,
      allow,
    })),
    findClient: (cluster) => clients.get(cluster) ?? null,
    message: () => ({}),
    readState: () => Promise.resolve(INITIAL_STATE),
    now: Date.now,
    log: silentLog(),
    signal: ended.signal,
  });
  const job = aPlacedJob();
  const home: KubernetesClient = {
    ...aCluster('east'),
    request: <T>() => Promise.resolve(placedJobObject() as T),
  };
  const of = { cluster: 'east', uid: 'home-uid', namespace: 'team', name: 'pi', kind: 'PlacedJob' as const };
  const input = { job: of, facts: { spec: job.spec, preferences: job.preferences }, except: [], grant: 1 };
  const { signal } = new AbortController();
  const once = async (): Promise<number> => {
    const now = Date.now();
    const settings = { candidates: await read(home, input, signal) };
    const state = aStateWith(job);
    const { decided } = decisionRecord(DECIDER, state, decide(state, now, settings), now, settings);
    return JSON.stringify(decided).length;
  };
  for (let run = 0; run < RUNS / 4; run += 1) await once(); // until it is listed and compiled
  const begin = process.cpuUsage();
  let bytes = 0;
  for (let run = 0; run < RUNS; run += 1) bytes = await once();
  const { user, system } = process.cpuUsage(begin);
  ended.abort();
  return { milliseconds: (user + system) / 1000 / RUNS, bytes };
}

function placedJobObject() {
  const job = jobObject({ uid: 'home-uid' });
  return { ...job, spec: { ...job.spec, template: { spec } } };
}

function aCluster(cluster: string): KubernetesClient {
  const metadata = { resourceVersion: '1' };
  const allocatable = { cpu: '64', memory: '256Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  const nodes = Array.from({ length: NODES }, (_none, at) => ({
    metadata: {
      name: `node-${at}`,
      uid: `node-${at}`,
      resourceVersion: '1',
      labels: { zone: `zone-${at % 3}` },
    },
    status: { allocatable, conditions },
  }));
  const pods = Array.from({ length: PODS }, (_none, at) => ({
    metadata: { name: `pod-${at}`, uid: `pod-${at}`, resourceVersion: '1', namespace: 'other' },
    spec: { ...spec, nodeName: `node-${at % NODES}` },
    status: { phase: 'Running' },
  }));
  const lists: Record<string, object> = { nodes, pods };
  return {
    cluster,
    stream: () => Promise.resolve(new PassThrough()),
    request: <T>({ path }: { path: string }) => {
      const resource = path.split('?')[0]?.split('/').at(-1) ?? '';
      return Promise.resolve({ metadata, items: lists[resource] ?? [] } as T);
    },
  };
}

import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { AgentPod } from '../../../../infra/local/node-agent/pod/pod.ts';
import { createPods, type Pods } from '../../../../infra/local/node-agent/workers/pods.ts';
import {
  createContainers,
  type Containers,
  stopAll,
} from '../../../../infra/local/node-agent/process/containers.ts';
import { createMemory, type Memory } from '../../../../infra/local/node-agent/process/memory.ts';
import type { PodApi } from '../../../../infra/local/node-agent/workers/status-writer.ts';

/** An API server's pods, in memory: merges status patches, and notifies waiters. */
export interface FakeApi extends PodApi {
  /** Creates or changes a pod as a client would, and shows it to the node. */
  put(pod: AgentPod, node: Pods): void;
  get(name: string): AgentPod | undefined;
  /** The pod, once it meets the condition. */
  until(name: string, wanted: (pod: AgentPod) => boolean): Promise<AgentPod>;
  /** Resolves once the node has released the object. */
  untilDeleted(name: string): Promise<void>;
  /** Phases in the order in which they were written. */
  phases(name: string): string[];
}

export function aFakeApi(): FakeApi {
  const pods = new Map<string, AgentPod>();
  const phases = new Map<string, string[]>();
  const changes = new EventEmitter();
  let version = 1;
  const store = (pod: AgentPod): AgentPod => {
    version += 1;
    const stored = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(version) } };
    pods.set(pod.metadata.name, stored);
    changes.emit('change');
    return stored;
  };
  const until: FakeApi['until'] = async (name, wanted) => {
    for (;;) {
      const pod = pods.get(name);
      if (pod !== undefined && wanted(pod)) return pod;
      await once(changes, 'change');
    }
  };
  return {
    async patchStatus(pod, patch) {
      const held = pods.get(pod.metadata.name);
      if (held === undefined) return undefined;
      const patched = new Set(patch.status.conditions?.map((one) => one.type));
      const kept = (held.status?.conditions ?? []).filter((one) => !patched.has(one.type));
      const news = JSON.parse(
        JSON.stringify(patch.status.conditions ?? []),
        (_key, value: unknown) => value ?? undefined,
      );
      const status = { ...held.status, ...patch.status, conditions: [...kept, ...(news as typeof kept)] };
      if (patch.status.phase !== undefined) {
        phases.set(pod.metadata.name, [...(phases.get(pod.metadata.name) ?? []), patch.status.phase]);
      }
      return store({ ...held, status });
    },
    async deleteNow(pod) {
      pods.delete(pod.metadata.name);
      changes.emit('change');
    },
    put(pod, node) {
      node.observed(store(pod));
    },
    get: (name) => pods.get(name),
    until,
    async untilDeleted(name) {
      while (pods.has(name)) await once(changes, 'change');
    },
    phases: (name) => phases.get(name) ?? [],
  };
}

export interface ANode {
  pods: Pods;
  memory: Memory;
  containers: Containers;
  /** As after `kill -9`: nothing is stopped or written any more. */
  crash(): void;
}

/** A node agent without API server. A second one on the same directory is the first one after a crash. */
export function aNode(directory: string, api: PodApi): ANode {
  const memory = createMemory(directory);
  const containers = createContainers({
    memory,
    objects: {
      configMap: async (_namespace, name) =>
        name === 'settings' ? { colour: Buffer.from('blue') } : undefined,
      secret: async () => undefined,
      token: async () => 'token',
    },
    services: { KUBERNETES_SERVICE_HOST: '127.0.0.1' },
    node: { cpu: '64' },
    images: [],
    ownEnvironment: { PATH: process.env['PATH'], AGENT_SECRET: 'hidden' },
  });
  const settings = { baseMs: 20, maxMs: 80 };
  const pods = createPods({ containers, memory, api, settings, log: pino({ level: 'silent' }) });
  return { pods, memory, containers, crash: () => pods.close() };
}

export function aStateDirectory(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'jobledger-node-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Ends processes that a test left running. */
export async function clear(node: ANode): Promise<void> {
  node.pods.close();
  await stopAll(node.containers, 0);
  await eventually(() => node.containers.living().length === 0);
}

/** Resolves once the condition holds; the test fails when it never does. */
export async function eventually(isSo: () => boolean): Promise<void> {
  const until = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > until) throw new Error(`not so within 10 s: ${isSo.toString()}`);
    await delay(2);
  }
}

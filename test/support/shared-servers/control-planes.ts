import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Addresses } from '../../../infra/local/state/addresses.ts';
import { deleteKeys, keysBelow, type EtcdAt, type EtcdKey } from '../../../infra/local/cluster/etcd-keys.ts';
import type { LocalClusterOptions } from '../../../infra/local/cluster/local-cluster.ts';
import { startLocalServers, type LocalServers } from '../../../infra/local/local-servers.ts';
import { createKubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../../services/adapters/kubernetes/connection.ts';
import { errorMessage } from '../../../services/adapters/errors.ts';

// The control planes that files of a run use one after another. A plane that is given back becomes as it was when it was new: what its
// etcd has now and had not then is deleted there, which its API server and controllers see as deletions like any other. That needs
// neither finalizers nor grace periods nor a list of kinds. A plane whose first objects are changed or gone is stopped.

/** The part of a cluster's options that files with a shared plane may choose. */
export type SharedPlaneOptions = Pick<LocalClusterOptions, 'name' | 'node' | 'builtInJobController'>;

/** A plane that belongs to one test file until it is given back. */
export interface LentPlane {
  id: string;
  addresses: Addresses;
  /** Its audit log, and where the part of this file begins. */
  auditLog: AuditPart;
}

export interface AuditPart {
  file: string;
  from: number;
}

export interface ControlPlanes {
  lend(options: SharedPlaneOptions): Promise<LentPlane>;
  giveBack(id: string): void;
  stop(): Promise<void>;
}

interface Plane {
  key: string;
  stateDir: string;
  auditLog: string;
  servers: LocalServers;
  etcd: EtcdAt;
  /** The keys of its etcd when it was new. */
  first: Map<string, EtcdKey>;
  /** Its nodes as they are set, without their status: as text, then and now. */
  firstNodes: string;
  nodes(): Promise<string>;
  /** Whether it is as it was when it was new, once that is known. */
  isClean: Promise<boolean>;
}

/** The number of planes that wait for the next file; each takes 800 MB. Most files want one of two kinds. */
const IDLE = 3;
const ALL_KEYS = '/registry/';
/** Heartbeats. */
const BEATING = /^\/registry\/(leases\/(kube-node-lease\/|kube-system\/apiserver-)|peerserverleases\/)/;
/** The node writes its status once a minute. */
const NODES = '/registry/minions/';
const EVENTS = '/registry/events/';
const LOOK_EVERY_MS = 250;
const SETTLES_WITHIN_MS = 60_000;
const CLEAN_WITHIN_MS = 20_000;
/** The API server begins a new file at 100 MB. */
const LONGEST_AUDIT_LOG = 50_000_000;

export function controlPlanes(): ControlPlanes {
  const all = new Set<Promise<Plane>>();
  const lent = new Map<string, Plane>();
  /** The planes that were given back last are at the end. */
  const idle: Plane[] = [];
  let isOver = false;
  const discard = async (plane: Plane): Promise<void> => {
    await plane.servers.stop();
    rmSync(plane.stateDir, { recursive: true, force: true });
  };
  const end = async (plane: Plane): Promise<void> => {
    await plane.isClean;
    await discard(plane);
  };
  const started = (options: SharedPlaneOptions, key: string): Promise<Plane> => {
    const starting = startPlane(options, key);
    all.add(starting);
    return starting;
  };
  const reused = async (key: string): Promise<Plane | undefined> => {
    for (;;) {
      const at = idle.findLastIndex((plane) => plane.key === key);
      const [plane] = at === -1 ? [] : idle.splice(at, 1);
      if (plane === undefined) return undefined;
      // Once more: a controller may have answered to the deletions.
      if ((await plane.isClean) && (await clean(plane))) return plane;
      await discard(plane);
    }
  };
  return {
    async lend(options) {
      const { name, node = true, builtInJobController = true } = options;
      const key = JSON.stringify([name, node, builtInJobController]);
      const plane = (await reused(key)) ?? (await started(options, key));
      if (isOver) throw new Error('the run is over');
      const id = randomBytes(8).toString('hex');
      lent.set(id, plane);
      const { servers, auditLog: file } = plane;
      return { id, addresses: servers.addresses, auditLog: { file, from: fileSize(file) } };
    },
    giveBack(id) {
      const plane = lent.get(id);
      if (plane === undefined) return;
      lent.delete(id);
      plane.isClean = clean(plane);
      idle.push(plane);
      if (idle.length > IDLE) void idle.splice(0, 1).map(discard);
    },
    async stop() {
      isOver = true;
      await Promise.allSettled([...all].map((starting) => starting.then(end)));
    },
  };
}

async function startPlane(options: SharedPlaneOptions, key: string): Promise<Plane> {
  // The prefix that reap-test-servers.ts looks for.
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-test-plane-'));
  const servers = await startLocalServers({
    stateDir,
    clusters: [{ ...options, audit: true, etcdAnswersHttp: true }],
    kubectl: true,
    report,
    purpose: 'a control plane of a test run',
  });
  const ports = JSON.parse(readFileSync(join(stateDir, 'ports.json'), 'utf8')) as Record<string, number>;
  const pki = join(stateDir, 'cluster', options.name, 'pki', 'etcd');
  const etcd = {
    port: ports[`${options.name}-etcd`] ?? 0,
    authorityFile: join(pki, 'authority.crt'),
    client: { key: join(pki, 'kube-apiserver.key'), certificate: join(pki, 'kube-apiserver.crt') },
  };
  const nodes = nodesReader(servers.addresses.adminKubeconfig ?? '', options.name);
  try {
    const rest = await settled(etcd, nodes);
    const auditLog = join(stateDir, 'logs', `${options.name}-audit.log`);
    return { key, stateDir, auditLog, servers, etcd, nodes, ...rest, isClean: Promise.resolve(true) };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

function report(line: string): void {
  process.stderr.write(`shared control planes: ${line}\n`);
}

interface Node {
  metadata: { name: string; labels: unknown; annotations: unknown };
  spec: unknown;
}

function nodesReader(kubeconfig: string, context: string): () => Promise<string> {
  const [connection] = connectClusters({ kubeconfig, contexts: [context] });
  if (connection === undefined) throw new Error(`no context ${context}`);
  const client = createKubernetesClient(connection);
  return async () => {
    const { items } = await client.request<{ items: Node[] }>({ method: 'GET', path: '/api/v1/nodes' });
    return JSON.stringify(
      items.map(({ metadata: { name, labels, annotations }, spec }) => [name, labels, annotations, spec]),
    );
  };
}

/** The keys of etcd and the nodes, once the controllers have created their own objects. */
async function settled(etcd: EtcdAt, nodes: Plane['nodes']): Promise<Pick<Plane, 'first' | 'firstNodes'>> {
  const limit = Date.now() + SETTLES_WITHIN_MS;
  let before = { first: new Map<string, EtcdKey>(), firstNodes: '' };
  for (let alike = 0; alike < 4;) {
    await delay(LOOK_EVERY_MS);
    const now = { first: await lasting(etcd), firstNodes: await nodes() };
    const { more, changed } = differences(before.first, now.first);
    const isAlike = more.length + changed.length === 0 && before.firstNodes === now.firstNodes;
    alike = isAlike && hasAccounts(now.first) ? alike + 1 : 0;
    before = now;
    if (Date.now() > limit) throw new Error('the control plane does not come to rest');
  }
  return before;
}

/** True when each namespace has the objects that the controller manager puts into it. */
function hasAccounts(keys: ReadonlyMap<string, unknown>): boolean {
  const namespaces = [...keys.keys()].flatMap((key) => /^\/registry\/namespaces\/(.*)$/.exec(key)?.[1] ?? []);
  return namespaces.every(
    (name) =>
      keys.has(`/registry/serviceaccounts/${name}/default`) &&
      keys.has(`/registry/configmaps/${name}/kube-root-ca.crt`),
  );
}

/** All keys but those of heartbeats, and of Events, which expire. */
async function lasting(etcd: EtcdAt): Promise<Map<string, EtcdKey>> {
  const keys = await keysBelow(ALL_KEYS, etcd);
  return new Map(
    keys.filter(({ key }) => !BEATING.test(key) && !key.startsWith(EVENTS)).map((each) => [each.key, each]),
  );
}

interface Differences {
  /** Keys that are there now only. */
  more: string[];
  /** Those that are changed, or gone. */
  changed: string[];
}

function differences(first: ReadonlyMap<string, EtcdKey>, now: ReadonlyMap<string, EtcdKey>): Differences {
  const isSame = (one: EtcdKey, other: EtcdKey | undefined): boolean =>
    one.created === other?.created && (one.changed === other.changed || one.key.startsWith(NODES));
  return {
    more: [...now.keys()].filter((key) => !first.has(key)),
    changed: [...first.values()].filter((each) => !isSame(each, now.get(each.key))).map(({ key }) => key),
  };
}

/** Deletes what is there since the plane is used. Whether it is then as it was. */
async function clean(plane: Plane): Promise<boolean> {
  const { etcd, first, auditLog } = plane;
  const limit = Date.now() + CLEAN_WITHIN_MS;
  try {
    for (;;) {
      const now = await lasting(etcd);
      const { more, changed } = differences(first, now);
      if (changed.length > 0) return refused(plane, `changed: ${changed.join(', ')}`);
      // A node whose heartbeat was late has a taint for a while.
      const nodes = await plane.nodes();
      if (more.length === 0 && nodes === plane.firstNodes) break;
      if (Date.now() > limit) return refused(plane, `not as at first: ${[...more, nodes].join(', ')}`);
      await deleteKeys(more, etcd);
      await delay(LOOK_EVERY_MS);
    }
    const events = await keysBelow(EVENTS, etcd);
    await deleteKeys(
      events.map(({ key }) => key),
      etcd,
    );
    return fileSize(auditLog) < LONGEST_AUDIT_LOG;
  } catch (error) {
    return refused(plane, errorMessage(error));
  }
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function refused({ key }: Plane, why: string): false {
  report(`${key} is not used again: ${why}`);
  return false;
}

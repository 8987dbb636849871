import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../../services/adapters/errors.ts';
import {
  isOlderMinor,
  KUBERNETES_VARIABLE,
  kubernetesVersion,
  minorVersion,
  nextKubernetes,
  wantedKubernetes,
  type KubernetesMinor,
} from '../tools/kubernetes-versions.ts';
import { findTool } from '../tools/find-tool.ts';
import { readOutput } from '../tools/prerequisite.ts';
import { textIn, writePrivately } from '../state/files.ts';
import type { PlanContext } from '../state/start-plan.ts';
import type { StateDirectory } from '../state/state-directory.ts';
import { storedObjects } from './stored-objects.ts';

/** The versions of the programs that last opened the data of a state directory's clusters. */
interface StoredVersions {
  readonly kubernetes: string;
  readonly etcd: string;
}

const SHOWN_OBJECTS = 10;

/**
 * The version that the state directory's clusters run with: the version of their data, the next minor version if the
 * variable requests it, or for new clusters the variable's version or the default. @throws InputError when the variable
 * requests any other version, or the upgrade would lose objects.
 */
export async function chooseKubernetes(
  context: PlanContext,
  readObjects: typeof storedObjects = storedObjects,
): Promise<KubernetesMinor> {
  const { dir } = context.state;
  const clusters = clustersWithData(context.state);
  if (clusters.length === 0) return wantedKubernetes();
  const stored = minorVersion(storedVersions(context.state).kubernetes);
  const chosen = nextKubernetes({ dir, stored, wanted: process.env[KUBERNETES_VARIABLE] });
  const { dropped } = kubernetesVersion(chosen);
  if (chosen === stored || dropped === undefined) return chosen;
  const from = nextKubernetes({ dir, stored });
  const etcd = await findTool('etcd', { ...context, kubernetes: from });
  await versionOfEtcd(etcd, context.state);
  for (const cluster of clusters) {
    const left = await readObjects(cluster, dropped, { ...context, etcd });
    if (left.length > 0) throw lostObjectsError(chosen, { cluster, from, left });
  }
  return chosen;
}

/** Stores the versions, before these programs open the data. @throws InputError when etcd is older than the data. */
export async function storeVersions(
  state: StateDirectory,
  minor: KubernetesMinor,
  etcdProgram: string,
): Promise<void> {
  const { kubernetes, etcd: expected } = kubernetesVersion(minor);
  const etcd = (await versionOfEtcd(etcdProgram, state)) ?? expected;
  writePrivately(versionsFile(state), `${JSON.stringify({ kubernetes, etcd } satisfies StoredVersions)}\n`);
}

/**
 * The version of the program, which can differ from the version in the table because the user may have named the
 * program. @throws InputError when a later minor version wrote the data: etcd itself may open and damage such data.
 */
async function versionOfEtcd(program: string, state: StateDirectory): Promise<string | undefined> {
  const output = (await readOutput(program, ['--version'])) ?? '';
  const version = /etcd Version: (\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (version === undefined || clustersWithData(state).length === 0) return version;
  const { etcd: stored } = storedVersions(state);
  if (isOlderMinor(version, stored))
    throw new InputError(
      `etcd ${version} (${program}) cannot open the data in ${state.dir}, which etcd ${stored} has written; name an etcd ${minorVersion(stored)} in JOBLEDGER_ETCD, or choose another --state-dir`,
    );
  return version;
}

function storedVersions(state: StateDirectory): StoredVersions {
  const text = textIn(versionsFile(state));
  if (text !== undefined) return JSON.parse(text) as StoredVersions;
  throw new InputError(
    `${versionsFile(state)}, with the versions of Kubernetes and etcd that wrote the data of its clusters, is missing: restore it, or choose another --state-dir`,
  );
}

function versionsFile(state: StateDirectory): string {
  return state.at('cluster', 'versions.json');
}

/** The names of the clusters whose etcd has run. */
function clustersWithData(state: StateDirectory): string[] {
  const dir = state.at('cluster');
  if (!existsSync(dir)) return [];
  return readdirSync(dir).filter((name) => existsSync(path.join(dir, name, 'etcd', 'member')));
}

/** The error for an upgrade after which these objects could not be read. */
function lostObjectsError(
  chosen: KubernetesMinor,
  { cluster, from, left }: { cluster: string; from: string; left: readonly string[] },
): InputError {
  const more = left.length > SHOWN_OBJECTS ? ` and ${left.length - SHOWN_OBJECTS} more` : '';
  return new InputError(
    `the cluster "${cluster}" has objects that Kubernetes ${chosen} cannot read: ${left.slice(0, SHOWN_OBJECTS).join(', ')}${more}; start it with ${KUBERNETES_VARIABLE}=${from} and --gang-scheduling, suspend the Jobs that have a gang, delete the objects (kubectl delete podgroups,workloads --all --all-namespaces), and upgrade again`,
  );
}

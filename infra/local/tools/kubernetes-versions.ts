import { InputError } from '../../../services/adapters/errors.ts';

/** The configuration for gangs in a version: the feature gates for every server, and the API to serve. */
export interface GangFeatures {
  readonly gates: readonly string[];
  readonly api: string;
}

/** The control plane of a local cluster, in one version. */
export interface KubernetesVersion {
  /** The newest patch of its minor version on the Go proxy. */
  readonly kubernetes: string;
  /** The version of etcd that the go.mod of this release names. */
  readonly etcd: string;
  /** Absent when the Job controller of the version creates no gangs. */
  readonly gangs?: GangFeatures;
  /**
   * Resources whose objects of the earlier minor version cannot be read from etcd any more, because no served version
   * of their API can decode them.
   */
  readonly dropped?: readonly string[];
}

/** The versions by minor version, in order. */
const VERSIONS = {
  '1.34': { kubernetes: '1.34.4', etcd: '3.6.4' },
  '1.35': { kubernetes: '1.35.4', etcd: '3.6.5' },
  '1.36': {
    kubernetes: '1.36.3',
    etcd: '3.6.8',
    gangs: {
      gates: ['GenericWorkload', 'WorkloadWithJob', 'GangScheduling'],
      api: 'scheduling.k8s.io/v1alpha2',
    },
  },
  '1.37': {
    kubernetes: '1.37.2',
    etcd: '3.7.0',
    gangs: {
      // The last gate is for Jobs whose `spec.scheduling` names a topology.
      gates: ['GenericWorkload', 'WorkloadWithJob', 'TopologyAwareWorkloadScheduling'],
      api: 'scheduling.k8s.io/v1beta1',
    },
    // scheduling.k8s.io/v1alpha2
    dropped: ['podgroups', 'workloads'],
  },
} as const satisfies Record<string, KubernetesVersion>;

export type KubernetesMinor = keyof typeof VERSIONS;

/** The version of a new local cluster when the variable does not choose one. */
export const DEFAULT_KUBERNETES: KubernetesMinor = '1.37';

export const KUBERNETES_VARIABLE = 'JOBLEDGER_LOCAL_KUBERNETES';

export const KUBERNETES_MINORS = Object.keys(VERSIONS) as readonly KubernetesMinor[];

export function kubernetesVersion(minor: KubernetesMinor): KubernetesVersion {
  return VERSIONS[minor];
}

/** The feature gates and the API of gangs in a version. @throws InputError for a version without gangs. */
export function gangFeatures(minor: KubernetesMinor): GangFeatures {
  const { gangs } = kubernetesVersion(minor);
  if (gangs !== undefined) return gangs;
  const others = KUBERNETES_MINORS.filter((other) => kubernetesVersion(other).gangs !== undefined);
  throw new InputError(
    `the local cluster has Kubernetes ${minor}, which schedules no gangs: omit --gang-scheduling (JOBLEDGER_GANG_SCHEDULING), or choose ${others.join(' or ')} with ${KUBERNETES_VARIABLE}`,
  );
}

/** `1.36.3` → `1.36`. */
export function minorVersion(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/**
 * True when the minor version of the first argument is earlier than the minor version of the second, as `3.6.8` is
 * earlier than `3.7.0`.
 */
export function isOlderMinor(one: string, other: string): boolean {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/**
 * The version that the variable names, or the default. @throws InputError when the variable names an unknown version.
 */
export function wantedKubernetes(wanted = process.env[KUBERNETES_VARIABLE] ?? ''): KubernetesMinor {
  if (wanted === '') return DEFAULT_KUBERNETES;
  if (isKnown(wanted)) return wanted;
  throw new InputError(
    `${KUBERNETES_VARIABLE} is "${wanted}"; choose one of ${KUBERNETES_MINORS.join(', ')}`,
  );
}

/**
 * The version to run a state directory with, whose data have the version `stored`. `wanted` is the variable's value. An
 * upgrade goes one minor version at a time, as for every Kubernetes cluster, and a downgrade is refused. @throws
 * InputError that names the version that can be chosen.
 */
export function nextKubernetes({
  dir,
  stored,
  wanted = '',
}: {
  dir: string;
  stored: string;
  wanted?: string | undefined;
}): KubernetesMinor {
  const has = `the local cluster in ${dir} has Kubernetes ${stored}`;
  if (!isKnown(stored))
    throw new InputError(
      `${has}, which this version of Jobledger cannot run; use the version that created it, or choose another --state-dir`,
    );
  if (wanted === '') return stored;
  const step = KUBERNETES_MINORS.indexOf(wantedKubernetes(wanted)) - KUBERNETES_MINORS.indexOf(stored);
  const next = KUBERNETES_MINORS[KUBERNETES_MINORS.indexOf(stored) + step];
  if (next !== undefined && (step === 0 || step === 1)) return next;
  const refused = `${has}, and ${KUBERNETES_VARIABLE} is ${wanted}`;
  if (step < 0)
    throw new InputError(
      `${refused}: its data cannot be downgraded; set ${stored}, or choose another --state-dir for a new cluster`,
    );
  throw new InputError(
    `${refused}: an upgrade goes one minor version at a time; set ${KUBERNETES_MINORS[KUBERNETES_MINORS.indexOf(stored) + 1]} first`,
  );
}

function isKnown(minor: string): minor is KubernetesMinor {
  return Object.hasOwn(VERSIONS, minor);
}

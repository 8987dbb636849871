import type { ReplacedController } from '../../../services/adapters/config.ts';
import type { Claim } from '../../../workflows/kubernetes/names.ts';

/** A permission that the account of Jobledger needs; a test compares all of them with infra/deploy/kubernetes/rbac.yaml. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly verbs: readonly string[];
  /** True when the right is needed only in the namespace of Jobledger's own objects. */
  readonly own?: true;
  /**
   * The configurations that need the right; absent if every configuration needs it. `api`: only the HTTP API needs the right, to submit Jobs and to
   * check the tokens and rights of people; `events`: no configuration needs the right, with which Kubernetes Events are recorded; `namespaces`: the right is needed only for given namespaces.
   */
  readonly only?: readonly (
    | 'api'
    | 'ttl'
    | 'cronjob'
    | 'claim all'
    | 'gangs'
    | 'placement'
    | 'events'
    | 'whole cluster'
    | 'namespaces'
  )[];
}

/** The name of Jobledger's own namespace in the manifests. */
export const OWN_NAMESPACE = 'jobledger';

export const RIGHTS: readonly Right[] = [
  { group: 'batch', resource: 'jobs', verbs: ['get', 'list', 'watch', 'patch'] },
  { group: 'batch', resource: 'jobs', verbs: ['create'], only: ['api', 'cronjob', 'placement'] },
  { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'], only: ['api'] },
  { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'], only: ['api'] },
  { group: 'batch', resource: 'jobs', verbs: ['delete'], only: ['ttl', 'cronjob', 'placement'] },
  { group: '', resource: 'nodes', verbs: ['list', 'watch'], only: ['placement'] },
  { group: '', resource: 'resourcequotas', verbs: ['list'], only: ['placement'] },
  { group: '', resource: 'limitranges', verbs: ['list'], only: ['placement'] },
  { group: '', resource: 'serviceaccounts', verbs: ['get'], only: ['placement'] },
  { group: 'batch', resource: 'cronjobs', verbs: ['get', 'list', 'watch'], only: ['cronjob'] },
  { group: 'batch', resource: 'cronjobs', subresource: 'status', verbs: ['patch'], only: ['cronjob'] },
  { group: 'batch', resource: 'cronjobs', subresource: 'finalizers', verbs: ['update'], only: ['cronjob'] },
  { group: 'batch', resource: 'jobs', subresource: 'status', verbs: ['patch', 'update'] },
  { group: 'batch', resource: 'jobs', subresource: 'finalizers', verbs: ['update'] },
  {
    group: 'scheduling.k8s.io',
    resource: 'workloads',
    verbs: ['get', 'list', 'create', 'patch'],
    only: ['gangs'],
  },
  {
    group: 'scheduling.k8s.io',
    resource: 'podgroups',
    verbs: ['get', 'list', 'create', 'patch'],
    only: ['gangs'],
  },
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch', 'create', 'delete', 'patch'] },
  { group: '', resource: 'events', verbs: ['create'] },
  { group: 'events.k8s.io', resource: 'events', verbs: ['list', 'watch'], only: ['events'] },
  { group: '', resource: 'namespaces', name: 'kube-system', verbs: ['get'], only: ['whole cluster'] },
  { group: '', resource: 'namespaces', name: OWN_NAMESPACE, verbs: ['get'], own: true, only: ['namespaces'] },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'], own: true },
  { group: 'batch', resource: 'jobs', verbs: ['create', 'delete'], own: true, only: ['claim all'] },
  { group: 'batch', resource: 'cronjobs', verbs: ['create', 'delete'], own: true, only: ['cronjob'] },
];

/**
 * Further permissions in Jobledger's own namespace if it watches only given namespaces, because the worker watches its probes in its own namespace.
 */
const OF_PROBES: readonly Right[] = [
  { group: 'batch', resource: 'jobs', verbs: ['list', 'watch'], own: true, only: ['claim all'] },
  { group: 'batch', resource: 'cronjobs', verbs: ['list', 'watch'], own: true, only: ['cronjob'] },
  {
    group: 'batch',
    resource: 'cronjobs',
    subresource: 'status',
    verbs: ['patch'],
    own: true,
    only: ['cronjob'],
  },
];

/** The permissions needed to control Jobs. */
export function rightsFor(dependencies: {
  claim: Claim;
  controllers: readonly ReplacedController[];
  gangs: boolean;
  /** True when placed Jobs may use the cluster. */
  placement: boolean;
  namespaces: readonly string[];
}): readonly Right[] {
  const { claim, controllers, gangs, placement, namespaces } = dependencies;
  const wanted: readonly string[] = [
    ...controllers,
    namespaces.length === 0 ? 'whole cluster' : 'namespaces',
    ...(claim === 'all' ? ['claim all'] : []),
    ...(gangs ? ['gangs'] : []),
    ...(placement ? ['placement'] : []),
  ];
  const all = namespaces.length === 0 ? RIGHTS : [...RIGHTS, ...OF_PROBES];
  return all.filter(({ only }) => only?.some((each) => wanted.includes(each)) ?? true);
}

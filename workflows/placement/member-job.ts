import {
  AFTER,
  CLUSTERS,
  CONTINUED_FAILURES,
  GENERATED_LABELS,
  GRANT,
  GUARDED,
  IF_CLUSTER_IS_LOST,
  INDEXES,
  MEMBER_ANNOTATIONS,
  OWN_MANAGER,
  PLACED_FOR,
  SPILL_AFTER,
  SPREAD,
  SUBMISSION,
} from '../kubernetes/names.ts';
import { grantText } from '../batch/index-grant.ts';
import type { Job, OwnerReference } from '../kubernetes/objects.ts';
import { withoutEntries } from '../kubernetes/without.ts';
import type { PlacementCommandOf } from './commands.ts';

/** Annotations that only concern the placed Job. */
const OWN_ANNOTATIONS = [
  // With this annotation, a member that begins suspended would wait for Jobs of its own cluster.
  AFTER,
  CLUSTERS,
  SPILL_AFTER,
  IF_CLUSTER_IS_LOST,
  SPREAD,
  SUBMISSION,
  ...MEMBER_ANNOTATIONS,
  'kubectl.kubernetes.io/last-applied-configuration',
  'batch.kubernetes.io/job-tracking',
];

/**
 * Other programs identify the objects that they have deployed by these labels and annotations. A copy of these labels
 * and annotations would make a member look like an object of such a program. The program deletes objects that it did
 * not deploy, so each member would be deleted soon after its creation. `*`: any end.
 */
const MARKS_OF_OTHERS = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'applyset.kubernetes.io/*',
  'argocd.argoproj.io/*',
  'cli-utils.sigs.k8s.io/*',
  'config.k8s.io/*',
  'fleet.cattle.io/*',
  'helm.sh/*',
  'helm.toolkit.fluxcd.io/*',
  'kapp.k14s.io/*',
  'kustomize.toolkit.fluxcd.io/*',
  'meta.helm.sh/*',
  'objectset.rio.cattle.io/*',
];

/** True for a label or an annotation by which another program identifies its objects. */
function isMarkOfOtherProgram(name: string): boolean {
  return MARKS_OF_OTHERS.some((mark) =>
    mark.endsWith('*') ? name.startsWith(mark.slice(0, -1)) : name === mark,
  );
}

/** The labels or annotations that a member takes over. */
function copiedEntries(
  values: Readonly<Record<string, string>>,
  own: readonly string[],
): Record<string, string> {
  const others = Object.keys(values).filter(isMarkOfOtherProgram);
  return withoutEntries(values, [...own, ...others]);
}

/** A Job to create; its namespace is the namespace of the placed Job. */
export interface NewMember {
  apiVersion: 'batch/v1';
  kind: 'Job';
  metadata: {
    name: string;
    namespace: string;
    labels?: Record<string, string>;
    annotations: Record<string, string>;
    ownerReferences?: OwnerReference[];
  };
  spec: Job['spec'];
}

/**
 * The member of a placed Job, under the ordinary controller: its spec is the spec of the Job with the changes of the
 * command (J-16.6). `mark` is the id of the decision that gave the grant. In the home cluster, the placed Job owns
 * the member, unless the member has a guard: the garbage collector keeps an object while one of its owners exists, so
 * the guard is the only owner (J-16.16).
 */
export function memberJob(
  home: string,
  { metadata, spec }: Job,
  command: PlacementCommandOf<'CreateMember'>,
  mark: string,
): NewMember {
  const { namespace, name, uid, labels, annotations = {} } = metadata;
  const {
    managedBy: _managedBy,
    ttlSecondsAfterFinished: _ttl,
    selector: _selector,
    template,
    ...rest
  } = spec;
  const { guard, indexes, continues: { failures } = {} } = command;
  const owner = guard ?? (command.cluster === home ? { name, uid } : undefined);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: command.name,
      namespace,
      ...(labels !== undefined && {
        labels: copiedEntries(labels, GENERATED_LABELS),
      }),
      annotations: {
        ...copiedEntries(annotations, OWN_ANNOTATIONS),
        [PLACED_FOR]: [home, namespace, name, uid].join('/'),
        [GRANT]: mark,
        ...(guard !== undefined && { [GUARDED]: guard.uid }),
        ...(indexes !== undefined && {
          [INDEXES]: grantText({ number: 1, indexes }),
        }),
        ...(failures !== undefined && {
          [CONTINUED_FAILURES]: JSON.stringify(failures),
        }),
      },
      ...(owner !== undefined && { ownerReferences: [ownerReference(owner)] }),
    },
    spec: {
      ...rest,
      ...command.spec,
      managedBy: OWN_MANAGER,
      ...(template !== undefined && {
        template: {
          ...template,
          metadata: {
            ...template.metadata,
            ...(template.metadata?.labels !== undefined && {
              labels: withoutEntries(template.metadata.labels, GENERATED_LABELS),
            }),
          },
        },
      }),
    },
  };
}

/** The owner reference to a Job. */
function ownerReference({ name, uid }: Pick<OwnerReference, 'name' | 'uid'>): OwnerReference {
  return { apiVersion: 'batch/v1', kind: 'Job', name, uid };
}

/**
 * The home that a Job names in its annotation; null without a valid annotation. The stream of the home determines
 * whether the Job is a member.
 */
export function homeNamedBy({ annotations }: Pick<Job['metadata'], 'annotations'>): HomeRef | null {
  const text = annotations?.[PLACED_FOR];
  const parts = text?.split('/') ?? [];
  const [cluster = '', namespace = '', name = '', uid = ''] = parts;
  return parts.length === 4 && parts.every((part) => part !== '') ? { cluster, namespace, name, uid } : null;
}

/** The home of a member. */
export interface HomeRef {
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
}

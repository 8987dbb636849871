import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { AuditEvent } from './audit-event.ts';
import { loadAllYaml } from './yaml.ts';

// The rights of infra/deploy/kubernetes/rbac.yaml that the services have used, from the audit logs of the API servers.

interface RoleManifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

/** The namespace of our own objects. */
const OWN_NAMESPACE = 'jobledger';
const ACCOUNT_PREFIX = `system:serviceaccount:${OWN_NAMESPACE}:jobledger-`;

/** The file to which installations add what their services have used; unset: nothing is noted. */
export const USED_RIGHTS_FILE = 'JOBLEDGER_USED_RIGHTS_FILE';

/** The rights of each service, one line each: `worker: create pods`, `worker: create jobs.batch in jobledger`. */
export function grantedRights(manifests: string): string[] {
  const objects = loadAllYaml(manifests) as RoleManifest[];
  return objects.flatMap(({ metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((apiGroup) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => {
            const service = metadata.name.replace('jobledger-', '');
            return asText(service, verb, { apiGroup, resource, namespace: metadata.namespace });
          }),
        ),
      ),
    ),
  );
}

/** The rights of the services' own accounts that these requests needed. */
export function usedRights(events: readonly AuditEvent[]): Set<string> {
  return new Set(
    events
      .filter(({ user, annotations }) => user.username.startsWith(ACCOUNT_PREFIX) && wasAllowed(annotations))
      .flatMap((event) => requestRights(event)),
  );
}

function wasAllowed(annotations: AuditEvent['annotations']): boolean {
  return annotations?.['authorization.k8s.io/decision'] === 'allow';
}

function requestRights({ user, verb, objectRef, responseStatus }: AuditEvent): string[] {
  if (objectRef?.resource === undefined) return [];
  const service = user.username.slice(ACCOUNT_PREFIX.length);
  const { apiGroup = '', resource, subresource, namespace } = objectRef;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const owner = verb === 'create' && responseStatus?.code === 201 ? OWNERS[resource] : undefined;
  const asked = [
    { verb, apiGroup, resource: what },
    // The admission plugin OwnerReferencesPermissionEnforcement has asked for it, which no audit log shows.
    ...(owner === undefined || namespace === OWN_NAMESPACE
      ? []
      : [{ verb: 'update', apiGroup: 'batch', resource: owner }]),
  ];
  // A request in a namespace may need a Role's right, or a ClusterRole's: both are used by it.
  return (namespace === undefined ? [undefined] : [undefined, namespace]).flatMap((where) =>
    asked.map((each) => asText(service, each.verb, { ...each, namespace: where })),
  );
}

/** What is needed to name an owner with blockOwnerDeletion, by what the services create below it. */
const OWNERS: Readonly<Record<string, string>> = { pods: 'jobs/finalizers', jobs: 'cronjobs/finalizers' };

/** `namespace` undefined: in the whole cluster. */
function asText(
  service: string,
  verb: string,
  { apiGroup, resource, namespace }: { apiGroup: string; resource: string; namespace: string | undefined },
): string {
  const group = apiGroup === '' ? '' : `.${apiGroup}`;
  return `${service}: ${verb} ${resource}${group}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** Adds what the services of an installation have used to the file, when one is named. */
export function noteUsedRights(events: readonly AuditEvent[]): void {
  const file = process.env[USED_RIGHTS_FILE];
  if (file === undefined) return;
  appendFileSync(file, [...usedRights(events)].map((right) => `${right}\n`).join(''));
}

/** Rights that only another Kubernetes version than the default one needs, whose tests run when it is chosen. */
const OF_OTHER_VERSIONS = [
  // integration/gang-scheduling.kubernetes-1.36
  'worker: list podgroups.scheduling.k8s.io',
];

/** The rights in the manifests that no line of the file names, but for those of other versions. */
export function unusedRights(manifests: string, file: string): string[] {
  const used = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  return grantedRights(manifests).filter((right) => !used.has(right) && !OF_OTHER_VERSIONS.includes(right));
}

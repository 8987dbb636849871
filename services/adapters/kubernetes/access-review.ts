import type { KubernetesClient } from './client.ts';

/** The attributes by which a cluster identifies a user. */
export interface ClusterUser {
  readonly name: string;
  readonly groups: readonly string[];
  /** Further attributes of the user, as in a TokenReview. */
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** An action of a person on Jobs of a namespace. */
export interface JobAccess {
  verb: 'create' | 'get' | 'patch';
  /** An empty namespace means every namespace. */
  namespace: string;
  /** Absent: any Job. */
  name?: string;
}

/** The action, as `spec.resourceAttributes` of a SubjectAccessReview. */
export interface ResourceAccess {
  verb: string;
  group: string;
  version: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

/** True when a cluster allows a person an action on Jobs. */
export function isAllowed(
  client: KubernetesClient,
  person: ClusterUser,
  access: JobAccess,
): Promise<boolean> {
  return isAllowedTo(client, person, { group: 'batch', version: 'v1', resource: 'jobs', ...access });
}

/** True when a cluster allows the user this action (`authorization.k8s.io/v1` SubjectAccessReview). */
export async function isAllowedTo(
  client: KubernetesClient,
  { name: user, groups, uid, extra }: ClusterUser,
  resourceAttributes: ResourceAccess,
): Promise<boolean> {
  const { status } = await client.request<{ status?: { allowed?: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user,
        groups,
        ...(uid !== undefined && { uid }),
        ...(extra !== undefined && { extra }),
        resourceAttributes,
      },
    },
  });
  return status?.allowed === true;
}

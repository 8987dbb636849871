import type { KubernetesClient } from './client.ts';

/** A user as clusters know one. */
export interface ClusterUser {
  readonly name: string;
  readonly groups: readonly string[];
  /** What else a cluster says of the user, as in a TokenReview. */
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Something that a person wants to do with Jobs of a namespace. */
export interface JobAccess {
  verb: 'create' | 'get' | 'patch';
  namespace: string;
  /** Absent: any Job. */
  name?: string;
}

/** What somebody wants to do, as `spec.resourceAttributes` of a SubjectAccessReview. */
export interface ResourceAccess {
  verb: string;
  group: string;
  version: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

/** Whether a cluster lets a person do something with Jobs. */
export function isAllowed(
  client: KubernetesClient,
  person: ClusterUser,
  access: JobAccess,
): Promise<boolean> {
  return isAllowedTo(client, person, { group: 'batch', version: 'v1', resource: 'jobs', ...access });
}

/** Whether a cluster lets somebody do it (`authorization.k8s.io/v1` SubjectAccessReview). */
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

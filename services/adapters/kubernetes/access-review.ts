import type { Person } from '../http/caller.ts';
import type { KubernetesClient } from './client.ts';

/** Something that a person wants to do with Jobs of a namespace. */
export interface JobAccess {
  verb: 'create' | 'get' | 'patch';
  namespace: string;
  /** Absent: any Job. */
  name?: string;
}

/** Whether a cluster lets a person do it (`authorization.k8s.io/v1` SubjectAccessReview). */
export async function isAllowed(
  client: KubernetesClient,
  { name: user, groups, uid, extra }: Person,
  access: JobAccess,
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
        resourceAttributes: { group: 'batch', version: 'v1', resource: 'jobs', ...access },
      },
    },
  });
  return status?.allowed === true;
}

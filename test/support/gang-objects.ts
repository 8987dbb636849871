import { GANG_API } from '../../workflows/kubernetes/names.ts';
import type { ObjectMeta, PodGroup, Workload } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from './cluster.ts';

/** The Workloads and PodGroups of a namespace, as an administrator or a user of the cluster has them. */
export interface GangObjects {
  /** The Workloads that refer to a Job by its name. */
  listWorkloads(job: string): Promise<Workload[]>;
  listPodGroups(workload: Workload): Promise<PodGroup[]>;
  createWorkload(
    name: string,
    job: string,
    fields?: Partial<Workload['spec']>,
    owners?: Owners,
  ): Promise<Workload>;
  createPodGroup(name: string, workload: Workload, owners?: Owners): Promise<PodGroup>;
}

type Owners = NonNullable<ObjectMeta['ownerReferences']>;

export function gangObjects({ client, namespace }: TestCluster, api = GANG_API): GangObjects {
  const path = (resource: string): string => `/apis/${api}/namespaces/${namespace}/${resource}`;
  const list = async <T>(resource: string): Promise<T[]> =>
    (await client.request<{ items: T[] }>({ method: 'GET', path: path(resource) })).items;
  const create = <T>(resource: string, kind: string, object: object): Promise<T> =>
    client.request<T>({
      method: 'POST',
      path: path(resource),
      body: { apiVersion: api, kind, ...object },
    });
  return {
    listWorkloads: async (job) =>
      (await list<Workload>('workloads')).filter(({ spec }) => spec.controllerRef?.name === job),
    listPodGroups: async ({ metadata: { name } }) =>
      (await list<PodGroup>('podgroups')).filter(
        ({ spec }) => (spec.workloadRef ?? spec.podGroupTemplateRef?.workload)?.workloadName === name,
      ),
    createWorkload: (name, job, fields = {}, ownerReferences = []) =>
      create('workloads', 'Workload', {
        metadata: { name, ownerReferences },
        spec: {
          controllerRef: { apiGroup: 'batch', kind: 'Job', name: job },
          podGroupTemplates: [{ name: 'own', schedulingPolicy: { gang: { minCount: 2 } } }],
          ...fields,
        },
      }),
    createPodGroup: (name, { metadata, spec: { podGroupTemplates } }, ownerReferences = []) => {
      const [template] = podGroupTemplates;
      const podGroupTemplateRef = {
        workload: { workloadName: metadata.name, podGroupTemplateName: template?.name },
      };
      return create('podgroups', 'PodGroup', {
        metadata: { name, ownerReferences },
        spec: { podGroupTemplateRef, schedulingPolicy: template?.schedulingPolicy },
      });
    },
  };
}

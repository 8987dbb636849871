import { SCHEDULED_TIMESTAMP } from '../kubernetes/names.ts';
import type { CronJob, Job, ObjectMeta } from '../kubernetes/objects.ts';
import type { CronCommandOf } from './commands.ts';

/** A Job to create; the API server completes its metadata. */
export type NewJob = Pick<Job, 'apiVersion' | 'kind' | 'spec'> & {
  metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'labels' | 'annotations' | 'ownerReferences'>;
};

/** The Job of a start, from the live CronJob (J-9.46); null when the CronJob has no template. */
export function childJob(
  { metadata, spec }: CronJob,
  { name, annotation }: CronCommandOf<'CreateJob'>,
): NewJob | null {
  const { jobTemplate } = spec;
  if (jobTemplate === undefined) return null;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: { ...jobTemplate.metadata?.labels },
      annotations: { ...jobTemplate.metadata?.annotations, [SCHEDULED_TIMESTAMP]: annotation },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: jobTemplate.spec,
  };
}

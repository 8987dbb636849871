import type { CreatePods, PodToCreate } from '../../../../workflows/job/commands.ts';
import { generateName } from '../../../../workflows/job/definitions/pod-names.ts';
import { COMPLETION_INDEX } from '../../../../workflows/kubernetes/names.ts';
import type { Container, Job, Pod, PodSpec } from '../../../../workflows/kubernetes/objects.ts';

type NewPod = Pick<Pod, 'apiVersion' | 'kind' | 'spec'> & { metadata: Partial<Pod['metadata']> };

/** A pod from the template of a Job (J-5.1 to J-5.10), in a gang if the command names a PodGroup (J-8.8). */
export function newPod(
  job: Job,
  wanted: PodToCreate,
  { finalizer, podGroup }: Pick<CreatePods, 'finalizer' | 'podGroup'>,
): NewPod {
  const { metadata = {}, spec: given = { containers: [] } } = job.spec.template ?? {};
  const spec = podGroup === undefined ? given : { ...given, schedulingGroup: { podGroupName: podGroup } };
  const { index } = wanted;
  const finalizers = metadata.finalizers ?? [];
  const indexed = index === undefined ? {} : { [COMPLETION_INDEX]: String(index) };
  const annotations = { ...metadata.annotations, ...indexed, ...wanted.annotations };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: wanted.name,
      generateName: generateName(job.metadata.name, index),
      namespace: job.metadata.namespace,
      labels: { ...metadata.labels, ...indexed },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      finalizers: finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer],
      ownerReferences: [controllerReference(job)],
    },
    spec: index === undefined ? spec : addIndexToSpec(spec, job.metadata.name, index),
  };
}

/** The reference to the Job as the controller of a pod (J-5.5). */
export function controllerReference({
  metadata,
}: Job): NonNullable<Pod['metadata']['ownerReferences']>[number] {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The spec with the hostname of an index, and with the index as a variable of every container (J-5.6). */
function addIndexToSpec(spec: PodSpec, jobName: string, index: number): PodSpec {
  return {
    ...spec,
    hostname: `${jobName}-${index}`,
    containers: spec.containers.map(addIndexToContainer),
    ...(spec.initContainers !== undefined && {
      initContainers: spec.initContainers.map(addIndexToContainer),
    }),
  };
}

function addIndexToContainer(container: Container): Container {
  const name = 'JOB_COMPLETION_INDEX';
  if (container.env?.some((variable) => variable.name === name) === true) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } };
  return { ...container, env: [...(container.env ?? []), { name, valueFrom }] };
}

import type { Container, Job, Pod, PodSpec } from '../../workflows/kubernetes/objects.ts';
import { stringifyExact } from '../adapters/exact-json.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const REDACTED = '[redacted]';

/** What is removed from objects before they are recorded. */
export interface Redaction {
  /** Replace literal values of container variables. */
  env: boolean;
  /** Objects above this size, in bytes of JSON, are recorded without template or spec. */
  maxBytes: number;
  /** Drop the template or spec regardless of size, because it could not be translated. */
  reduced?: boolean;
}

/** A Job for the ledger. `withoutTemplate`: the template was too large or could not be read. */
export function redactJob(job: Job, redaction: Redaction): { object: Job; withoutTemplate?: true } {
  const metadata = redactMetadata(job.metadata);
  const { template, ...spec } = job.spec;
  if (redaction.reduced !== true) {
    const redacted =
      template === undefined ? undefined : { ...template, spec: redactSpec(template.spec, redaction) };
    const object = { ...job, metadata, spec: { ...spec, ...(redacted && { template: redacted }) } };
    if (sizeOf(object) <= redaction.maxBytes) return { object };
  }
  const rest = { spec: reducedSpec(template?.spec) };
  return { object: { ...job, metadata, spec: { ...spec, template: rest } }, withoutTemplate: true };
}

/** A pod for the ledger. `withoutSpec`: the spec was too large or could not be read. */
export function redactPod(pod: Pod, redaction: Redaction): { object: Pod; withoutSpec?: true } {
  const metadata = redactMetadata(pod.metadata);
  if (redaction.reduced !== true) {
    const object = { ...pod, metadata, spec: redactSpec(pod.spec, redaction) };
    if (sizeOf(object) <= redaction.maxBytes) return { object };
  }
  return { object: { ...pod, metadata, spec: reducedSpec(pod.spec) }, withoutSpec: true };
}

/** The few fields that decisions and tables read. Tolerates a missing spec. */
function reducedSpec(spec: Partial<PodSpec> | undefined): PodSpec {
  const { nodeName, restartPolicy } = spec ?? {};
  return {
    containers: [],
    ...(nodeName !== undefined && { nodeName }),
    ...(restartPolicy !== undefined && { restartPolicy }),
  };
}

/** The last-applied configuration repeats the values; managed fields only say who set what. */
function redactMetadata<M extends { annotations?: Record<string, string> }>(metadata: M): M {
  const { managedFields: _managedFields, annotations, ...rest } = metadata as M & { managedFields?: unknown };
  if (annotations === undefined) return rest as unknown as M;
  const { [LAST_APPLIED]: _lastApplied, ...kept } = annotations;
  return { ...rest, annotations: kept } as unknown as M;
}

function redactSpec(spec: PodSpec, { env }: Redaction): PodSpec {
  if (!env) return spec;
  const { ephemeralContainers } = spec as PodSpec & { ephemeralContainers?: Container[] };
  return {
    ...spec,
    containers: spec.containers.map(redactContainer),
    ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(redactContainer) }),
    ...(ephemeralContainers !== undefined && {
      ephemeralContainers: ephemeralContainers.map(redactContainer),
    }),
  };
}

function redactContainer(container: Container): Container {
  if (container.env === undefined) return container;
  return {
    ...container,
    env: container.env.map((variable) =>
      variable.value === undefined ? variable : { ...variable, value: REDACTED },
    ),
  };
}

function sizeOf(object: unknown): number {
  return Buffer.byteLength(stringifyExact(object));
}

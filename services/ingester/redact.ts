import type { Container, CronJob, Job, Pod, PodSpec } from '../../workflows/kubernetes/objects.ts';
import {
  BACKOFF_SECONDS,
  COMPLETION_INDEX,
  FAILED_PODS_LIMIT,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  START_AND_FINISH_EVENTS,
} from '../../workflows/kubernetes/names.ts';
import { isSidecar } from '../../workflows/job/observe/sidecars.ts';
import { stringifyExact } from '../adapters/exact-json.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const REDACTED = '[redacted]';
const CUT = '[cut]';
/** Texts up to this length, in characters, are not cut. */
const SHORT = 1000;
/** Annotations that decisions read. */
const READ_ANNOTATIONS: readonly string[] = [
  COMPLETION_INDEX,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  BACKOFF_SECONDS,
  FAILED_PODS_LIMIT,
  START_AND_FINISH_EVENTS,
];

/** What is removed from objects before they are recorded. */
export interface Redaction {
  /** Replace literal values of container variables. */
  env: boolean;
  /**
   * Objects above this size, in bytes of JSON, are recorded without template or spec, then with long annotations and
   * messages cut.
   */
  maxBytes: number;
  /** Drop the template or spec regardless of size, because it could not be translated. */
  reduced?: boolean;
}

/** `withoutTemplate`: the template was too large or could not be read. `cut`: long annotations were. */
export interface RedactedJob {
  object: Job;
  withoutTemplate?: true;
  cut?: true;
}

/** `withoutSpec`: the spec was too large or could not be read. `cut`: long annotations and messages were. */
export interface RedactedPod {
  object: Pod;
  withoutSpec?: true;
  cut?: true;
}

/** A Job for the ledger; null when even what decisions read of it is too large. */
export function redactJob(job: Job, redaction: Redaction): RedactedJob | null {
  const metadata = redactMetadata(job.metadata);
  const { template, ...spec } = job.spec;
  const reduced = {
    ...job,
    metadata,
    spec: { ...spec, template: { spec: reducedTemplate(template?.spec) } },
  };
  return firstFitting<RedactedJob>(redaction, {
    whole: () => {
      const redacted = template && { ...template, spec: redactSpec(template.spec, redaction) };
      return { object: { ...job, metadata, spec: { ...spec, ...(redacted && { template: redacted }) } } };
    },
    reduced: () => ({ object: reduced, withoutTemplate: true }),
    cut: () => ({
      object: { ...reduced, metadata: cutAnnotations(metadata) },
      withoutTemplate: true,
      cut: true,
    }),
  });
}

export interface RedactedCronJob {
  object: CronJob;
  withoutTemplate?: true;
  cut?: true;
}

/** A CronJob for the ledger, as a Job. */
export function redactCronJob(cronJob: CronJob, redaction: Redaction): RedactedCronJob | null {
  const metadata = redactMetadata(cronJob.metadata);
  const { jobTemplate, ...spec } = cronJob.spec;
  const reduced = { ...cronJob, metadata, spec };
  return firstFitting<RedactedCronJob>(redaction, {
    whole: () => {
      const { template, ...jobSpec } = jobTemplate?.spec ?? {};
      const redacted = template && { ...template, spec: redactSpec(template.spec, redaction) };
      const whole = jobTemplate && {
        ...jobTemplate,
        spec: { ...jobSpec, ...(redacted && { template: redacted }) },
      };
      return { object: { ...cronJob, metadata, spec: { ...spec, ...(whole && { jobTemplate: whole }) } } };
    },
    reduced: () => ({ object: reduced, withoutTemplate: true }),
    cut: () => ({
      object: { ...reduced, metadata: cutAnnotations(metadata) },
      withoutTemplate: true,
      cut: true,
    }),
  });
}

/** A pod for the ledger; null when even what decisions read of it is too large. */
export function redactPod(pod: Pod, redaction: Redaction): RedactedPod | null {
  const metadata = redactMetadata(pod.metadata);
  const reduced = { ...pod, metadata, spec: reducedSpec(pod.spec) };
  return firstFitting<RedactedPod>(redaction, {
    whole: () => ({ object: { ...pod, metadata, spec: redactSpec(pod.spec, redaction) } }),
    reduced: () => ({ object: reduced, withoutSpec: true }),
    cut: () => ({
      object: { ...cutMessages(reduced), metadata: cutAnnotations(metadata) },
      withoutSpec: true,
      cut: true,
    }),
  });
}

function firstFitting<R extends { object: unknown }>(
  { reduced, maxBytes }: Redaction,
  forms: Record<'whole' | 'reduced' | 'cut', () => R>,
): R | null {
  const inOrder = [...(reduced === true ? [] : [forms.whole]), forms.reduced, forms.cut];
  for (const form of inOrder) {
    const redacted = form();
    if (sizeOf(redacted.object) <= maxBytes) return redacted;
  }
  return null;
}

/** What decisions read of a template. Tolerates a missing spec. */
function reducedTemplate(spec: Partial<PodSpec> | undefined): PodSpec {
  const { restartPolicy } = spec ?? {};
  return { containers: [], ...(restartPolicy !== undefined && { restartPolicy }) };
}

/**
 * What decisions and tables read of a pod's spec: sidecars too, because the finish time (J-5.41) and the restarts
 * (J-5.31) depend on which init containers are sidecars. Tolerates a missing or broken spec.
 */
function reducedSpec(spec: Partial<PodSpec> | undefined): PodSpec {
  const { nodeName, initContainers } = spec ?? {};
  const sidecars = Array.isArray(initContainers) ? initContainers.filter(isSidecar) : [];
  return {
    ...reducedTemplate(spec),
    ...(nodeName !== undefined && { nodeName }),
    ...(sidecars.length > 0 && {
      initContainers: sidecars.map(({ name }) => ({ name, restartPolicy: 'Always' })),
    }),
  };
}

function cutAnnotations<M extends { annotations?: Record<string, string> }>(metadata: M): M {
  const { annotations } = metadata;
  if (annotations === undefined) return metadata;
  const cut = Object.entries(annotations).map(([name, value]) => [
    name,
    READ_ANNOTATIONS.includes(name) ? value : cutText(value),
  ]);
  return { ...metadata, annotations: Object.fromEntries(cut) as Record<string, string> };
}

/** Cuts every `message` in a value, at any depth. */
function cutMessages<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cutMessages) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]: [string, unknown]) => [
    key,
    key === 'message' && typeof each === 'string' ? cutText(each) : cutMessages(each),
  ]);
  return Object.fromEntries(entries) as T;
}

function cutText(text: string): string {
  return text.length <= SHORT ? text : CUT;
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

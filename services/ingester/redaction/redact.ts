import type { CronJob, Job, Pod, PodSpec } from '../../../workflows/kubernetes/objects.ts';
import {
  AFTER,
  BACKOFF_SECONDS,
  COMPLETION_INDEX,
  CONTINUED_FAILURES,
  FAILED_PODS_LIMIT,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  INDEXES,
  START_AND_FINISH_EVENTS,
} from '../../../workflows/kubernetes/names.ts';
import { isSidecar } from '../../../workflows/job/observe/sidecars.ts';
import { stringifyExact } from '../../adapters/exact-json.ts';
import { keepFields } from './keep-fields.ts';
import { withKnownPhrases } from './known-phrases.ts';
import { toRecordedManager, type ManagedFieldsEntry } from './managed-fields.ts';
import type { RecordedFields } from './recorded-fields.ts';

const CUT = '[cut]';
/** The length up to which texts are not cut, in characters. */
const SHORT = 1000;
/** The annotations that decisions read. */
const READ_ANNOTATIONS: readonly string[] = [
  COMPLETION_INDEX,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  BACKOFF_SECONDS,
  FAILED_PODS_LIMIT,
  START_AND_FINISH_EVENTS,
  AFTER,
  CONTINUED_FAILURES,
  INDEXES,
];

/** The settings for removing parts of objects before they are recorded. */
export interface Redaction {
  /** The recorded fields of each kind of object. */
  fields: RecordedFields;
  /**
   * The greatest size of an object, in bytes of JSON. Larger objects are recorded without template or spec; if they are
   * still too large, long annotations and messages are also cut.
   */
  maxBytes: number;
  /** True to leave out the template or spec whatever its size, because it could not be translated. */
  reduced?: boolean;
}

/** `withoutTemplate` is true when the template was too large or could not be read. `cut`: long annotations were. */
interface WithTemplate<O> {
  object: O;
  withoutTemplate?: true;
  cut?: true;
}

export type RedactedJob = WithTemplate<Job>;
export type RedactedCronJob = WithTemplate<CronJob>;

/**
 * `withoutSpec` is true when the spec was too large or could not be read. `cut` is true when long annotations and
 * messages were cut.
 */
export interface RedactedPod {
  object: Pod;
  withoutSpec?: true;
  cut?: true;
}

/** A Job for the ledger; null if even the fields that decisions read are too large. */
export function redactJob(job: Job, redaction: Redaction): RedactedJob | null {
  const rules = redaction.fields.job;
  const { template, ...spec } = job.spec;
  const reduceJob = (): Job => {
    const kept = keepFields(withoutManagedValues({ ...job, spec }), rules);
    return { ...kept, spec: { ...kept.spec, template: { spec: reducedTemplate(template?.spec) } } };
  };
  return withFittingTemplate(job, redaction, rules, reduceJob);
}

/** A CronJob for the ledger; null if even the fields that decisions read are too large. */
export function redactCronJob(cronJob: CronJob, redaction: Redaction): RedactedCronJob | null {
  const rules = redaction.fields.cronjob;
  const { jobTemplate: _template, ...spec } = cronJob.spec;
  const reduceCronJob = (): CronJob => keepFields(withoutManagedValues({ ...cronJob, spec }), rules);
  return withFittingTemplate(cronJob, redaction, rules, reduceCronJob);
}

/**
 * A pod for the ledger; null if even the fields that decisions read are too large. `streams` is the number of streams in
 * which this version is recorded; its records in all of them together do not exceed the greatest size.
 */
export function redactPod(pod: Pod, redaction: Redaction, streams = 1): RedactedPod | null {
  const rules = redaction.fields.pod;
  const keepPod = (form: Pod): Pod => withKnownPhrases(keepFields(withoutManagedValues(form), rules), pod);
  const reducePod = (): Pod => keepPod({ ...pod, spec: reducedSpec(pod.spec) });
  const ofEach = { ...redaction, maxBytes: redaction.maxBytes / Math.max(1, streams) };
  return chooseFittingForm<RedactedPod>(ofEach, {
    whole: () => ({ object: keepPod(pod) }),
    reduced: () => ({ object: reducePod(), withoutSpec: true }),
    cut: () => ({
      object: withCutAnnotations(cutMessages(reducePod())),
      withoutSpec: true,
      cut: true,
    }),
  });
}

/** The object with its template, or without the template when the template is too large; null if the rest is too large. */
function withFittingTemplate<O extends Job | CronJob>(
  object: O,
  redaction: Redaction,
  rules: RecordedFields['job'],
  reduced: () => O,
): WithTemplate<O> | null {
  return chooseFittingForm<WithTemplate<O>>(redaction, {
    whole: () => ({ object: keepFields(withoutManagedValues(object), rules) }),
    reduced: () => ({ object: reduced(), withoutTemplate: true }),
    cut: () => ({ object: withCutAnnotations(reduced()), withoutTemplate: true, cut: true }),
  });
}

/** The first of the forms that does not exceed the greatest size; null if every form is too large. */
function chooseFittingForm<R extends { object: unknown }>(
  { reduced, maxBytes }: Redaction,
  forms: Record<'whole' | 'reduced' | 'cut', () => R>,
): R | null {
  const inOrder = [...(reduced === true ? [] : [forms.whole]), forms.reduced, forms.cut];
  for (const form of inOrder) {
    const redacted = form();
    if (byteLength(redacted.object) <= maxBytes) return redacted;
  }
  return null;
}

/** The fields of a template that decisions read. Tolerates a missing spec. */
function reducedTemplate(spec: Partial<PodSpec> | undefined): PodSpec {
  const { restartPolicy } = spec ?? {};
  return { containers: [], ...(restartPolicy !== undefined && { restartPolicy }) };
}

/**
 * The fields of a pod's spec that decisions and tables read. Sidecars are included, because the finish time (J-5.41)
 * and the restarts (J-5.31) depend on which init containers are sidecars. The spec may be missing or broken.
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

function withCutAnnotations<O extends { metadata: { annotations?: Record<string, string> } }>(object: O): O {
  const { annotations } = object.metadata;
  if (annotations === undefined) return object;
  const cut = Object.entries(annotations).map(([name, value]) => [
    name,
    READ_ANNOTATIONS.includes(name) ? value : cutText(value),
  ]);
  return {
    ...object,
    metadata: { ...object.metadata, annotations: Object.fromEntries(cut) as Record<string, string> },
  };
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

/**
 * Replaces the managed fields by the author and the time of the changes, without the values that identify elements of
 * lists.
 */
function withoutManagedValues<O extends { metadata: object }>(object: O): O {
  const { managedFields } = object.metadata as { managedFields?: ManagedFieldsEntry[] };
  if (managedFields === undefined) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: managedFields.map(toRecordedManager) } };
}

function byteLength(object: unknown): number {
  return Buffer.byteLength(stringifyExact(object));
}

import {
  GENERATED_LABELS,
  MEMBER_ANNOTATIONS,
  SCHEDULED_TIMESTAMP,
  SUBMISSION,
} from '../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { without } from '../../../workflows/kubernetes/without.ts';
import { SUBMITTED_BY, type Manifest } from './manifest.ts';

/** Names the Job that a Job retries, by its uid. */
export const RETRY_OF = 'jobledger.dev/retry-of';

/** Why a Job cannot be retried. */
export class NotRetriableError extends Error {
  override readonly name = 'NotRetriableError';
}

/** Annotations that are about the earlier Job. */
const OWN_ANNOTATIONS = [
  SUBMITTED_BY,
  SUBMISSION,
  RETRY_OF,
  ...MEMBER_ANNOTATIONS,
  SCHEDULED_TIMESTAMP,
  'kubectl.kubernetes.io/last-applied-configuration',
];

/**
 * The manifest of a Job that repeats the work of `job`: the same labels, annotations and spec, without the additions of the API
 * server or a controller. Without a `name` the cluster generates one from that of `job`.
 * @throws NotRetriableError for a Job with its own selector, which would also select the pods of the earlier Job.
 */
export function retriedManifest({ metadata, spec }: Job, name: string | undefined): Manifest {
  if (spec.manualSelector === true)
    throw new NotRetriableError(
      'it has its own selector (manualSelector), which would select the pods of both; submit its manifest with another selector',
    );
  const { selector: _selector, suspend: _suspend, template, ...policy } = spec;
  const { labels, annotations } = metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(name === undefined ? { generateName: `${metadata.name}-` } : { name }),
      namespace: metadata.namespace,
      ...(labels !== undefined && { labels: without(labels, GENERATED_LABELS) }),
      annotations: { ...without(annotations ?? {}, OWN_ANNOTATIONS), [RETRY_OF]: metadata.uid },
    },
    spec: {
      ...policy,
      template: {
        ...template,
        metadata: {
          ...template?.metadata,
          labels: without(template?.metadata?.labels ?? {}, GENERATED_LABELS),
        },
      },
    },
  };
}

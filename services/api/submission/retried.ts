import {
  GENERATED_LABELS,
  INDEXES,
  isClaimed,
  MEMBER_ANNOTATIONS,
  RETRY_OF,
  SCHEDULED_TIMESTAMP,
  SUBMISSION,
  type Claim,
} from '../../../workflows/kubernetes/names.ts';
import {
  difference,
  formatIndexes,
  isIndexed,
  missingIndexes,
  parseIndexes,
  countIndexes,
} from '../../../workflows/batch/completion-indexes.ts';
import { grantText, keptGrant } from '../../../workflows/batch/index-grant.ts';
import { jobAnnotations } from '../../../workflows/job/observe/job-annotations.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { withoutEntries } from '../../../workflows/kubernetes/without.ts';
import { SUBMITTED_BY, type Manifest } from './manifest.ts';

/** The reason why a Job cannot be retried. */
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
 * server or a controller. Without a `name`, the cluster generates a name from the name of `job`. @throws NotRetriableError
 * for a Job with its own selector, which would also select the pods of the earlier Job.
 */
export function retriedManifest({ metadata, spec }: Job, name: string | undefined): Manifest {
  if (spec.manualSelector === true)
    throw new NotRetriableError(
      'it has its own selector (manualSelector), which would select the pods of both Jobs; submit its manifest with another selector',
    );
  const { selector: _selector, suspend: _suspend, template, ...policy } = spec;
  const { labels, annotations } = metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(name === undefined ? { generateName: `${metadata.name}-` } : { name }),
      namespace: metadata.namespace,
      ...(labels !== undefined && { labels: withoutEntries(labels, GENERATED_LABELS) }),
      annotations: { ...withoutEntries(annotations ?? {}, OWN_ANNOTATIONS), [RETRY_OF]: metadata.uid },
    },
    spec: {
      ...policy,
      template: {
        ...template,
        metadata: {
          ...template?.metadata,
          labels: withoutEntries(template?.metadata?.labels ?? {}, GENERATED_LABELS),
        },
      },
    },
  };
}

/**
 * The manifest of a Job that repeats only the unfinished indexes of `job`: the Job has the same size, with a grant of
 * these indexes. @throws NotRetriableError for a Job that Jobledger does not run, or that has no unfinished indexes.
 */
export function withUnfinishedIndexes(
  manifest: Manifest,
  { metadata: earlier, spec, status = {} }: Job,
  claim: Claim,
): Manifest {
  const { completions = 0, parallelism = 1 } = spec;
  if (!isIndexed(spec))
    throw new NotRetriableError('the Job is not Indexed, so its work has no parts: retry the whole Job');
  if (!isClaimed(claim, spec.managedBy))
    throw new NotRetriableError(
      'another controller controls the Job and would run all of its indexes: retry the whole Job',
    );
  if (spec.successPolicy !== undefined)
    throw new NotRetriableError('its success policy counts all of its indexes: retry the whole Job');
  if ('scheduling' in spec)
    throw new NotRetriableError('its pods are scheduled together: retry the whole Job');
  // If the earlier Job was such a retry too, it had only its granted indexes.
  const had = keptGrant({ status }) ?? jobAnnotations(earlier.annotations)?.indexes;
  const all =
    had?.isRetry === true ? parseIndexes(had.indexes, completions) : missingIndexes([], completions);
  const left = difference(all, parseIndexes(status.completedIndexes ?? '', completions));
  if (left.length === 0) throw new NotRetriableError('each index of the Job has succeeded');
  const { metadata } = manifest;
  const grant = grantText({ number: 1, indexes: formatIndexes(left) });
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [INDEXES]: grant } },
    // If the number of pods equals the number of completions, the pods might be scheduled together.
    spec: { ...manifest.spec, parallelism: Math.min(parallelism, countIndexes(left)) },
  };
}

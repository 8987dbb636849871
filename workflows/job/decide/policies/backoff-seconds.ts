import type { JobFacts } from '../../../batch/facts.ts';
import type { Settings } from '../../settings.ts';

/**
 * The delay after the first failed pod in the annotation `jobledger.dev/backoff-seconds`, in seconds (J-12.8); null
 * without the annotation. Under OnFailure the kubelet restarts containers with its own back-off, and the annotation
 * is ignored (J-12.4).
 */
export function ownBackoffSeconds({ annotations, restartPolicy }: JobFacts): number | null {
  return restartPolicy === 'OnFailure' ? null : (annotations?.backoffSeconds ?? null);
}

/** The settings with the delay of the annotation in place of the delay of J-5.40; the maximum does not change. */
export function withBackoffSeconds(settings: Settings, job: JobFacts): Settings {
  const seconds = ownBackoffSeconds(job);
  return seconds === null ? settings : { ...settings, podFailureBackoffMs: seconds * 1000 };
}

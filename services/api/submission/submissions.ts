import { randomUUID } from 'node:crypto';
import type { JobSubmitted, SubmissionReceived } from '../../../workflows/job/events.ts';
import { REQUESTS_SOURCE, withDigest } from '../../adapters/events/event-codec.ts';
import type { LazyAppender } from '../../adapters/kafka/lazy-appender.ts';
import type { Log } from '../../adapters/process/log.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import type { CreatedJob } from './created.ts';

/** A user's request for a Job; `by` is the verified name, `retryOf` the Job to retry. */
export interface SubmissionWish {
  cluster: string;
  namespace: string;
  name?: string | undefined;
  generateName?: string | undefined;
  by: string;
  retryOf?: RetriedJob | undefined;
}

/** The Job whose work the new Job repeats, in the namespace of the new Job. */
export type RetriedJob = { uid: string; name: string };

/** Records the user of each submitted Job (docs/decisions/0065-submissions-in-the-ledger.md). */
export interface Submissions {
  /**
   * Records a submission before its Job is created, and returns the id of the submission. @throws UnavailableError if
   * Kafka does not answer; then the caller must not create the Job.
   */
  receive(request: SubmissionWish): Promise<string>;
  /** Records the Job that the cluster has created for the submission, and keeps trying if Kafka does not answer. */
  complete(submission: string, request: SubmissionWish, job: CreatedJob): Promise<void>;
}

interface SubmissionDependencies {
  append: LazyAppender['append'];
  log: Log;
  signal: AbortSignal;
}

/** Records submissions in the ledger. */
export function createSubmissions({ append, log, signal }: SubmissionDependencies): Submissions {
  return {
    async receive(request) {
      const submission = randomUUID();
      await append([submissionReceived(submission, request)]);
      return submission;
    },
    async complete(submission, request, job) {
      const event = jobSubmitted(submission, request, job);
      const onFailedAttempt = logFailures(log, 'the submitter of a Job cannot be recorded in its events yet');
      await append([event]).catch(
        // The Job exists, and the submission is recorded, so the user need not wait.
        () => void retry(() => append([event]), { signal, onFailedAttempt }).catch(() => undefined),
      );
    },
  };
}

function submissionReceived(submission: string, request: SubmissionWish): SubmissionReceived {
  const { cluster, namespace, name, generateName, by, retryOf } = request;
  return withDigest<SubmissionReceived>({
    id: `${cluster}/submission/${submission}`,
    type: 'submission.received',
    source: REQUESTS_SOURCE,
    subject: `${namespace}/${name ?? ''}`,
    time: new Date().toISOString(),
    data: {
      cluster,
      submission,
      namespace,
      ...(name !== undefined && { name }),
      ...(generateName !== undefined && { generateName }),
      by,
      ...retryFields(retryOf),
    },
  });
}

function jobSubmitted(
  submission: string,
  { cluster, by, retryOf }: SubmissionWish,
  { metadata: { uid, namespace, name } }: CreatedJob,
): JobSubmitted {
  return withDigest<JobSubmitted>({
    id: `${cluster}/${uid}/submitted`,
    type: 'job.submitted',
    source: REQUESTS_SOURCE,
    subject: `${namespace}/${name}`,
    time: new Date().toISOString(),
    data: { cluster, jobUid: uid, submission, by, ...retryFields(retryOf) },
  });
}

function retryFields(job: RetriedJob | undefined): Pick<JobSubmitted['data'], 'retryOf' | 'retryOfName'> {
  return job === undefined ? {} : { retryOf: job.uid, retryOfName: job.name };
}

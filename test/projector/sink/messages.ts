import {
  jobMessage,
  type JobMessage,
  type RecordedOccurrence,
} from '../../../services/projector/sink/message.ts';

const OF_JOB = {
  offset: '7',
  eventId: 'east/jobs/1234/9',
  cluster: 'east',
  namespace: 'shop',
  name: 'report',
  uid: '1234',
  labels: { team: 'payments', 'app.kubernetes.io/name': 'report' },
  seenAt: '2026-04-01T00:00:09.000Z',
  startedAt: '2026-04-01T00:00:01.000Z',
};
const END = { ...OF_JOB, type: 'ended' as const, finishedAt: '2026-04-01T00:00:08.000Z' };

type Changed = Partial<Omit<RecordedOccurrence, 'type'>>;

export function started(changed: Changed = {}): JobMessage {
  return jobMessage({ ...OF_JOB, type: 'started', ...changed });
}

export function completed(changed: Changed = {}): JobMessage {
  const outcome = { condition: 'Complete', reason: 'CompletionsReached', message: null } as const;
  return jobMessage({ ...END, ...outcome, succeeded: 1, failed: 0, ...changed });
}

/** `message`: that of the condition. */
export function failed(changed: Changed & { reason?: string; message?: string } = {}): JobMessage {
  const outcome = {
    condition: 'Failed',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  } as const;
  return jobMessage({ ...END, ...outcome, succeeded: 0, failed: 7, ...changed });
}

/** In the cluster `cluster`, with this reason of its container. */
export function attemptFailed({ cluster = 'east', reason = 'OOMKilled' } = {}): JobMessage {
  const attempt = {
    cluster,
    pod: 'report-x2x',
    uid: 'pod-uid',
    index: 3,
    exitCode: 137,
    reason,
    message: null,
    why: `exit code 137 (${reason})`,
    finishedAt: '2026-04-01T00:00:05.000Z',
  };
  return jobMessage({ ...OF_JOB, type: 'attempt-failed', attempt });
}

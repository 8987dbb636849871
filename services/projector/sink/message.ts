/** The types of messages that a sink can get: `dev.jobledger.job.<type>.v1`. */
export const MESSAGE_TYPES = ['started', 'attempt-failed', 'ended'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** An event of a Job, as the ledger has it. Instants are RFC 3339. */
interface RecordedOfJob {
  /** The place of the event in the ledger. */
  offset: string;
  eventId: string;
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  labels: Readonly<Record<string, string>>;
  /** The instant at which the event was recorded. */
  seenAt: string;
  startedAt: string | null;
}

interface RecordedStart extends RecordedOfJob {
  type: 'started';
}

interface RecordedFailure extends RecordedOfJob {
  type: 'attempt-failed';
  attempt: FailedAttempt;
}

export interface RecordedEnd extends RecordedOfJob {
  type: 'ended';
  condition: 'Complete' | 'Failed';
  reason: string | null;
  message: string | null;
  /** The instant at which the controller wrote the condition. */
  finishedAt: string | null;
  succeeded: number | null;
  failed: number | null;
}

export type RecordedOccurrence = RecordedStart | RecordedFailure | RecordedEnd;

/** A pod that failed. */
export interface FailedAttempt {
  /** The cluster in which the pod ran; for a placed Job, this cluster is not the Job's own cluster. */
  cluster: string;
  pod: string;
  uid: string;
  /** The completion index; null for a Job without indexes. */
  index: number | null;
  exitCode: number | null;
  /** The reason of the pod or of its container, such as `OOMKilled`. */
  reason: string | null;
  message: string | null;
  /** The end as text, such as `exit code 137 (OOMKilled)`. */
  why: string;
  finishedAt: string | null;
}

/** A CloudEvents 1.0 event in the structured mode. */
interface CloudEvent<Type extends string, C> {
  specversion: '1.0';
  type: `dev.jobledger.job.${Type}.v1`;
  id: string;
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: C & { event: string };
}

type Content<R extends RecordedOccurrence> = Omit<R, 'offset' | 'eventId' | 'seenAt' | 'type'>;

export type JobStarted = CloudEvent<'started', Content<RecordedStart>>;
export type AttemptFailed = CloudEvent<'attempt-failed', Content<RecordedFailure>>;
export type JobEnded = CloudEvent<'ended', Content<RecordedEnd>>;

/** A message about a Job. */
export type JobMessage = JobStarted | AttemptFailed | JobEnded;

/**
 * Creates the message about an occurrence. A repeated delivery has the same `source` and `id`, because a Job starts and
 * ends once, and a pod fails once.
 */
export function jobMessage(recorded: RecordedOccurrence): JobMessage {
  const { cluster, namespace, name, uid, labels, startedAt } = recorded;
  const job = { cluster, namespace, name, uid };
  switch (recorded.type) {
    case 'started':
      return cloudEvent(recorded, 'started', 'started', { ...job, startedAt, labels });
    case 'attempt-failed': {
      const { attempt } = recorded;
      const content = { ...job, attempt, startedAt, labels };
      return cloudEvent(recorded, 'attempt-failed', `${attempt.uid}/failed`, content);
    }
    case 'ended': {
      const { condition, reason, message, finishedAt, succeeded, failed } = recorded;
      const end = { condition, reason, message, startedAt, finishedAt, succeeded, failed };
      return cloudEvent(recorded, 'ended', 'ended', { ...job, ...end, labels });
    }
  }
}

function cloudEvent<Type extends MessageType, C extends object>(
  { cluster, namespace, name, uid, seenAt: time, eventId: event }: RecordedOfJob,
  type: Type,
  what: string,
  content: C,
): CloudEvent<Type, C> {
  return {
    specversion: '1.0',
    type: `dev.jobledger.job.${type}.v1`,
    id: `${cluster}/${uid}/${what}`,
    source: `jobledger/${cluster}`,
    subject: `${namespace}/${name}`,
    time,
    datacontenttype: 'application/json',
    data: { ...content, event },
  };
}

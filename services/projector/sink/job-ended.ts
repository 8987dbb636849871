/** A Job whose end an observation showed. Instants are RFC 3339. */
export interface RecordedEnd {
  /** The observation's place in the ledger. */
  offset: string;
  eventId: string;
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  condition: 'Complete' | 'Failed';
  reason: string | null;
  message: string | null;
  /** When the end was recorded. */
  seenAt: string;
  startedAt: string | null;
  /** When the controller wrote the condition. */
  finishedAt: string | null;
  succeeded: number | null;
  failed: number | null;
}

/** A CloudEvents 1.0 event in the structured mode. */
export interface JobEnded {
  specversion: '1.0';
  type: 'dev.jobledger.job.ended.v1';
  id: string;
  source: string;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: Omit<RecordedEnd, 'offset' | 'eventId' | 'seenAt'> & { event: string };
}

/** What a sink receives. A repeated delivery has the same `source` and `id`, as a Job ends once. */
export function jobEnded(job: RecordedEnd): JobEnded {
  const { cluster, namespace, name, uid, condition, reason, message } = job;
  const { startedAt, finishedAt, succeeded, failed } = job;
  return {
    specversion: '1.0',
    type: 'dev.jobledger.job.ended.v1',
    id: `${cluster}/${uid}/ended`,
    source: `jobledger/${cluster}`,
    subject: `${namespace}/${name}`,
    time: job.seenAt,
    datacontenttype: 'application/json',
    data: {
      cluster,
      namespace,
      name,
      uid,
      condition,
      reason,
      message,
      startedAt,
      finishedAt,
      succeeded,
      failed,
      event: job.eventId,
    },
  };
}

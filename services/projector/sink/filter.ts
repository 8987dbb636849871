import type { JobMessage } from './message.ts';

/** The messages that a sink gets; null for all messages. */
export interface MessageFilter {
  clusters: readonly string[] | null;
  namespaces: readonly string[] | null;
  /** The labels that the Job must have, with their values. */
  labels: Readonly<Record<string, string>>;
  /** `Complete`, `Failed`, or a reason. A message about a start has no outcome, and passes the filter. */
  outcomes: readonly string[] | null;
}

export const EVERYTHING: MessageFilter = { clusters: null, namespaces: null, labels: {}, outcomes: null };

/** True when a message passes each part of the filter. */
export function passesFilter(
  { clusters, namespaces, labels, outcomes }: MessageFilter,
  message: JobMessage,
): boolean {
  const { data } = message;
  const has = messageOutcomes(message);
  return (
    (clusters === null || clusters.includes(data.cluster)) &&
    (namespaces === null || namespaces.includes(data.namespace)) &&
    Object.entries(labels).every(([key, value]) => data.labels[key] === value) &&
    (outcomes === null || has === null || has.some((each) => each !== null && outcomes.includes(each)))
  );
}

/** The outcomes of a message that a filter compares; null for a message without an outcome. */
function messageOutcomes(message: JobMessage): (string | null)[] | null {
  switch (message.type) {
    case 'dev.jobledger.job.started.v1':
      return null;
    case 'dev.jobledger.job.attempt-failed.v1':
      return ['Failed', message.data.attempt.reason];
    case 'dev.jobledger.job.ended.v1':
      return [message.data.condition, message.data.reason];
  }
}

/** The time without an answer after which the silence of a cluster is recorded, in milliseconds. */
const AFTER_MS = 10_000;
/** The longest time until this ingester reads its own record from Kafka, in milliseconds. */
const READ_AGAIN_MS = 15_000;

interface SilenceDependencies {
  /**
   * The time since which the cluster has not answered, as an ingester last recorded it; null when the cluster answers.
   */
  recorded(): number | null;
  /** Records the time since which the cluster has not answered, in milliseconds; null when the cluster answers. */
  record(since: number | null): Promise<void>;
  onFailed(error: unknown): void;
  now(): number;
}

/**
 * Records whether the API server of a cluster answers the requests for the ingester's Lease (J-16.13). The caller calls
 * the returned function after each request. An ingester that reaches the cluster overrules an ingester that does not,
 * until the second ingester also reaches the cluster.
 */
export function createSilenceRecorder({
  recorded,
  record,
  onFailed,
  now,
}: SilenceDependencies): (answers: boolean) => void {
  let since: number | null = null;
  let isRecording = false;
  let isOverruled = false;
  /** The last record of this ingester, until the ingester has read this record from Kafka. */
  let unread: { since: number | null; at: number } | null = null;
  /** True when this ingester has recorded the present silence. */
  let isSaid = false;
  return (answers) => {
    since = answers ? null : (since ?? now());
    if (answers) isOverruled = isSaid = false;
    if (isRecording) return;
    const known = recorded();
    if (unread !== null) {
      const isRead = (known === null) === (unread.since === null);
      if (!isRead && now() - unread.at < READ_AGAIN_MS) return;
      isSaid = unread.since !== null;
      unread = null;
    }
    if (since !== null && known === null && isSaid) isOverruled = true;
    const isDue =
      since === null ? known !== null : known === null && !isOverruled && now() - since >= AFTER_MS;
    if (!isDue) return;
    const value = since;
    isRecording = true;
    record(value)
      .then(() => void (unread = { since: value, at: now() }))
      .catch(onFailed)
      .finally(() => void (isRecording = false));
  };
}

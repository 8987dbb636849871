/** The time that a cluster must not answer before this is recorded, in milliseconds. */
const AFTER_MS = 10_000;
/** The longest time until a record is read again, in milliseconds. */
const READ_AGAIN_MS = 15_000;

interface SilenceDependencies {
  /** The time since which the cluster has not answered, as any ingester last recorded it; null when it answers. */
  recorded(): number | null;
  /** Records the time since which the cluster has not answered, in milliseconds; null when it answers. */
  record(since: number | null): Promise<void>;
  onFailed(error: unknown): void;
  now(): number;
}

/**
 * Records that the cluster's API server does not answer, from the requests for the ingester's Lease (J-16.13). Called with each
 * outcome: whether the API server answered. Among several ingesters, one that reaches the cluster is right: an
 * ingester that alone cannot reach it is overruled until it does.
 */
export function createSilence({
  recorded,
  record,
  onFailed,
  now,
}: SilenceDependencies): (answers: boolean) => void {
  let since: number | null = null;
  let isRecording = false;
  let isOverruled = false;
  /** The last record of this ingester, until it was read again. */
  let unread: { since: number | null; at: number } | null = null;
  /** The ingester has recorded the present silence. */
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

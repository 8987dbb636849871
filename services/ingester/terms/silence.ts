/** How long a cluster must not answer before that is recorded, in milliseconds. */
const AFTER_MS = 10_000;
/** The longest time until a record is read again, in milliseconds. */
const READ_AGAIN_MS = 15_000;

interface SilenceDependencies {
  /** Since when the cluster has not answered, as last recorded by any ingester; null: it answers. */
  recorded(): number | null;
  /** Records since when the cluster has not answered, in milliseconds; null: it answers. */
  record(since: number | null): Promise<void>;
  onFailed(error: unknown): void;
  now(): number;
}

/**
 * Records that the cluster's API server does not answer, from the requests for the ingester's Lease (J-16.13). Called with each
 * outcome: whether the API server answered. Of several ingesters, one that reaches the cluster is right: one that is alone in not
 * reaching it is overruled until it does.
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
  /** What this ingester recorded last, until it was read again. */
  let unread: { since: number | null; at: number } | null = null;
  /** It has recorded the present silence. */
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

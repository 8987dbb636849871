/** How long a cluster must not answer before that is recorded, in milliseconds. */
const AFTER_MS = 10_000;

interface SilenceDependencies {
  /** Whether the feature level allows the record. */
  isAllowed(): boolean;
  /** Records since when the cluster has not answered, in milliseconds; null: it answers. */
  record(since: number | null): Promise<void>;
  onFailed(error: unknown): void;
  now(): number;
}

/**
 * Records that the cluster's API server does not answer, from the requests for the ingester's Lease (J-16.13). Called with each
 * outcome: whether the API server answered.
 */
export function createSilence({
  isAllowed,
  record,
  onFailed,
  now,
}: SilenceDependencies): (answers: boolean) => void {
  let since: number | null = null;
  /** Null until something was recorded: an earlier process may have left a silence. */
  let recorded: { since: number | null } | null = null;
  let isRecording = false;
  return (answers) => {
    since = answers ? null : (since ?? now());
    const isDue = since === null || now() - since >= AFTER_MS;
    if (!isDue || isRecording || recorded?.since === since || !isAllowed()) return;
    const value = since;
    isRecording = true;
    record(value)
      .then(() => void (recorded = { since: value }))
      .catch(onFailed)
      .finally(() => void (isRecording = false));
  };
}

/** The fields that show how a pod ended; instants are in RFC 3339. */
export interface EndedPod {
  phase: string | null;
  exit_code: number | null;
  end_message: string | null;
}

/** The fields that show how long a pod ran. */
export interface RunPod {
  started_at: string | null;
  finished_at: string | null;
  /** A pod whose end was not observed counts until its deletion. */
  deleted_at?: string | null;
}

const HOUR_MS = 3_600_000;

/**
 * The outcome of a pod that ended. `stopped` means that the pod neither succeeded nor failed, such as a pod that
 * was deleted while it ran, by Jobledger, with its Job or by another client.
 */
export function podOutcome({
  phase,
  exit_code: code,
  end_message: why,
}: EndedPod): 'succeeded' | 'failed' | 'stopped' {
  if (why?.startsWith('deleted ') === true) return 'stopped';
  if (phase === 'Succeeded' || code === 0) return 'succeeded';
  return phase === 'Failed' || code !== null ? 'failed' : 'stopped';
}

/** The attempts that ended in failure. */
export function failedAttempts<P extends EndedPod & RunPod>(pods: readonly P[]): P[] {
  return pods.filter((pod) => pod.finished_at !== null && podOutcome(pod) === 'failed');
}

/** The time that pods ran, in hours; a running pod counts until `now`, in milliseconds since 1970. */
export function podHours(pods: readonly RunPod[], now: number): number {
  const ran = pods.map(({ started_at: started, finished_at: finished, deleted_at: deleted }) => {
    const end = finished ?? deleted ?? null;
    return started === null ? 0 : (end === null ? now : Date.parse(end)) - Date.parse(started);
  });
  return ran.reduce((sum, each) => sum + Math.max(0, each), 0) / HOUR_MS;
}

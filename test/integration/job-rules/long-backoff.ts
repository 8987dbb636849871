import { onPlayedCluster } from '../../support/played-cluster.ts';

// Long enough for a decision during each delay: an end is observed in seconds, and up to a period later.
export const BACKOFF_MS = 4000;

export const longBackoff = onPlayedCluster({
  JOBLEDGER_POD_FAILURE_BACKOFF_MS: String(BACKOFF_MS),
  JOBLEDGER_MAX_POD_FAILURE_BACKOFF_MS: String(2 * BACKOFF_MS),
});

/**
 * The end of a container that fails now, by a clock of its node that is ahead: the delay counts from it, so that a busy
 * machine too decides about the failure during its delay.
 */
export function lateEnd(): { at: Date } {
  return { at: new Date(Date.now() + BACKOFF_MS) };
}

import { onPlayedCluster } from '../../support/played-cluster.ts';

// Long enough that each is decided upon before it is over: an end is told to the second, and up to a period later.
export const BACKOFF_MS = 4000;

export const longBackoff = onPlayedCluster({
  JOBLEDGER_POD_FAILURE_BACKOFF_MS: String(BACKOFF_MS),
  JOBLEDGER_MAX_POD_FAILURE_BACKOFF_MS: String(2 * BACKOFF_MS),
});

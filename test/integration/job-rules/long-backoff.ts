import { onPlayedCluster } from '../../support/played-cluster.ts';

// Long enough for a decision during each delay: an end is observed in seconds, and up to a period later.
export const BACKOFF_MS = 4000;

export const longBackoff = onPlayedCluster({
  JOBLEDGER_POD_FAILURE_BACKOFF_MS: String(BACKOFF_MS),
  JOBLEDGER_MAX_POD_FAILURE_BACKOFF_MS: String(2 * BACKOFF_MS),
});

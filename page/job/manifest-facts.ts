import type { RecordedManifest } from '../../services/read-model/shown/containers.ts';
import type { RequestEvent } from '../api/rows.ts';

const SUBMITTER = 'jobledger.dev/submitted-by';

/** The user who submitted the Job through Jobledger; null when no user is recorded. */
export function findSubmitter(
  requests: readonly RequestEvent[],
  manifest: RecordedManifest | null | undefined,
): string | null {
  const submission = requests.find(({ data }) => data.action === undefined);
  return submission?.data.by ?? manifest?.metadata?.annotations?.[SUBMITTER] ?? null;
}

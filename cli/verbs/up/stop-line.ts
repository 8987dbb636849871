import type { Addresses } from '../../../infra/local/state/addresses.ts';

/** The line that `up` prints when a signal stops it; null without an embedded cluster, because no pod then ends. */
export function stopLine(embedded: Addresses | undefined): string | null {
  if (embedded?.kubeconfig === undefined) return null;
  return 'stopping; the pods of the embedded cluster end too, and the running pods count as failed after the next start';
}

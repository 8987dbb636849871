import type { Addresses } from '../../../infra/local/addresses.ts';

/** The line that `up` prints when a signal stops it; null when it has no embedded cluster, so that no pod ends. */
export function stopLine(embedded: Addresses | undefined): string | null {
  if (embedded?.kubeconfig === undefined) return null;
  return 'stopping; the pods of the embedded cluster end with it, and after the next start those that ran count as failed';
}

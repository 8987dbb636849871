import type { ApiReadiness, ListedCluster } from '../api/rows.ts';
import type { Tone } from '../words/tone.ts';

/** How a cluster is, as far as the API knows. */
export interface Health {
  tone: Tone;
  words: string;
  /** Why it is red; null: it is not. */
  problem: 'unreachable' | 'never' | null;
}

export function healthOf(cluster: ListedCluster, ready: ApiReadiness | undefined): Health {
  const part = ready?.parts[`cluster ${cluster.name}`];
  if (part?.status === 'down') return { tone: 'failed', words: 'Not reached', problem: 'unreachable' };
  if (cluster.last_connected_at === null)
    return { tone: 'failed', words: 'Never connected', problem: 'never' };
  if (part === undefined) return { tone: 'off', words: 'Not configured here', problem: null };
  return { tone: 'succeeded', words: 'Reached', problem: null };
}

/** What to do about it; null: nothing. */
export function adviceFor({ problem }: Health): string | null {
  switch (problem) {
    case 'unreachable':
      return 'The API server did not answer: check its address and the token in the kubeconfig of Jobledger (kubectl get --raw /readyz with that kubeconfig). Its Jobs go on; what happens meanwhile is read when it is back, and a gap says what may be missing.';
    case 'never':
      return 'No watch was ever opened: check that the ingester runs and that its account may list and watch Jobs and pods.';
    case null:
      return null;
  }
}

const PARTS: Readonly<Record<string, string>> = {
  postgres: 'Tables (Postgres)',
  kafka: 'Ledger (Kafka)',
  projection: 'Lag of the tables',
  temporal: 'Workflows (Temporal)',
  tokens: 'Tokens',
};

/** The shared parts, in words. */
export function partsOf({
  parts,
}: ApiReadiness): { name: string; tone: Tone; words: string; detail: string | null }[] {
  return Object.entries(parts)
    .filter(([part]) => !part.startsWith('cluster '))
    .map(([part, { status, detail }]) => ({
      name: PARTS[part] ?? part,
      tone: ({ ok: 'succeeded', behind: 'waiting', down: 'failed' } as const)[status],
      words: { ok: 'Well', behind: 'Behind', down: 'Down' }[status],
      detail: detail ?? null,
    }));
}

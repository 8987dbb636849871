import type { ClusterWord } from '../../workflows/placement/settings.ts';
import { InputError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { ClusterVerb } from './cluster-verbs.ts';
import { clusterWords, sayOfCluster } from './cluster-words.ts';
import { readInstallation } from './installation-records.ts';
import { readLiveTopic } from './live-topic.ts';
import { requireOwnLedger } from './stamp.ts';

export interface Saying {
  verb: ClusterVerb;
  cluster: string;
  by: string;
  /** For `lost`: although the cluster answers. */
  force: boolean;
}

/** What a person says cannot be meant. `isUnknown`: no such cluster was ever connected. */
export class RefusedSayingError extends InputError {
  override readonly name = 'RefusedSayingError';
  readonly isUnknown: boolean;

  constructor(message: string, { isUnknown = false } = {}) {
    super(message);
    this.isUnknown = isUnknown;
  }
}

/** How a person's word changes what is said of a cluster. */
type Change = (word: ClusterWord, said: { by: string; at: number }) => ClusterWord;

const CHANGES: Readonly<Record<ClusterVerb, Change>> = {
  cordon: (word, said) => ({ ...word, cordoned: said }),
  drain: (word, said) => ({ ...word, cordoned: { ...said, drain: true } }),
  uncordon: ({ cordoned: _cordoned, ...word }) => word,
  lost: (word, said) => ({ ...word, lost: said }),
  found: ({ lost: _lost, ...word }) => word,
};

/**
 * Records what a person says of a cluster. Returns what is said of it then.
 * @throws RefusedSayingError, and UnavailableError when Kafka does not answer.
 */
export async function say(
  kafka: KafkaConnection,
  { verb, cluster, by, force }: Saying,
): Promise<ClusterWord> {
  const before = await wordOf(kafka, cluster);
  if (verb === 'lost' && before.silentSince === undefined && !force)
    throw new RefusedSayingError(
      `the cluster ${cluster} answers, so its Jobs can be stopped: drain it; with "force" they start elsewhere without being stopped, and may run twice`,
    );
  const after = CHANGES[verb](before, { by, at: Date.now() });
  const { silentSince: _silent, ...said } = after;
  await sayOfCluster(kafka, cluster, said);
  return after;
}

/** What is said of every cluster now. @throws UnavailableError when Kafka does not answer. */
export async function wordsNow(kafka: KafkaConnection): Promise<Readonly<Record<string, ClusterWord>>> {
  return clusterWords(await readInstallation(kafka));
}

/** @throws RefusedSayingError for a cluster that was never connected. */
async function wordOf(kafka: KafkaConnection, cluster: string): Promise<ClusterWord> {
  await requireOwnLedger(kafka);
  const recorded = (await readLiveTopic(kafka)).map((record) => record.cluster);
  // Records of the installation are of no cluster.
  const known = new Set(recorded.filter((name) => name !== ''));
  if (!known.has(cluster))
    throw new RefusedSayingError(
      `no cluster "${cluster}" was ever connected; there are: ${[...known].toSorted().join(', ') || 'none'}`,
      { isUnknown: true },
    );
  return (await wordsNow(kafka))[cluster] ?? {};
}

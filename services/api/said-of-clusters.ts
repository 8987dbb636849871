import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { Log } from '../adapters/process/log.ts';
import { say, wordsNow, type Saying } from '../contracts/say-of-cluster.ts';
import type { ClusterWord } from '../../workflows/placement/settings.ts';
import { latestFrom } from './latest.ts';

/** What people and watches say of the clusters. */
export interface SaidOfClusters {
  /** By name; null while Kafka does not answer. */
  words(): Promise<Readonly<Record<string, ClusterWord>> | null>;
  /** Records a person's word. @throws RefusedSayingError, UnavailableError. */
  say(saying: Saying): Promise<ClusterWord>;
}

/** A page reads again soon after somebody has said something. */
const LASTS_MS = 500;

export function saidInKafka(kafka: KafkaConnection, log: Log): SaidOfClusters {
  const failed = 'what is said of the clusters cannot be read from Kafka';
  return {
    words: latestFrom(() => wordsNow(kafka), { log, failed, lastsMs: LASTS_MS }),
    say: (saying) => say(kafka, saying),
  };
}

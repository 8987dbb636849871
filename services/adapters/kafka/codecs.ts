import { JobledgerError } from '../errors.ts';
import { CODECS } from './compression.ts';
import type { KafkaConnection } from './connection.ts';

/** The codecs of record batches that every reader of this version decodes. */
const DECODABLE = Object.keys(CODECS);

/** True when readers can decode what Kafka stores with this `compression.type` of a topic. */
export function isDecodable(compressionType: string): boolean {
  return (
    compressionType === 'producer' ||
    compressionType === 'uncompressed' ||
    DECODABLE.includes(compressionType)
  );
}

/** A topic contains records that this version cannot decode. Readers stop before these records. */
export class UndecodableError extends JobledgerError {
  override readonly name = 'UndecodableError';
}

/** The error of the client library as an UndecodableError; undefined for any other error. */
export function toUndecodableError(
  error: unknown,
  { config }: Pick<KafkaConnection, 'config'>,
  topic: string,
): UndecodableError | undefined {
  const codec = unknownCodec(error);
  if (codec === undefined) return undefined;
  return new UndecodableError(
    `the topic ${topic} contains records that are compressed with ${codec}, which this version cannot decode (it decodes ${DECODABLE.join(', ')}); so that no more are written, run kafka-configs.sh --bootstrap-server ${config.KAFKA_BROKERS.join(',')} --alter --entity-type topics --entity-name ${topic} --add-config compression.type=producer; a version that decodes ${codec} can read them`,
  );
}

/** The unknown codec that an error of kafkajs reports; the only signs are the name and the text of the error. */
function unknownCodec(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each.name === 'KafkaJSNotImplemented')
      return /^(\w+) compression/.exec(each.message)?.[1]?.toLowerCase();
  return undefined;
}

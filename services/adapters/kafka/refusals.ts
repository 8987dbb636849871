import { InputError, errorMessage, UnavailableError, type JobledgerError } from '../errors.ts';
import { handshakeFailure } from '../network/tls.ts';

/** The error for refused credentials or a refused certificate; undefined for any other failure, which may be temporary. */
export function kafkaRefusal(error: unknown, brokers: readonly string[]): InputError | undefined {
  const kafka = `Kafka at ${brokers.join(',')}`;
  const authentication = authenticationFailure(error);
  if (authentication !== undefined)
    return new InputError(
      `${kafka} refuses our credentials: ${errorMessage(authentication)}; check KAFKA_SASL_…`,
    );
  const handshake = handshakeFailure(error);
  return handshake === null
    ? undefined
    : new InputError(`no TLS connection to ${kafka}: ${handshake}; check KAFKA_TLS_…`);
}

/** Converts an error of the library: either Kafka refuses us, or Kafka does not answer. */
export function toKafkaError(error: unknown, brokers: readonly string[]): JobledgerError {
  const unanswered = new UnavailableError(`Kafka at ${brokers.join(',')} does not answer`, { cause: error });
  return kafkaRefusal(error, brokers) ?? unanswered;
}

/** The authentication error: kafkajs wraps its own errors, but not our errors from the token endpoint. */
function authenticationFailure(error: unknown): Error | undefined {
  for (let each = error; each instanceof Error; each = (each as { cause?: unknown }).cause ?? undefined)
    if (each.name === 'KafkaJSSASLAuthenticationError') return each;
  return undefined;
}

/** Errors of Kafka's protocol that have other names in kafkajs. */
const NAMES: Readonly<Record<string, string>> = {
  NOT_LEADER_OR_FOLLOWER: 'NOT_LEADER_FOR_PARTITION',
  COORDINATOR_LOAD_IN_PROGRESS: 'GROUP_LOAD_IN_PROGRESS',
};

/** @throws the error of the work, in the shape in which kafkajs throws it. */
export async function asKafkajs<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw likeKafkajs(error);
  }
}

/** An error with the name of a refusal of our credentials, or whose `type` names an error of Kafka's protocol, if it is one. */
export function likeKafkajs(error: unknown): Error {
  const all = errorsIn(error);
  const message = all[0]?.message ?? String(error);
  const refusal = all.find((each) => getProperty(each, 'code') === 'PLT_KFK_AUTHENTICATION');
  if (refusal !== undefined)
    return Object.assign(new Error(refusal.message), { name: 'KafkaJSSASLAuthenticationError' });
  const type = all.map(protocolError).find((each) => each !== undefined);
  const made = new Error(message, { cause: error });
  return type === undefined ? made : Object.assign(made, { type: NAMES[type] ?? type });
}

/** An error and those that it wraps: the library wraps each in the errors of its retries. */
function errorsIn(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const inner: unknown[] = [...(error instanceof AggregateError ? error.errors : []), error.cause];
  return [error, ...inner.flatMap(errorsIn)];
}

function protocolError(error: Error): string | undefined {
  const apiId = getProperty(error, 'apiId');
  if (typeof apiId === 'string') return apiId;
  // The library replaces this one by an error of its own, which has no other sign.
  return error.message.startsWith('Unknown topic ') ? 'UNKNOWN_TOPIC_OR_PARTITION' : undefined;
}

function getProperty(error: Error, name: string): unknown {
  return (error as unknown as Record<string, unknown>)[name];
}

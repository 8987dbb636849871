/** Of variables, those with which a verb reaches Kafka: its brokers, and how to log in there. */
export function kafkaIn(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith('KAFKA_') && entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

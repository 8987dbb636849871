/** Of variables, those with which a verb reaches the ledger: Kafka's brokers, how to log in there, and the topic. */
export function ledgerIn(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      (entry[0].startsWith('KAFKA_') || entry[0] === 'JOBLEDGER_LEDGER_TOPIC') && entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

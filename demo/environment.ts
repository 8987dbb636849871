/** Variables that could point the demo at real servers or clusters, or make the demo claim other Jobs than its own. */
const ADDRESSES =
  /^(DATABASE_URL|KAFKA_.*|TEMPORAL_.*|JOBLEDGER_(KUBECONFIG|CONTEXTS|CLUSTER_NAME|CLAIM|CONTROLLERS|STATE_DIR|LEDGER_TOPIC))$/;

/** The environment without the variables of `ADDRESSES`, so that the demo runs on embedded servers only. */
export function withoutAddresses(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !ADDRESSES.test(name)));
}

import { findKafka } from '../tools/find-kafka.ts';
import { findTool } from '../tools/find-tool.ts';
import type { Addresses } from './addresses.ts';
import { planClusters } from './cluster/clusters.ts';
import type { LocalClusterOptions } from './cluster/local-cluster.ts';
import { kafkaServer } from './kafka.ts';
import { reservePorts } from './ports.ts';
import { postgresServer } from './postgres.ts';
import type { StartPlan, PlanContext } from './steps.ts';
import { TEMPORAL_NAMESPACE, temporalServer } from './temporal.ts';

/** Which servers to run. */
export interface PlanOptions {
  readonly postgres?: boolean;
  readonly kafka?: boolean;
  readonly temporal?: boolean;
  /** Local Kubernetes clusters. */
  readonly clusters?: readonly LocalClusterOptions[];
}

/** Finds the programs, reserves the ports, and says what is to be started and where it will be. */
export async function makePlan(options: PlanOptions, around: PlanContext): Promise<StartPlan> {
  const parts = [
    ...(options.postgres === true ? [await planPostgres(around)] : []),
    ...(options.kafka === true ? [await planKafka(around)] : []),
    ...(options.temporal === true ? [await planTemporal(around)] : []),
    ...(options.clusters !== undefined && options.clusters.length > 0
      ? [await planClusters(options.clusters, around)]
      : []),
  ];
  return {
    groups: parts.flatMap((part) => part.groups),
    addresses: Object.assign({}, ...parts.map((part) => part.addresses)) as Addresses,
  };
}

async function planPostgres(around: PlanContext): Promise<StartPlan> {
  const port = await reservePorts(around.state.at('ports.json'), ['postgres']);
  const { spec, databaseUrl } = postgresServer({ stateDir: around.state.dir, port: port('postgres') });
  return { groups: [[[spec]]], addresses: { databaseUrl } };
}

async function planKafka(around: PlanContext): Promise<StartPlan> {
  const found = await findKafka(around);
  const port = await reservePorts(around.state.at('ports.json'), ['kafka', 'kafka-controller']);
  const ports = { port: port('kafka'), controllerPort: port('kafka-controller') };
  const { spec, brokers } = kafkaServer({ stateDir: around.state.dir, ...ports, ...found });
  return { groups: [[[spec]]], addresses: { kafkaBrokers: brokers } };
}

async function planTemporal(around: PlanContext): Promise<StartPlan> {
  const temporal = await findTool('temporal', around);
  const names = ['temporal', 'temporal-http', 'temporal-metrics'];
  const port = await reservePorts(around.state.at('ports.json'), names);
  const ports = {
    port: port('temporal'),
    httpPort: port('temporal-http'),
    metricsPort: port('temporal-metrics'),
  };
  const { spec, address, metrics } = temporalServer({ stateDir: around.state.dir, ...ports, temporal });
  return {
    groups: [[[spec]]],
    addresses: { temporalAddress: address, temporalNamespace: TEMPORAL_NAMESPACE, temporalMetrics: metrics },
  };
}

import { findAll } from './tools/find-all.ts';
import { findKafka, wantedKafka } from './tools/find-kafka.ts';
import { findTool, wantedTool } from './tools/find-tool.ts';
import type { Addresses } from './state/addresses.ts';
import type { LocalClusterOptions } from './cluster/local-cluster.ts';
import { planKafkaServer } from './servers/kafka.ts';
import { kafkaClasses } from './servers/kafka-classes.ts';
import { reservePorts } from './state/ports.ts';
import { planPostgresServer } from './servers/postgres.ts';
import type { StartPlan, PlanContext } from './state/start-plan.ts';
import { TEMPORAL_NAMESPACE, planTemporalServer } from './servers/temporal.ts';

/** The servers to run. */
export interface PlanOptions {
  readonly postgres?: boolean;
  readonly kafka?: boolean;
  readonly temporal?: boolean;
  /** Local Kubernetes clusters. */
  readonly clusters?: readonly LocalClusterOptions[];
  /** Finds or builds kubectl for the clusters too, although no server needs it. */
  readonly kubectl?: boolean;
}

/** Finds the programs, reserves the ports, and returns the steps of the start and the addresses. */
export async function makePlan(options: PlanOptions, context: PlanContext): Promise<StartPlan> {
  // This module is imported on demand, because it needs a development dependency, and only a source tree runs local
  // clusters.
  const clusters = (options.clusters ?? []).length === 0 ? undefined : await import('./cluster/clusters.ts');
  const programs = await clusters?.clusterPrograms({ ...context, wantsKubectl: options.kubectl === true });
  // All programs are found together, so that their files are fetched at the same time. Each part of the plan then finds
  // its own program in the cache.
  await findAll(
    [
      ...(programs?.wanted ?? []),
      ...(options.temporal === true ? [wantedTool('temporal')] : []),
      ...(options.kafka === true ? [wantedKafka()] : []),
    ],
    context,
  );
  const parts = [
    ...(options.postgres === true ? [await planPostgres(context)] : []),
    ...(options.kafka === true ? [await planKafka(context)] : []),
    ...(options.temporal === true ? [await planTemporal(context)] : []),
    ...(clusters === undefined || programs === undefined
      ? []
      : [await clusters.planClusters(options.clusters ?? [], { ...context, ...programs })]),
  ];
  return {
    groups: parts.flatMap((part) => part.groups),
    addresses: Object.assign({}, ...parts.map((part) => part.addresses)) as Addresses,
  };
}

async function planPostgres(context: PlanContext): Promise<StartPlan> {
  const port = await reservePorts(context.state.at('ports.json'), ['postgres']);
  const { spec, databaseUrl } = planPostgresServer({ stateDir: context.state.dir, port: port('postgres') });
  return { groups: [[[spec]]], addresses: { databaseUrl } };
}

async function planKafka(context: PlanContext): Promise<StartPlan> {
  const found = await findKafka(context);
  const port = await reservePorts(context.state.at('ports.json'), ['kafka', 'kafka-controller']);
  const ports = { port: port('kafka'), controllerPort: port('kafka-controller') };
  const classes = `-XX:SharedArchiveFile=${await kafkaClasses(found, context)}`;
  const { spec, brokers, account } = planKafkaServer({
    stateDir: context.state.dir,
    ...ports,
    ...found,
    classes,
  });
  return { groups: [[[spec]]], addresses: { kafkaBrokers: brokers, kafkaAccount: account } };
}

async function planTemporal(context: PlanContext): Promise<StartPlan> {
  const temporal = await findTool('temporal', context);
  const names = ['temporal', 'temporal-http', 'temporal-metrics'];
  const port = await reservePorts(context.state.at('ports.json'), names);
  const ports = {
    port: port('temporal'),
    httpPort: port('temporal-http'),
    metricsPort: port('temporal-metrics'),
  };
  const { spec, address, metrics } = planTemporalServer({ stateDir: context.state.dir, ...ports, temporal });
  return {
    groups: [[[spec]]],
    addresses: { temporalAddress: address, temporalNamespace: TEMPORAL_NAMESPACE, temporalMetrics: metrics },
  };
}

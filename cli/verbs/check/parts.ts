import { accessSync, constants } from 'node:fs';
import {
  clustersEnvironment,
  kafkaEnvironment,
  postgresEnvironment,
  readConfig,
  temporalEnvironment,
} from '../../../services/adapters/config.ts';
import { InputError, UnavailableError } from '../../../services/adapters/errors.ts';
import { connectKafka } from '../../../services/adapters/kafka/connection.ts';
import { kafkaRefusal } from '../../../services/adapters/kafka/refusals.ts';
import { createKubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import { clusterFacts } from '../../../services/adapters/kubernetes/cluster-facts.ts';
import { connectClusters } from '../../../services/adapters/kubernetes/connection.ts';
import { openDatabase } from '../../../services/adapters/postgres/database.ts';
import { silentLog } from '../../../services/adapters/process/log.ts';
import { connectTemporal } from '../../../services/adapters/temporal/connection.ts';
import { isAboutNamespace, missingNamespace } from '../../../services/adapters/temporal/problems.ts';
import { errorMessage } from '../../../services/adapters/errors.ts';
import { sinkEnvironment, readSinkSettings } from '../../../services/projector/sink/config.ts';
import type { ServiceVerb } from '../service.ts';

/**
 * Checks with the variables of the environment whether a part is usable, and changes nothing. @throws the error of an unusable part.
 */
type Look = (environment: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<void>;

/** Variables with the paths of files that a service opens itself. The clients of Kafka and Temporal open their files when they connect. */
const FILES = [
  'JOBLEDGER_API_TOKENS_FILE',
  'JOBLEDGER_API_TLS_CERT',
  'JOBLEDGER_API_TLS_KEY',
  'JOBLEDGER_SINK_TOKEN_FILE',
];

const PARTS = {
  Kafka: checkKafka,
  Temporal: checkTemporal,
  Postgres: checkPostgres,
  clusters: checkClusters,
  files: checkFiles,
  sinks: checkSinks,
} as const satisfies Record<string, Look>;

type PartName = keyof typeof PARTS;

/** The parts that each service uses. */
const USES: Readonly<Record<ServiceVerb, readonly PartName[]>> = {
  ingester: ['Kafka', 'clusters'],
  dispatcher: ['Kafka', 'Temporal'],
  worker: ['Kafka', 'Temporal', 'Postgres', 'clusters'],
  projector: ['Kafka', 'Postgres', 'files', 'sinks'],
  api: ['Kafka', 'Temporal', 'Postgres', 'clusters', 'files'],
};

/** The missing settings and servers of a service, a text for each part; empty when the service can start. */
export async function missingFor(
  service: ServiceVerb,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await Promise.all(
    USES[service].map(async (name) => {
      try {
        await PARTS[name](environment, signal);
        return [];
      } catch (error) {
        return [`${name}: ${errorMessage(error)}`];
      }
    }),
  );
  return found.flat();
}

/** Connects to Kafka, and asks for its brokers. @throws UnavailableError if none answers. */
async function checkKafka(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(kafkaEnvironment, environment);
  const admin = connectKafka(config, silentLog()).kafka.admin({ retry: { retries: 1 } });
  try {
    await admin.connect();
    // An open connection alone does not show which server listens on the port.
    await admin.describeCluster();
  } catch (cause) {
    const where = config.KAFKA_BROKERS.join(',');
    throw (
      kafkaRefusal(cause, config.KAFKA_BROKERS) ??
      new UnavailableError(`no broker answers at ${where}; check KAFKA_BROKERS`, { cause })
    );
  } finally {
    await admin.disconnect();
  }
}

/** Connects to Temporal, and asks for its namespace. @throws UnavailableError if it does not answer. */
async function checkTemporal(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(temporalEnvironment, environment);
  const { connection, workflowService } = await connectTemporal(config);
  try {
    await workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE });
  } catch (cause) {
    if (isAboutNamespace(errorMessage(cause))) throw new InputError(missingNamespace(config), { cause });
    throw new UnavailableError(`Temporal at ${config.TEMPORAL_ADDRESS} does not answer`, { cause });
  } finally {
    await connection.close();
  }
}

/** Runs a query. @throws an error if Postgres does not answer. */
async function checkPostgres(environment: NodeJS.ProcessEnv): Promise<void> {
  const database = openDatabase(readConfig(postgresEnvironment, environment), silentLog());
  try {
    await database.run({ text: 'select 1', values: [] });
  } finally {
    await database.close();
  }
}

/** In a pod without a kubeconfig, the account of the pod may not exist yet, so no cluster can be checked. */
async function checkClusters(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  if ((environment['JOBLEDGER_KUBECONFIG'] ?? '') === '') return;
  const config = readConfig(clustersEnvironment, environment);
  const connections = connectClusters({
    kubeconfig: config.JOBLEDGER_KUBECONFIG,
    contexts: config.JOBLEDGER_CONTEXTS,
    clusterName: config.JOBLEDGER_CLUSTER_NAME,
  });
  await Promise.all(connections.map((each) => clusterFacts(createKubernetesClient(each), signal)));
}

/** Requires that the service can read the files of its variables. @throws InputError. */
async function checkFiles(environment: NodeJS.ProcessEnv): Promise<void> {
  const missing = FILES.filter((name) => !isReadable(environment[name]));
  if (missing.length === 0) return;
  throw new InputError(
    missing.map((name) => `${name}: the file ${environment[name] ?? ''} cannot be read`).join('; '),
  );
}

/** Requires that the settings of the sinks are valid. @throws InputError. */
async function checkSinks(environment: NodeJS.ProcessEnv): Promise<void> {
  readSinkSettings(readConfig(sinkEnvironment, environment), environment);
}

/** An unset variable names no file. */
function isReadable(file = ''): boolean {
  if (file === '') return true;
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import { checkOnlyWaitingRequests } from '../../../services/adapters/kafka/idle-connections.ts';
import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import type { KafkaAccount } from '../state/addresses.ts';
import { keptText, writePrivately } from '../state/files.ts';
import { LOOPBACK } from '../state/ports.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';

/** Additional listeners besides the server's own listener, with TLS or other credentials. */
export interface KafkaSecurity {
  /** Settings of the broker; settings of the same name are replaced. */
  settings: Readonly<Record<string, string>>;
  /** The users with SCRAM credentials, for `kafka-storage format`. */
  formatArguments: readonly string[];
  javaOptions: readonly string[];
}

/** One Kafka node in KRaft mode, both broker and controller. */
export function planKafkaServer(at: {
  stateDir: string;
  port: number;
  controllerPort: number;
  java: string;
  jars: string;
  /** The Java option that names the archive of classes. */
  classes: string;
  security?: KafkaSecurity;
}): {
  spec: ChildSpec;
  brokers: string;
  account: KafkaAccount;
} {
  const home = path.join(at.stateDir, 'kafka');
  const properties = path.join(home, 'server.properties');
  const brokers = `${LOOPBACK}:${at.port}`;
  const password = keptText(path.join(home, 'password'), () => randomBytes(24).toString('base64url'));
  const account = { username: USER, password };
  const java = javaCommand(at, home);
  const spec: ChildSpec = {
    name: 'kafka',
    ...STOP.server,
    async prepare(signal) {
      writePrivately(properties, serverProperties({ ...at, account, dataDir: path.join(home, 'data') }));
      writePrivately(path.join(home, 'log4j2.properties'), LOGGING);
      await formatStorage([at.java, ...java], {
        home,
        properties,
        more: at.security?.formatArguments ?? [],
        signal,
      });
    },
    command: () => ({
      file: at.java,
      args: [...java, 'kafka.Kafka', properties],
      cwd: home,
      env: plainEnvironment(),
    }),
    ready: (_child, signal) => retryUntilResolved(() => describeCluster(brokers, account), signal),
  };
  return { spec, brokers, account };
}

const USER = 'jobledger';

function javaCommand(
  at: { jars: string; classes: string; security?: KafkaSecurity },
  home: string,
): string[] {
  return [
    at.classes,
    ...(at.security?.javaOptions ?? []),
    '-Xms128m',
    '-Xmx512m',
    '-XX:+UseSerialGC',
    // A local broker runs too briefly, and does too little work, to profit from the optimizing compiler.
    '-XX:TieredStopAtLevel=1',
    '-Djava.awt.headless=true',
    `-Dlog4j2.configurationFile=${path.join(home, 'log4j2.properties')}`,
    '-cp',
    path.join(at.jars, '*'),
  ];
}

async function formatStorage(
  [java = 'java', ...options]: readonly string[],
  at: { home: string; properties: string; more: readonly string[]; signal: AbortSignal },
): Promise<void> {
  if (existsSync(path.join(at.home, 'data', 'meta.properties'))) return;
  const clusterId = keptText(path.join(at.home, 'cluster-id'), () => randomBytes(16).toString('base64url'));
  const args = [
    'kafka.tools.StorageTool',
    'format',
    '--ignore-formatted',
    // The id and its option are one argument, because an id may begin with a dash.
    `--cluster-id=${clusterId}`,
    '-c',
    at.properties,
    ...at.more,
  ];
  await runToEnd('the storage of the embedded Kafka could not be formatted', [java, ...options, ...args], {
    cwd: at.home,
    env: plainEnvironment(),
    signal: at.signal,
  });
}

function serverProperties(at: {
  dataDir: string;
  port: number;
  controllerPort: number;
  account: KafkaAccount;
  security?: KafkaSecurity;
}): string {
  const login = passwordLogin(at.account);
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${LOOPBACK}:${at.controllerPort}`,
    listeners: `LOCAL://${LOOPBACK}:${at.port},CONTROLLER://${LOOPBACK}:${at.controllerPort}`,
    'advertised.listeners': `LOCAL://${LOOPBACK}:${at.port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'LOCAL',
    'listener.security.protocol.map': 'LOCAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.local.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.controller.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.local.plain.sasl.jaas.config': login,
    'listener.name.controller.plain.sasl.jaas.config': login,
    'log.dirs': at.dataDir,
    'auto.create.topics.enable': false,
    'message.max.bytes': 5 * 1024 * 1024,
    'replica.fetch.max.bytes': 5 * 1024 * 1024,
    // The group detects a killed consumer soon, and its first consumer does not wait for other consumers.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // After a kill -9, the broker can register again only when its former session has expired.
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 3000,
    // By default an idle controller writes a record twice a second, so that replicas know their lag.
    'metadata.max.idle.interval.ms': 0,
    // The cluster has only one node to replicate to.
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    ...at.security?.settings,
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** The account that the server itself and its clients log in with. */
function passwordLogin({ username, password }: KafkaAccount): string {
  const own = `username="${username}" password="${password}"`;
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${own} user_${username}="${password}";`;
}

const LOGGING = `appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{yyyy-MM-dd'T'HH:mm:ss.SSS} %p %c{1} %m%n
rootLogger.level=WARN
rootLogger.appenderRef.console.ref=console
logger.server.name=kafka.server
logger.server.level=INFO
`;

/** Succeeds when the broker has registered and responds. */
async function describeCluster(brokers: string, account: KafkaAccount): Promise<void> {
  checkOnlyWaitingRequests();
  const kafka = new Kafka({
    clientId: 'jobledger-local',
    brokers: [brokers],
    sasl: { mechanism: 'plain', ...account },
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    requestTimeout: 2000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    if (cluster.brokers.length === 0) throw new JobledgerError('no broker is registered yet');
    await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}

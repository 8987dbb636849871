import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kafkaClasses } from '../../infra/local/servers/kafka-classes.ts';
import { planKafkaServer } from '../../infra/local/servers/kafka.ts';
import type { KafkaAccount } from '../../infra/local/state/addresses.ts';
import { writePrivately } from '../../infra/local/state/files.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { plainEnvironment } from '../../infra/local/processes/child.ts';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { findKafka } from '../../infra/local/tools/find-kafka.ts';
import type { Say } from '../../infra/local/tools/cache.ts';

/** Kafka nodes that are brokers and controllers at once, with three replicas of everything, of which two must be in sync. */
export interface Brokers {
  specs: readonly ChildSpec[];
  /** `host:port` of each. */
  addresses: readonly string[];
  account: KafkaAccount;
  /** Lets our account write and read this many bytes a second at each broker; undefined: as many as it wants. */
  limitBytes(perSecond: number | undefined): Promise<void>;
}

const QUOTAS = ['producer_byte_rate', 'consumer_byte_rate'];

/** Each is in a rack of its own, `zone-1` and so on. `settings`: of all brokers; those of the same name are replaced. */
export async function kafkaBrokers(
  stateDir: string,
  names: readonly string[],
  { report, settings = {} }: { report: Say; settings?: Record<string, string> },
): Promise<Brokers> {
  const found = await findKafka({ report, signal: new AbortController().signal });
  const classes = `-XX:SharedArchiveFile=${await kafkaClasses(found, { report, signal: new AbortController().signal })}`;
  const wanted = names.flatMap((name) => [name, `${name}-controller`]);
  const port = await reservePorts(join(stateDir, 'kafka-ports.json'), wanted);
  const voters = names.map((name, at) => `${at + 1}@${LOOPBACK}:${port(`${name}-controller`)}`).join(',');
  const [clusterId, password] = [randomBytes(16), randomBytes(24)].map((bytes) =>
    bytes.toString('base64url'),
  );
  const nodes = names.map((name, at) => {
    const home = join(stateDir, name);
    writePrivately(join(home, 'kafka', 'cluster-id'), clusterId ?? '');
    writePrivately(join(home, 'kafka', 'password'), password ?? '');
    const { spec, brokers, account } = planKafkaServer({
      ...found,
      stateDir: home,
      port: port(name),
      controllerPort: port(`${name}-controller`),
      classes,
      security: {
        settings: { ...nodeSettings(at + 1, voters), ...settings },
        formatArguments: [],
        javaOptions: [],
      },
    });
    return { spec: { ...spec, name }, address: brokers, account };
  });
  const [first] = nodes;
  if (first === undefined) throw new Error('no broker is named');
  const { account } = first;
  const addresses = nodes.map(({ address }) => address);
  return {
    specs: nodes.map(({ spec }) => spec),
    addresses,
    account,
    async limitBytes(perSecond) {
      const login = `org.apache.kafka.common.security.plain.PlainLoginModule required username="${account.username}" password="${account.password}";`;
      const client = writePrivately(
        join(stateDir, 'kafka-client.properties'),
        `security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=${login}\n`,
      );
      const change =
        perSecond === undefined
          ? ['--delete-config', QUOTAS.join(',')]
          : ['--add-config', QUOTAS.map((quota) => `${quota}=${perSecond}`).join(',')];
      const entity = ['--entity-type', 'users', '--entity-name', account.username];
      const command = ['--bootstrap-server', addresses.join(','), '--command-config', client, '--alter'];
      const program = ['-Xmx128m', '-cp', join(found.jars, '*'), 'kafka.admin.ConfigCommand'];
      await promisify(execFile)(found.java, [...program, ...command, ...change, ...entity], {
        env: plainEnvironment(),
      });
    },
  };
}

/** The differences from a node that is alone (infra/local/servers/kafka.ts). */
function nodeSettings(node: number, voters: string): Record<string, string> {
  const replicated = ['offsets.topic', 'transaction.state.log', 'share.coordinator.state.topic', 'default'];
  return {
    'node.id': String(node),
    'broker.rack': `zone-${node}`,
    'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector',
    'controller.quorum.voters': voters,
    'min.insync.replicas': '2',
    'transaction.state.log.min.isr': '2',
    'share.coordinator.state.topic.min.isr': '2',
    ...Object.fromEntries(replicated.map((name) => [`${name}.replication.factor`, '3'])),
    // Followers learn from these records how far behind they are.
    'metadata.max.idle.interval.ms': '500',
    // The machine runs more processes than it has processors.
    'broker.heartbeat.interval.ms': '1000',
    'broker.session.timeout.ms': '6000',
  };
}

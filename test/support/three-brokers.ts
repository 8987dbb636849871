import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaVariables } from '../../infra/local/addresses.ts';
import { writePrivately } from '../../infra/local/files.ts';
import { kafkaClasses } from '../../infra/local/kafka-classes.ts';
import { kafkaServer } from '../../infra/local/kafka.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/ports.ts';
import { createSupervisor } from '../../infra/processes/supervisor.ts';
import { findKafka } from '../../infra/tools/find-kafka.ts';

/** Three real Kafka nodes, each both broker and controller, with ids 1 to 3, in the racks `zone-1` to `zone-3`. */
export interface ThreeBrokers {
  variables: Record<string, string>;
  /** Ends one broker. */
  stopBroker(id: number): Promise<void>;
  stop(): Promise<void>;
}

const IDS = [1, 2, 3];

/** `settings`: of all brokers; those of the same name are replaced. */
export async function startThreeBrokers(settings: Record<string, string> = {}): Promise<ThreeBrokers> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-brokers-'));
  const context = { say: () => undefined, signal: new AbortController().signal };
  const found = await findKafka(context);
  const classes = `-XX:SharedArchiveFile=${await kafkaClasses(found, context)}`;
  const names = IDS.flatMap((id) => [`kafka-${id}`, `controller-${id}`]);
  const port = await reservePorts(join(stateDir, 'ports.json'), names);
  const voters = IDS.map((id) => `${id}@${LOOPBACK}:${port(`controller-${id}`)}`).join(',');
  const kept = { password: random(24), 'cluster-id': random(16) };
  const supervisor = createSupervisor({ runDir: join(stateDir, 'run'), logsDir: stateDir, say: context.say });
  const servers = IDS.map((id) => {
    const own = join(stateDir, String(id));
    for (const [file, text] of Object.entries(kept)) writePrivately(join(own, 'kafka', file), text);
    const { spec, brokers, account } = kafkaServer({
      stateDir: own,
      port: port(`kafka-${id}`),
      controllerPort: port(`controller-${id}`),
      ...found,
      classes,
      security: {
        settings: {
          'node.id': String(id),
          'broker.rack': `zone-${id}`,
          'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector',
          'controller.quorum.voters': voters,
          'offsets.topic.replication.factor': '3',
          ...settings,
        },
        formatArguments: [],
        javaOptions: [],
      },
    });
    return { spec: { ...spec, name: `kafka-${id}` }, brokers, account };
  });
  await Promise.all(servers.map(({ spec }) => supervisor.start(spec)));
  const [first] = servers;
  if (first === undefined) throw new Error('there are three brokers');
  return {
    variables: kafkaVariables({
      kafkaBrokers: servers.map(({ brokers }) => brokers).join(','),
      kafkaAccount: first.account,
    }),
    stopBroker: (id) => supervisor.halt(`kafka-${id}`),
    async stop() {
      await supervisor.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { readExtents } from '../../services/adapters/kafka/scan.ts';
import { requireJava } from '../../infra/local/tools/prerequisite.ts';
import { plainEnvironment } from '../../infra/local/processes/child.ts';
import { eventually } from './eventually.ts';

/** Runs MirrorMaker 2 with the settings of docs/engines/kafka.md until it has copied all topics of a ledger. */
export async function mirrorTopics(jars: string, from: KafkaConnection, to: KafkaConnection): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-mirror-'));
  const file = join(folder, 'mirror.properties');
  writeFileSync(file, settings(from, to));
  const program = ['-Xmx512m', '-cp', join(jars, '*'), 'org.apache.kafka.connect.mirror.MirrorMaker', file];
  const { java } = await requireJava('MirrorMaker');
  const child = spawn(java, program, { stdio: 'ignore', env: plainEnvironment() });
  try {
    for (const topic of Object.values(from.topics) as string[]) {
      const wanted = await recordsIn(from, topic);
      await eventually(
        `${topic} is copied`,
        120,
        async () => (await recordsIn(to, topic)) >= wanted || undefined,
      );
    }
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => void child.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function recordsIn(connection: KafkaConnection, topic: string): Promise<number> {
  const extents = [...(await readExtents(connection, topic)).values()];
  return extents.reduce((sum, { first, end }) => sum + Number(end - first), 0);
}

/** Those of the page, for these clusters. */
function settings(from: KafkaConnection, to: KafkaConnection): string {
  const [, block = ''] =
    /```properties\n([^`]*)```/.exec(readFileSync('docs/engines/kafka.md', 'utf8')) ?? [];
  const lines = block
    .split('\n')
    .map((line) => line.trim().replace('jobledger[.]ledger', from.topics.ledger.replaceAll('.', '[.]')))
    .map((line) => line.replace(/^replication\.factor = .*/, 'replication.factor = 1'))
    .filter((line) => !line.includes('.bootstrap.servers'));
  const single = STORES.map((topic) => `${topic}.replication.factor = 1`);
  return [...lines, ...single, ...clientSettings('old', from), ...clientSettings('new', to)].join('\n');
}

/** Topics of the mirror itself. */
const STORES = [
  'config.storage',
  'offset.storage',
  'status.storage',
  'offset-syncs.topic',
  'checkpoints.topic',
  'heartbeats.topic',
];

function clientSettings(name: string, { config }: KafkaConnection): string[] {
  const { KAFKA_BROKERS: brokers, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config;
  return [
    `${name}.bootstrap.servers = ${brokers.join(',')}`,
    `${name}.security.protocol = SASL_PLAINTEXT`,
    `${name}.sasl.mechanism = PLAIN`,
    `${name}.sasl.jaas.config = org.apache.kafka.common.security.plain.PlainLoginModule required username="${username}" password="${password}";`,
  ];
}

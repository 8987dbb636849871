import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs, { Kafka, logLevel, type AclEntry } from 'kafkajs';
import { kafkaVariables } from '../../infra/local/state/addresses.ts';
import { kafkaClasses } from '../../infra/local/servers/kafka-classes.ts';
import { planKafkaServer } from '../../infra/local/servers/kafka.ts';
import { writePrivately } from '../../infra/local/state/files.ts';
import { reservePorts } from '../../infra/local/state/ports.ts';
import { createSupervisor } from '../../infra/local/processes/supervisor.ts';
import { findKafka } from '../../infra/local/tools/find-kafka.ts';

/** The rights of an account to a topic or a group; a name that ends in `*` is a prefix. */
export interface Allowed {
  account: string;
  on: 'topic' | 'group';
  name: string;
  operations: readonly string[];
}

/** A Kafka that allows accounts only what is given. */
export interface KafkaWithAccounts {
  /** The variables of an account. */
  variables(account: string): Record<string, string>;
  /** A client of an account, which gives up at the first refusal. */
  client(account: string): Kafka;
  stop(): Promise<void>;
}

const ADMINISTRATOR = { username: 'jobledger', password: 'secret-of-administrator' };

export async function startKafkaWithAccounts(allowed: readonly Allowed[]): Promise<KafkaWithAccounts> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-accounts-'));
  const context = { report: () => undefined, signal: new AbortController().signal };
  writePrivately(join(stateDir, 'kafka', 'password'), ADMINISTRATOR.password);
  const accounts = [...new Set(allowed.map(({ account }) => account))];
  const found = await findKafka(context);
  const port = await reservePorts(join(stateDir, 'ports.json'), ['kafka', 'controller']);
  const { spec, brokers, account } = planKafkaServer({
    stateDir,
    port: port('kafka'),
    controllerPort: port('controller'),
    ...found,
    classes: `-XX:SharedArchiveFile=${await kafkaClasses(found, context)}`,
    security: {
      settings: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users': `User:${ADMINISTRATOR.username}`,
        'listener.name.local.plain.sasl.jaas.config': loginModule(accounts),
      },
      formatArguments: [],
      javaOptions: [],
    },
  });
  const supervisor = createSupervisor({
    runDir: join(stateDir, 'run'),
    logsDir: stateDir,
    report: context.report,
  });
  await supervisor.start(spec);
  const client = (username: string, password = accountPassword(username)): Kafka =>
    new Kafka({
      clientId: 'jobledger-test',
      brokers: [brokers],
      sasl: { mechanism: 'plain', username, password },
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
    });
  const admin = client(account.username, account.password).admin();
  await admin.connect();
  await admin.createAcls({ acl: allowed.flatMap(aclEntries) });
  await admin.disconnect();
  return {
    client: (name) => client(name),
    variables: (username) =>
      kafkaVariables({
        kafkaBrokers: brokers,
        kafkaAccount: { username, password: accountPassword(username) },
      }),
    async stop() {
      await supervisor.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

function accountPassword(account: string): string {
  return `secret-of-${account}`;
}

function loginModule(accounts: readonly string[]): string {
  const { username, password } = ADMINISTRATOR;
  const users = accounts.map((account) => `user_${account}="${accountPassword(account)}"`);
  const own = [`username="${username}"`, `password="${password}"`, `user_${username}="${password}"`];
  return `org.apache.kafka.common.security.plain.PlainLoginModule required ${[...own, ...users].join(' ')};`;
}

const OPERATIONS: Record<string, kafkajs.AclOperationTypes> = {
  Create: kafkajs.AclOperationTypes.CREATE,
  Read: kafkajs.AclOperationTypes.READ,
  Write: kafkajs.AclOperationTypes.WRITE,
  Delete: kafkajs.AclOperationTypes.DELETE,
  Describe: kafkajs.AclOperationTypes.DESCRIBE,
  DescribeConfigs: kafkajs.AclOperationTypes.DESCRIBE_CONFIGS,
  AlterConfigs: kafkajs.AclOperationTypes.ALTER_CONFIGS,
};

function aclEntries({ account, on, name, operations }: Allowed): AclEntry[] {
  const isPrefix = name.endsWith('*');
  return operations.map((operation) => {
    const known = OPERATIONS[operation];
    if (known === undefined) throw new Error(`no operation of Kafka: ${operation}`);
    return {
      resourceType: on === 'topic' ? kafkajs.AclResourceTypes.TOPIC : kafkajs.AclResourceTypes.GROUP,
      resourceName: isPrefix ? name.slice(0, -1) : name,
      resourcePatternType: isPrefix
        ? kafkajs.ResourcePatternTypes.PREFIXED
        : kafkajs.ResourcePatternTypes.LITERAL,
      principal: `User:${account}`,
      host: '*',
      operation: known,
      permissionType: kafkajs.AclPermissionTypes.ALLOW,
    };
  });
}

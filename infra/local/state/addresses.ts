import path from 'node:path';
import { rmSync } from 'node:fs';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { parseUncheckedAddress } from '../../../services/adapters/postgres/address.ts';
import { textIn, writePrivately } from './files.ts';
import { isOwnerRunning, type StateOwner } from './state-owner.ts';

/** The users of the embedded broker. */
export interface KafkaAccount {
  readonly username: string;
  readonly password: string;
}

/** The addresses of the running servers and services. An absent server does not run from this state directory. */
export interface Addresses {
  /** Includes the password. */
  readonly databaseUrl?: string;
  readonly kafkaBrokers?: string;
  /** Absent when the clients use no credentials, as for the brokers of KAFKA_BROKERS. */
  readonly kafkaAccount?: KafkaAccount;
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  /** The URL of Temporal's own metrics, in the Prometheus text format. */
  readonly temporalMetrics?: string;
  /** The metrics URL of each of our services, by service name. */
  readonly metrics?: Readonly<Record<string, string>>;
  /** The HTTP API, `http://host:port`. */
  readonly api?: string;
  /** The file that contains a token for the HTTP API. */
  readonly apiToken?: string;
  /** The kubeconfig for all our services, with the rights of the shipped RBAC. */
  readonly kubeconfig?: string;
  /** The kubeconfig of each service, by its name, with the rights of its own account. */
  readonly serviceKubeconfigs?: Readonly<Record<string, string>>;
  /** The administrator's kubeconfig, for kubectl. */
  readonly adminKubeconfig?: string;
  readonly contexts?: readonly string[];
  /** The audit log of each local cluster, by its context. */
  readonly auditLogs?: Readonly<Record<string, string>>;
  readonly kubectl?: string;
}

export function publishAddresses(stateDir: string, owner: StateOwner, addresses: Addresses): void {
  writePrivately(addressFile(stateDir, owner), `${JSON.stringify(addresses, undefined, 2)}\n`);
}

export function withdrawAddresses(stateDir: string, owner: StateOwner): void {
  rmSync(addressFile(stateDir, owner), { force: true });
}

/**
 * The addresses of the servers of a state directory: the addresses of `up` if it runs, otherwise the addresses of
 * `servers`; undefined if no server runs. @throws InputError when the directory cannot be read, for example because it
 * belongs to another user.
 */
export function publishedAddresses(stateDir: string): Addresses | undefined {
  const owner = runningOwner(stateDir);
  if (owner === undefined) return undefined;
  return JSON.parse(textIn(addressFile(stateDir, owner)) ?? '{}') as Addresses;
}

function runningOwner(stateDir: string): StateOwner | undefined {
  const owners: StateOwner[] = ['up', 'servers'];
  try {
    return owners.find(
      (candidate) =>
        isOwnerRunning(stateDir, candidate) && textIn(addressFile(stateDir, candidate)) !== undefined,
    );
  } catch (error) {
    throw new InputError(
      `the state directory ${stateDir} cannot be read: ${errorMessage(error)}; name the state directory of your own "jobledger up" with --state-dir`,
    );
  }
}

/**
 * The URL of a database without its password and parameters, fit for messages.
 * @throws InputError when it is not a URL.
 */
export function withoutPassword(databaseUrl: string): string {
  const urls = parseUncheckedAddress(databaseUrl).servers.map((server) => new URL(server));
  const [{ protocol, username, pathname } = new URL('postgres:')] = urls;
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${urls.map(({ host }) => host).join(',')}${pathname}`;
}

/** The variables with which a service or verb reaches the Kafka of these addresses; empty if they name no Kafka. */
export function kafkaVariables({
  kafkaBrokers,
  kafkaAccount,
}: Pick<Addresses, 'kafkaBrokers' | 'kafkaAccount'>): Record<string, string> {
  return {
    ...(kafkaBrokers !== undefined && { KAFKA_BROKERS: kafkaBrokers }),
    ...(kafkaAccount !== undefined && {
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: kafkaAccount.username,
      KAFKA_SASL_PASSWORD: kafkaAccount.password,
      // The server listens on loopback only.
      KAFKA_SASL_WITHOUT_TLS: 'true',
    }),
  };
}

/**
 * The variable with which the ingester follows the audit logs. `clusterName` is the name of the only cluster in the
 * ledger.
 */
export function auditLogVariables(
  { auditLogs = {} }: Pick<Addresses, 'auditLogs'>,
  clusterName?: string,
): Record<string, string> {
  // JOBLEDGER_AUDIT_LOGS separates files by commas, so a file whose path contains a comma is omitted.
  const all = Object.entries(auditLogs).filter(([, file]) => !file.includes(','));
  if (all.length === 0) return {};
  const named = all.map(
    ([context, file]) => `${all.length === 1 ? (clusterName ?? context) : context}=${file}`,
  );
  return { JOBLEDGER_AUDIT_LOGS: named.join(',') };
}

function addressFile(stateDir: string, owner: StateOwner): string {
  return path.join(stateDir, 'addresses', `${owner}.json`);
}

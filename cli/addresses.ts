import {
  auditLogVariables,
  kafkaVariables,
  publishedAddresses,
  type Addresses,
} from '../infra/local/state/addresses.ts';
import type { PostgresConfig } from '../services/adapters/config.ts';
import { InputError } from '../services/adapters/errors.ts';
import type { StateDirOption } from './options.ts';

/** The addresses of all servers. Reading an address throws an InputError if no variable sets the address and no such server runs. */
export interface ResolvedAddresses {
  readonly postgres: PostgresConfig;
  /** The variables with the address of the running Kafka; the object is empty if the environment has the address already. */
  readonly kafka: Readonly<Record<string, string>>;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** The kubeconfig of Jobledger's services, which is not that of an administrator. */
  readonly kubeconfig: string;
  /** The variable with the audit logs of running local clusters; the object is empty if the environment names a kubeconfig. */
  readonly auditLogs: Readonly<Record<string, string>>;
  /** If the list is empty, the kubeconfig's current context is used. */
  readonly contexts: readonly string[];
}

/** Environment variables take precedence over the servers that `up` or `servers` runs from the state directory. */
export function resolveAddresses(
  options: StateDirOption,
  environment: NodeJS.ProcessEnv = process.env,
): ResolvedAddresses {
  // The state directory is read only for a missing address, because it may belong to another user.
  const running = (): Addresses | undefined => publishedAddresses(options.stateDir);
  // The address of a server: from its variable, or from the servers that run. @throws InputError if neither has the address.
  const find = (part: keyof Addresses, variable: string, what: string): string => {
    const found = nonEmpty(environment[variable]) ?? running()?.[part];
    if (typeof found === 'string') return found;
    throw new InputError(missingAddressText(what, variable, { ...options, running: running() }));
  };
  return {
    get postgres() {
      const isAllowed = environment['DATABASE_WITHOUT_TLS'] === 'true';
      const direct = nonEmpty(environment['DATABASE_DIRECT_URL']);
      return {
        DATABASE_URL: find('databaseUrl', 'DATABASE_URL', 'Postgres'),
        ...(direct !== undefined && { DATABASE_DIRECT_URL: direct }),
        ...(isAllowed && { DATABASE_WITHOUT_TLS: 'true' as const }),
      };
    },
    get kafka() {
      if (nonEmpty(environment['KAFKA_BROKERS']) !== undefined) return {};
      find('kafkaBrokers', 'KAFKA_BROKERS', 'Kafka');
      return kafkaVariables(running() ?? {});
    },
    get temporalAddress() {
      return find('temporalAddress', 'TEMPORAL_ADDRESS', 'Temporal');
    },
    get temporalNamespace() {
      return nonEmpty(environment['TEMPORAL_NAMESPACE']) ?? running()?.temporalNamespace ?? 'default';
    },
    get kubeconfig() {
      return find('kubeconfig', 'JOBLEDGER_KUBECONFIG', 'the clusters');
    },
    get auditLogs() {
      const isGiven = nonEmpty(environment['JOBLEDGER_KUBECONFIG']) !== undefined;
      return isGiven
        ? {}
        : auditLogVariables(running() ?? {}, nonEmpty(environment['JOBLEDGER_CLUSTER_NAME']));
    },
    get contexts() {
      const given = nonEmpty(environment['JOBLEDGER_CONTEXTS'])?.split(',');
      if (given !== undefined) return given;
      return nonEmpty(environment['JOBLEDGER_KUBECONFIG']) === undefined ? (running()?.contexts ?? []) : [];
    },
  };
}

/** Returns undefined for an empty text, because an empty variable counts as unset. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** The message that a verb has no address for a server, with the ways to give one. */
function missingAddressText(
  what: string,
  variable: string,
  at: StateDirOption & { running: Addresses | undefined },
): string {
  const why =
    at.running === undefined
      ? `no servers run from ${at.stateDir}`
      : `${what} is not among the servers that run from ${at.stateDir}`;
  const direct =
    nonEmpty(process.env['JOBLEDGER_SERVER']) === undefined ? '' : ' (JOBLEDGER_SERVER does not apply)';
  return `no address for ${what}, which this verb uses directly${direct}: ${why}; to use an API, sign in with "jobledger login URL" or give --server; to use servers, start "jobledger up", give its --state-dir, or set ${variable}`;
}

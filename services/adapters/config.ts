import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  CONTROLLERS,
  DEFAULT_SETTINGS,
  type Controller,
  type Settings,
} from '../../workflows/job/settings.ts';
import { DEFAULT_CRON_SETTINGS, type CronSettings } from '../../workflows/cron-job/settings.ts';
import type { PlacementSettings } from '../../workflows/placement/settings.ts';
import type { AnySettings, KindName } from '../../workflows/kind.ts';
import { InputError, errorMessage } from './errors.ts';
import { isNamespaceName } from './kubernetes/object-names.ts';
import { isTimeZone } from './time-zones.ts';

/** Reads the environment by a schema. @throws InputError with one line per problem; values are never shown. */
export function readConfig<S extends z.ZodType>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.infer<S> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data) as z.infer<S>;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new InputError(`the configuration is not usable:\n  ${lines.join('\n  ')}`);
}

const integer = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

/** The items of a comma-separated list, without blanks and empty items. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const list = z.string().default('').transform(splitList);

/** A setting whose text `parse` converts; an error of `parse` becomes an error of the setting. */
export const parsedSetting = <T>(parse: (text: string) => T, fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, context): T => {
      try {
        return parse(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: errorMessage(error) });
        return z.NEVER;
      }
    });

/** The connection to Kafka, with TLS and SASL if the brokers require them. */
export const kafkaEnvironment = z.object({
  KAFKA_BROKERS: list.refine((brokers) => brokers.length > 0, 'name at least one broker as host:port'),
  KAFKA_TLS_CA: z.string().optional(),
  KAFKA_TLS: z.enum(['true', 'false']).default('false'),
  KAFKA_TLS_CERT: z.string().optional(),
  KAFKA_TLS_KEY: z.string().optional(),
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']).optional(),
  KAFKA_SASL_WITHOUT_TLS: z.enum(['true', 'false']).default('false'),
  KAFKA_OAUTH_TOKEN_URL: z.url({ protocol: /^https?$/ }).optional(),
  KAFKA_OAUTH_SCOPE: z.string().optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  JOBLEDGER_KAFKA_RACK: z.string().optional(),
  JOBLEDGER_LEDGER_TOPIC: z.string().default('jobledger.ledger'),
  JOBLEDGER_LEDGER_PARTITIONS: integer(8),
  JOBLEDGER_LEDGER_REPLICATION: z.coerce.number().int().min(-1).default(-1),
  JOBLEDGER_LEDGER_RETENTION_MS: z.coerce.number().int().min(-1).default(-1),
  JOBLEDGER_LEDGER_RETENTION_BYTES: z.coerce.number().int().min(-1).default(-1),
  JOBLEDGER_LEDGER_MIN_INSYNC_REPLICAS: z.coerce.number().int().min(1).optional(),
});
export type KafkaConfig = z.infer<typeof kafkaEnvironment>;

export const postgresEnvironment = z.object({
  DATABASE_URL: z.string({ error: 'set the address of Postgres, postgres://…' }),
  DATABASE_DIRECT_URL: z.string().optional(),
  DATABASE_WITHOUT_TLS: z.enum(['true', 'false']).optional(),
});
export type PostgresConfig = z.infer<typeof postgresEnvironment>;

/** True when a projector migrates the schema at its start, and false when "jobledger admin migrate" does. */
export const migrateEnvironment = z.object({ JOBLEDGER_MIGRATE: z.enum(['true', 'false']).default('true') });

export const temporalEnvironment = z.object({
  TEMPORAL_ADDRESS: z.string({ error: 'set the address of Temporal, host:port' }),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: z.enum(['true', 'false']).optional(),
  TEMPORAL_TLS_CA: z.string().optional(),
  TEMPORAL_TLS_CERT: z.string().optional(),
  TEMPORAL_TLS_KEY: z.string().optional(),
});
export type TemporalConfig = z.infer<typeof temporalEnvironment>;

export const workflowTasksEnvironment = z.object({
  /** The maximum number of workflow tasks that a worker handles at once for each cluster; each task is about one Job. */
  JOBLEDGER_WORKFLOW_TASKS: z.coerce.number().int().min(1).max(1000).default(40),
});

/** The names in a list, without duplicates. @throws InputError with the names that no namespace can have. */
export function namespacesIn(text: string): string[] {
  const names = splitList(text);
  const wrong = names.filter((name) => !isNamespaceName(name)).map((name) => `"${name}"`);
  if (wrong.length > 0)
    throw new InputError(
      `${wrong.join(', ')} cannot be the name of a namespace; name namespaces, separated by commas`,
    );
  return [...new Set(names)];
}

export const clustersEnvironment = z.object({
  JOBLEDGER_KUBECONFIG: z.string({ error: 'set the path of a kubeconfig' }),
  JOBLEDGER_CONTEXTS: list,
  JOBLEDGER_CLUSTER_NAME: z.string().optional(),
  /** The only namespaces to watch and change, in each cluster; an empty list means all namespaces. */
  JOBLEDGER_NAMESPACES: parsedSetting(namespacesIn, ''),
});

export const claimEnvironment = z.object({ JOBLEDGER_CLAIM: z.enum(['managed', 'all']).default('managed') });

/** The namespace in each cluster that contains Jobledger's own objects. */
export const leaseEnvironment = z.object({ JOBLEDGER_LEASE_NAMESPACE: z.string().default('jobledger') });

/** A controller that this program can replace. Decisions about Jobs depend only on `job` and `ttl`. */
export type ReplacedController = Controller | 'cronjob';

export const REPLACED_CONTROLLERS: readonly ReplacedController[] = [...CONTROLLERS, 'cronjob'];

/**
 * The controllers to run, deduplicated and in a fixed order, because the settings are recorded in every decision.
 * @throws InputError for an unknown name or an empty list.
 */
export function controllersIn(text: string): ReplacedController[] {
  const names = splitList(text);
  const available = `available: ${REPLACED_CONTROLLERS.join(', ')}, separated by commas`;
  const unknown = names.filter((name) => !REPLACED_CONTROLLERS.some((known) => known === name));
  if (unknown.length > 0) throw new InputError(`${unknown.join(', ')} is not a controller; ${available}`);
  if (names.length === 0) throw new InputError(`name at least one controller; ${available}`);
  return REPLACED_CONTROLLERS.filter((name) => names.includes(name));
}

export const controllersEnvironment = z.object({
  JOBLEDGER_CONTROLLERS: parsedSetting(controllersIn, 'job'),
});

export const settingsEnvironment = claimEnvironment.extend(controllersEnvironment.shape).extend({
  JOBLEDGER_GANG_SCHEDULING: z.enum(['true', 'false']).default('false'),
  JOBLEDGER_POD_FAILURE_BACKOFF_MS: integer(DEFAULT_SETTINGS.podFailureBackoffMs),
  JOBLEDGER_MAX_POD_FAILURE_BACKOFF_MS: integer(DEFAULT_SETTINGS.maxPodFailureBackoffMs),
  JOBLEDGER_MAX_PODS_PER_SYNC: integer(DEFAULT_SETTINGS.maxPodsPerSync),
  JOBLEDGER_MAX_UNCOUNTED_PODS: integer(DEFAULT_SETTINGS.maxUncountedPods),
  JOBLEDGER_CRON_TIME_ZONE: z
    .string()
    .default(DEFAULT_CRON_SETTINGS.localTimeZone)
    .refine(
      (name) => isTimeZone(name),
      'the value is not the name of a time zone; give a name such as Europe/Berlin',
    ),
});

type SettingsConfig = z.infer<typeof settingsEnvironment>;

/** The kinds whose objects have workflow runs. A finished Job of another controller may have a run too (J-10.4). */
export function controlledKinds({ JOBLEDGER_CONTROLLERS }: SettingsConfig): KindName[] {
  return JOBLEDGER_CONTROLLERS.includes('cronjob') ? ['PlacedJob', 'Job', 'CronJob'] : ['PlacedJob', 'Job'];
}

/** The settings of decisions about objects of a kind. */
export const SETTINGS_OF: Record<KindName, (config: SettingsConfig) => AnySettings> = {
  PlacedJob: placementSettings,
  Job: toSettings,
  CronJob: cronSettings,
};

/** The settings of placed Jobs; the availability of clusters and the candidates of a choice are added later. */
function placementSettings({ JOBLEDGER_CONTROLLERS }: SettingsConfig): PlacementSettings {
  return JOBLEDGER_CONTROLLERS.includes('ttl') ? { ttl: true } : {};
}

/** The settings of CronJobs; their workflows add the rules of time zones. */
function cronSettings(config: SettingsConfig): CronSettings {
  return {
    ...DEFAULT_CRON_SETTINGS,
    localTimeZone: config.JOBLEDGER_CRON_TIME_ZONE,
  };
}

/** The settings of Jobs. */
export function toSettings(config: SettingsConfig): Settings {
  return {
    controllers: CONTROLLERS.filter((name) => config.JOBLEDGER_CONTROLLERS.includes(name)),
    claim: config.JOBLEDGER_CLAIM,
    podFailureBackoffMs: config.JOBLEDGER_POD_FAILURE_BACKOFF_MS,
    maxPodFailureBackoffMs: config.JOBLEDGER_MAX_POD_FAILURE_BACKOFF_MS,
    maxPodsPerSync: config.JOBLEDGER_MAX_PODS_PER_SYNC,
    maxUncountedPods: config.JOBLEDGER_MAX_UNCOUNTED_PODS,
    ...(config.JOBLEDGER_GANG_SCHEDULING === 'true' && { gangScheduling: 'where-served' }),
  };
}

/** Reads a file named by a setting. @throws InputError naming the setting and the file. */
export function readSettingFile(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new InputError(`${setting}: ${path} cannot be read`, { cause });
  }
}

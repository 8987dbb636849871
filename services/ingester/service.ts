import { z } from 'zod';
import {
  claimEnvironment,
  clustersEnvironment,
  controllersEnvironment,
  kafkaEnvironment,
  leaseEnvironment,
  parsedSetting,
  readConfig,
} from '../adapters/config.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { InputError, errorMessage } from '../adapters/errors.ts';
import { createAppender } from '../adapters/kafka/append.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { availabilityIn, recordSilence } from '../live-topic/cluster-availability.ts';
import { recordedEpoch, publishEpoch, recordedEpochNumber, type Epoch } from '../live-topic/epoch.ts';
import { lastOlderAnswer, type OlderAnswer } from '../live-topic/older-answer.ts';
import { openFeatureLevel } from '../installation/feature-level.ts';
import { readInstallationId } from '../installation/installation.ts';
import { readLiveTopic } from '../live-topic/live-topic.ts';
import { hasNamespace, parseShard } from '../shards/shards.ts';
import { keepTopics } from '../adapters/kafka/topics.ts';
import { createKubernetesClient } from '../adapters/kubernetes/client.ts';
import { connectClusters } from '../adapters/kubernetes/connection.ts';
import { createRefusals } from '../adapters/kubernetes/refusals.ts';
import { rateLimitEnvironment, configuredRateLimit } from '../adapters/kubernetes/rate-limit.ts';
import { requestCounter } from '../adapters/metrics/api-requests.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { kafkaRequestCounter } from '../adapters/metrics/kafka-requests.ts';
import { createAppendedCounter } from '../consumers/ledger-metrics.ts';
import type { ServiceContext, Service } from '../adapters/process/run-service.ts';
import { traceAppended } from '../adapters/tracing/event-spans.ts';
import { openTracing, tracingEnvironment } from '../adapters/tracing/tracing.ts';
import { whenAllReady } from '../adapters/process/shutdown.ts';
import { logFailures } from '../adapters/waiting/retry.ts';
import { readIdentity, requireOneName, replaceIdentity } from './terms/identity.ts';
import { createEpochDisplay } from './terms/show-epoch.ts';
import { createSilenceRecorder } from './terms/silence.ts';
import { auditLogEnvironment } from '../audit-log/settings.ts';
import { auditLogsByCluster, auditLogsSetting } from './audit-log/audit-logs.ts';
import { ingest } from './ingest.ts';
import { additionalFieldPaths, recordedFields, recordFieldsSetting } from './redaction/recorded-fields.ts';
import { RESOURCES } from './live-set/live-set.ts';
import { changeCounter } from './metrics/changes.ts';
import { showGaps, showWatches } from './metrics/watches.ts';

const configuration = kafkaEnvironment
  .extend(clustersEnvironment.shape)
  .extend(claimEnvironment.shape)
  .extend(controllersEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend(tracingEnvironment.shape)
  .extend(rateLimitEnvironment.shape)
  .extend(leaseEnvironment.shape)
  .extend(auditLogEnvironment.shape)
  .extend({
    JOBLEDGER_RECORD_FIELDS: recordFieldsSetting,
    JOBLEDGER_REDACT_ENV: z.enum(['true', 'false']).default('true'),
    /** The shard of each cluster that this ingester records, such as `2/4`. */
    JOBLEDGER_INGESTER_SHARD: parsedSetting(parseShard, '1/1'),
    /** The audit logs of API servers, by cluster. */
    JOBLEDGER_AUDIT_LOGS: auditLogsSetting,
    JOBLEDGER_AUDIT_INTERVAL_MS: z.coerce.number().int().min(1000).default(300_000),
  });

/** Kafka accepts records of 4 MiB; the difference is reserved for the envelope of the event. */
const MAX_OBJECT_BYTES = 4 * 1024 * 1024 - 64 * 1024;

export const service: Service = { name: 'ingester', start: startIngester };

async function startIngester({
  environment,
  log,
  shutdown,
  refuse,
  announceReady,
}: ServiceContext): Promise<void> {
  const config = readConfig(configuration, environment);
  const metrics = await openMetrics(config, { log, shutdown });
  const [observe, count] = [requestCounter(metrics), changeCounter(metrics, config.JOBLEDGER_CLAIM)];
  const namespaces = config.JOBLEDGER_NAMESPACES;
  const connections = connectClusters({
    kubeconfig: config.JOBLEDGER_KUBECONFIG,
    contexts: config.JOBLEDGER_CONTEXTS,
    clusterName: config.JOBLEDGER_CLUSTER_NAME,
    watches: RESOURCES.length * namespaces.length,
  });
  const names = connections.map(({ cluster }) => cluster);
  const auditLogs = auditLogsByCluster(config, names, metrics);
  const kafka = connectKafka(config, log, { service: 'ingester', observe: kafkaRequestCounter(metrics) });
  await keepTopics(kafka, { signal: shutdown.signal, role: 'writer' });
  const level = await openFeatureLevel(kafka, { signal: shutdown.signal, onTooOld: refuse });
  const shard = config.JOBLEDGER_INGESTER_SHARD;
  if (namespaces.length > 0 && !namespaces.some((namespace) => hasNamespace(shard, namespace)))
    throw new InputError(
      `JOBLEDGER_INGESTER_SHARD: none of JOBLEDGER_NAMESPACES is in the shard ${shard.index}/${shard.of}: use fewer shards`,
    );
  const record = await openTracing(config, { service: 'ingester', log, shutdown });
  const traced = record === null ? null : traceAppended(record);
  const [countEvents, noteGaps] = [createAppendedCounter(metrics), showGaps(metrics, names)];
  const onAppended = (events: readonly LedgerEvent[]): void => {
    countEvents(events);
    noteGaps(events);
    traced?.(events);
  };
  const appender = await createAppender(kafka, onAppended, level.current);
  shutdown.onClose('appender', () => appender.close());
  const installation = await readInstallationId(kafka, shutdown.signal);
  let known = await readLiveTopic(kafka);
  const redactEnv = config.JOBLEDGER_REDACT_ENV === 'true';
  const fields = recordedFields(config.JOBLEDGER_RECORD_FIELDS, redactEnv);
  const redaction = { fields, maxBytes: MAX_OBJECT_BYTES };

  const cronJobs = config.JOBLEDGER_CONTROLLERS.includes('cronjob');
  const ready = whenAllReady(names, () => announceReady({ clusters: names }));
  const { signal } = shutdown;
  const refusals = createRefusals({ clusters: names, log, metrics, signal, onRefused: ready });
  const ofAll = {
    kafka,
    installation,
    appender,
    log,
    watches: showWatches(metrics, { clusters: names, shards: shard.of }),
    refusals,
    shard,
    leaseNamespace: config.JOBLEDGER_LEASE_NAMESPACE,
    namespaces,
    recordedFields: additionalFieldPaths(config.JOBLEDGER_RECORD_FIELDS, redactEnv),
    auditMs: config.JOBLEDGER_AUDIT_INTERVAL_MS,
    signal,
  };
  const running = connections.map((connection) => {
    const client = createKubernetesClient(connection, { observe, limit: configuredRateLimit(config) });
    const { cluster } = connection;
    // The silence is recorded even when the attempts end, because a name that belongs to another cluster counts as
    // silent too.
    const silence = createSilenceRecorder({
      recorded: () => availabilityIn(level.records())[cluster]?.silentSince ?? null,
      record: (since) => recordSilence(kafka, cluster, since),
      onFailed: (error) =>
        log.warn(
          { cluster, error: errorMessage(error) },
          'the silence of the cluster could not be recorded; trying again',
        ),
      now: Date.now,
    });
    const onEpoch = createEpochDisplay({
      shown: () => recordedEpochNumber(cluster, level.records()),
      show: (epoch) => publishEpoch(kafka, cluster, epoch),
      onFailedAttempt: logFailures(log, 'the epoch could not be shown to the workers; trying again', {
        cluster,
      }),
    });
    return refusals.untilAccepted(cluster, async (accepted) => {
      const { leaseNamespace } = ofAll;
      const identity = await readIdentity(client, {
        known,
        leaseNamespace,
        namespaces,
        log,
        signal,
        silence,
      });
      requireOneName(cluster, identity, known);
      known = replaceIdentity(known, cluster, identity);
      accepted();
      const scope = { cluster, claim: config.JOBLEDGER_CLAIM, redaction, cronJobs };
      const auditLog = auditLogs.get(cluster);
      const reportedOlder = (): OlderAnswer | null => lastOlderAnswer(cluster, level.records());
      const restored = {
        onEpoch,
        reportedOlder,
        recordedEpoch: (): Epoch | null => recordedEpoch(cluster, level.records()),
      };
      await ingest({ ...ofAll, ...restored, auditLog, client, scope, silence, count }, () => ready(cluster));
    });
  });
  shutdown.onClose('watches', () => Promise.allSettled(running).then(() => undefined));
  await Promise.all(running);
}

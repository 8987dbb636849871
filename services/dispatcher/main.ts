import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isOurs } from '../../workflows/job/settings.ts';
import {
  clustersEnvironment,
  kafkaEnvironment,
  readConfig,
  settingsEnvironment,
  settingsOf,
  temporalEnvironment,
} from '../adapters/config.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { readLiveTopic, type LiveRecord } from '../adapters/kafka/live-topic.ts';
import { committedBy, groupOf } from '../adapters/kafka/groups.ts';
import { endsOf } from '../adapters/kafka/scan.ts';
import { ensureTopics } from '../adapters/kafka/topics.ts';
import { connectClusters } from '../adapters/kubernetes/connection.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { countRead, showLag } from '../adapters/metrics/ledger.ts';
import { runService } from '../adapters/process.ts';
import { announceReady } from '../adapters/shutdown.ts';
import { workflowBuild } from '../adapters/temporal/build.ts';
import { isServed, runsOfOtherBuilds, takeOver } from '../adapters/temporal/builds.ts';
import { connectTemporal, untilAvailable } from '../adapters/temporal/connection.ts';
import { namespaceId, runningJobWorkflows, signalWithStart } from '../adapters/temporal/job-workflows.ts';
import { consume } from './consume.ts';
import type { KnownJob } from './dispatch.ts';
import type { Mailbox } from './mailbox.ts';
import { showQueue } from './metrics.ts';
import { createPositions } from './positions.ts';
import { lookAfter } from './look-after.ts';
import { rollCall, tellSettings } from './roll-call.ts';
import { takeOverOthers } from './take-over.ts';
import type { SignalWithStart } from './send.ts';

const configuration = kafkaEnvironment
  .extend(temporalEnvironment.shape)
  .extend(clustersEnvironment.shape)
  .extend(settingsEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend({ JOBLEDGER_SYNC_BATCH_PERIOD_MS: z.coerce.number().int().min(0).default(1000) });

await runService('dispatcher', async ({ log, shutdown }) => {
  const config = readConfig(configuration);
  const metrics = await openMetrics(config, { log, shutdown });
  const settings = settingsOf(config);
  const clusters = new Set(
    connectClusters({
      kubeconfig: config.JOBLEDGER_KUBECONFIG,
      contexts: config.JOBLEDGER_CONTEXTS,
      clusterName: config.JOBLEDGER_CLUSTER_NAME,
    }).map(({ cluster }) => cluster),
  );
  const kafka = connectKafka(config, log);
  await ensureTopics(kafka, shutdown.signal);
  const temporal = await untilAvailable('Temporal', log, shutdown.signal, () => connectTemporal(config));
  shutdown.onClose('temporal', () => temporal.connection.close());

  // The ends are taken before the live set is read: what is appended in between counts as there before.
  const startedAt = await endsOf(kafka, kafka.topics.ledger);
  const jobs = new Map<string, KnownJob>();
  const learnJobs = async (): Promise<void> => {
    for (const record of await readLiveTopic(kafka)) if (clusters.has(record.cluster)) learn(record);
  };
  await learnJobs();
  const workflows = {
    client: temporal,
    build: workflowBuild(fileURLToPath(new URL('../..', import.meta.url))),
  };
  const signal: SignalWithStart = (job, facts, { recall }) =>
    signalWithStart(workflows, job, { facts, settings, recall });
  const running = (): Promise<ReadonlyMap<string, unknown>> => runningJobWorkflows(temporal);
  const calling = { jobs, settings, running, signal, log };
  await untilAvailable('Temporal', log, shutdown.signal, () => rollCall(calling));

  const dispatchersChanged = lookAfter({
    namespaceId: () => namespaceId(temporal),
    callRoll: () => rollCall(calling),
    takeOver: () =>
      takeOverOthers({
        others: () => runsOfOtherBuilds(workflows, clusters),
        isServed: (cluster) => isServed(workflows, cluster),
        takeOver: (run) => takeOver(workflows, run, settings),
        log,
      }),
    aborted: shutdown.signal,
    log,
  });

  const positions = createPositions();
  const mailboxes = new Map<string, Mailbox>();
  showQueue(metrics, mailboxes);
  const committed = (): Promise<Map<number, bigint>> => committedBy(kafka, groupOf(kafka, 'dispatcher'));
  showLag(metrics, { kafka, reader: 'dispatcher', positions: committed, signal: shutdown.signal });
  const now = Date.now;
  const dispatch = {
    jobs,
    mailboxes,
    positions,
    settings,
    startedAt,
    clusters,
    countRead: countRead(metrics),
    now,
    periodMs: config.JOBLEDGER_SYNC_BATCH_PERIOD_MS,
  };
  const subscription = await consume(
    kafka,
    dispatch,
    { mailboxes, positions, signal, log, now },
    () => {
      dispatchersChanged();
      return learnJobs();
    },
    shutdown.signal,
  );
  shutdown.onClose('ledger', () => subscription.close());
  await subscription.assigned;
  announceReady(log, { clusters: [...clusters] });
  void tellSettings({ ...calling, aborted: shutdown.signal });

  /** The live set holds what the ingester wrote. */
  function learn({ cluster, kind, key: uid, value }: LiveRecord): void {
    if (kind !== 'jobs') return;
    const { namespace, name, managedBy, expires } = value as LearntJob;
    jobs.set(`${cluster}/${uid}`, {
      ref: { cluster, uid, namespace, name },
      isOurs: isOurs(settings, managedBy),
      expires: expires === true,
      wasThere: true,
    });
  }
});

interface LearntJob {
  namespace: string;
  name: string;
  managedBy?: string;
  expires?: true;
}

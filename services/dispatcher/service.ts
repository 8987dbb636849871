import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  kafkaEnvironment,
  readConfig,
  settingsEnvironment,
  controlledKinds,
  SETTINGS_OF,
  toSettings,
  temporalEnvironment,
  workflowTasksEnvironment,
} from '../adapters/config.ts';
import type { ObjectRef } from '../../workflows/activities.ts';
import type { AnySettings } from '../../workflows/kind.ts';
import { ALL_KINDS, keyOfStreamId, getKind } from '../../workflows/kinds.ts';
import { createAppender } from '../adapters/kafka/append.ts';
import { connectKafka } from '../adapters/kafka/connection.ts';
import { availabilityIn } from '../live-topic/cluster-availability.ts';
import { deadLetterCounter, createSetAside, letterFields } from '../consumers/dead-letters.ts';
import { openFeatureLevel } from '../installation/feature-level.ts';
import { committedOffsets, consumerGroup } from '../consumers/groups.ts';
import { createPartitioner } from '../adapters/kafka/create-partitioner.ts';
import { createRequireReach } from '../consumers/reach.ts';
import { keepTopics } from '../adapters/kafka/topics.ts';
import { metricsEnvironment, openMetrics } from '../adapters/metrics/endpoint.ts';
import { kafkaRequestCounter } from '../adapters/metrics/kafka-requests.ts';
import { createReadCounter, showLag } from '../consumers/ledger-metrics.ts';
import { reportStopped } from '../adapters/metrics/stopped-partitions.ts';
import { PACKAGE_DIR } from '../adapters/process/package-dir.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { refuseInput, type ServiceContext, type Service } from '../adapters/process/run-service.ts';
import { retryUntilAvailable } from '../adapters/waiting/retry.ts';
import { workflowBundle } from '../adapters/temporal/bundle.ts';
import { connectTemporal } from '../adapters/temporal/connection.ts';
import {
  failedJobWorkflows,
  namespaceId,
  runningIds,
  runningJobWorkflows,
  signalIfRunning,
  signalWithStart,
  replaceRun,
  stopRun,
} from '../adapters/temporal/job-workflows.ts';
import { waitForNamespace } from '../adapters/temporal/namespace.ts';
import { createTemporalMarks } from '../adapters/temporal/marks.ts';
import type { Assignments } from './assignments/assignment.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';
import { openTracing, tracingEnvironment } from '../adapters/tracing/tracing.ts';
import { createIsConnected } from './runs/connected.ts';
import { consume } from './consume.ts';
import { settingsWithClusters } from './placement.ts';
import { keepMarks } from './runs/keep-marks.ts';
import { marksInKafka } from './runs/marks-in-kafka.ts';
import { createMarks } from './runs/marks.ts';
import { createReadLiveJobs, writtenUpTo } from './assignments/read-live-jobs.ts';
import { recallOutOfStep } from './runs/recall-out-of-step.ts';
import { createRestartFailed } from './runs/restart-failed.ts';
import { superviseRuns } from './runs/supervise.ts';
import { ensureWorkflows } from './runs/ensure-workflows.ts';
import { createSignalSettings } from './runs/signal-settings.ts';
import type { Signal } from './sending/send.ts';
import { createStartAssignment } from './assignments/start-assignment.ts';
import { tracedSignal } from './sending/traced-signal.ts';
import { takeOverOtherBuilds } from './runs/take-over-builds.ts';

const READER = 'dispatcher';
const SETTLE_MS = 2000;
const NOT_OURS = 'the controller of this object is not among JOBLEDGER_CONTROLLERS';

/** No setting names clusters, because the dispatcher handles all clusters in the ledger (docs/decisions/0031). */
const configuration = kafkaEnvironment
  .extend(temporalEnvironment.shape)
  .extend(workflowTasksEnvironment.shape)
  .extend(settingsEnvironment.shape)
  .extend(metricsEnvironment.shape)
  .extend(tracingEnvironment.shape)
  .extend({ JOBLEDGER_SYNC_BATCH_PERIOD_MS: z.coerce.number().int().min(0).default(1000) });

export const service: Service = { name: READER, start: startDispatcher };

async function startDispatcher({
  environment,
  log,
  shutdown,
  refuse,
  announceReady,
}: ServiceContext): Promise<void> {
  const config = readConfig(configuration, environment);
  const metrics = await openMetrics(config, { log, shutdown });
  const kinds = controlledKinds(config);
  const kafka = connectKafka(config, log, { service: READER, observe: kafkaRequestCounter(metrics) });
  await keepTopics(kafka, { signal: shutdown.signal });
  const level = await openFeatureLevel(kafka, { signal: shutdown.signal, onTooOld: refuse });
  const settings = toSettings(config);
  const availabilityMessage = (): ReturnType<typeof availabilityIn> => availabilityIn(level.records());
  const settingsFor = (job: ObjectRef): AnySettings =>
    settingsWithClusters(job, SETTINGS_OF[job.kind](config), availabilityMessage);
  const temporal = await retryUntilAvailable('Temporal', { log, signal: shutdown.signal }, () =>
    connectTemporal(config, log),
  );
  shutdown.onClose('temporal', () => temporal.connection.close());
  await waitForNamespace(temporal.workflowService, config, { log, signal: shutdown.signal });

  const { build } = await workflowBundle(PACKAGE_DIR);
  const workflows = { client: temporal, build };
  const isConnected = createIsConnected(kafka);
  const record = await openTracing(config, { service: READER, log, shutdown });
  const sendSignal: Signal = async (job, facts, { recall, start, decided }) => {
    const mayStart = start && (await isConnected(job.cluster));
    const read = level.records();
    const sent = settingsFor(job);
    await (mayStart
      ? signalWithStart(workflows, job, { facts, settings: sent, recall, decided })
      : signalIfRunning(workflows, job, { facts, settings: sent, decided }));
    if (level.records() === read) return;
    // If the availability of a cluster changed during this signal, the signal about the change may have arrived before
    // this signal.
    const since = settingsFor(job);
    if (!isDeepStrictEqual(since, sent))
      await signalIfRunning(workflows, job, { facts: [], settings: since });
  };
  const signal = record === null ? sendSignal : tracedSignal(sendSignal, record);
  const assignments: Assignments = new Map();
  showQueueDepth(metrics, assignments);
  const readCommitted = (): Promise<Map<number, bigint>> =>
    committedOffsets(kafka, consumerGroup(kafka, READER));
  showLag(metrics, { kafka, reader: READER, positions: readCommitted, signal: shutdown.signal });

  const readLiveJobs = createReadLiveJobs(kafka, settings, kinds);
  const readRunningIds = (cluster: string): Promise<ReadonlySet<string>> => runningIds(temporal, cluster);
  const calling = { assignments, settings, running: readRunningIds, readLiveJobs, signal, log };
  const appender = await createAppender(kafka);
  shutdown.onClose('appender', () => appender.close());
  const marks = createMarks({
    temporal: createTemporalMarks(temporal, kafka.topics.ledger),
    kafka: marksInKafka(kafka, appender),
    now: Date.now,
    settle: () => pause(SETTLE_MS, shutdown.signal),
  });
  const countLetter = deadLetterCounter(metrics);
  const setAside = createSetAside(appender, kafka.topics, {
    by: 'dispatcher',
    onOpened: (letter) => {
      log.error(
        letterFields(letter),
        'a record cannot be dispatched, so its Job does not get the fact in this record',
      );
      countLetter(letter);
    },
  });
  const partitionOfKey = createPartitioner(kafka);
  const partitionOfRun = (run: string): number => partitionOfKey(keyOfStreamId(run));
  const looking = superviseRuns({
    namespaceId: () => namespaceId(temporal),
    ensureWorkflows: async () => {
      await recallOutOfStep({
        marks,
        partitions: () => assignments.keys(),
        begunAnew: () => [...assignments.values()].filter(({ isRecallDue }) => isRecallDue),
        choosePartition: partitionOfRun,
        running: () => runningJobWorkflows(temporal),
        restart: ({ job }) => replaceRun(workflows, job, settingsFor(job)),
        log,
      });
      if (kinds.length < ALL_KINDS.length)
        for await (const run of runningJobWorkflows(temporal))
          if (!kinds.includes(getKind(run.job).name)) await stopRun(workflows, run, NOT_OURS);
      await ensureWorkflows(calling);
    },
    signalSettings: createSignalSettings({ ...calling, message: availabilityMessage }),
    restartFailed: createRestartFailed({
      failed: (since) => failedJobWorkflows(temporal, since),
      isAssigned: (key) => assignments.has(partitionOfRun(key)),
      restart: ({ job }) => signal(job, [], { recall: true, start: true }),
      log,
      now: Date.now,
    }),
    takeOver: () => takeOverOtherBuilds(workflows, settingsFor, { log, signal: shutdown.signal }),
    aborted: shutdown.signal,
    log,
  });

  const marking = keepMarks(assignments, { marks, onOutOfStep: looking.taken, log, signal: shutdown.signal });
  shutdown.onClose('marks', () => marking);

  const requireReach = createRequireReach(kafka, READER, { signal: shutdown.signal });
  const startAssignment = createStartAssignment({
    assignments,
    committed: readCommitted,
    writtenUpTo: () => writtenUpTo(kafka),
    readLiveJobs,
    onTaken: looking.taken,
  });
  const subscription = await consume(kafka, {
    dispatch: {
      assignments,
      settings,
      countRead: createReadCounter(metrics),
      now: Date.now,
      periodMs: config.JOBLEDGER_SYNC_BATCH_PERIOD_MS,
      kinds,
    },
    sending: { signal, log, mostWaiting: config.JOBLEDGER_WORKFLOW_TASKS },
    startAssignment: async (partition, isStale) => {
      const offset = await startAssignment(partition, isStale);
      if (offset !== null) await requireReach(partition, offset).catch(refuseInput(refuse));
      return offset;
    },
    report: reportStopped(metrics, { reader: READER, topic: kafka.topics.ledger, log }),
    onAssigned: looking.assigned,
    setAside,
    signal: shutdown.signal,
  });
  shutdown.onClose('ledger', () => subscription.close());
  announceReady({ partitions: await subscription.assigned });
}

/** The number of Jobs that wait for a signal; corresponds to the work queue `job` upstream (J-11.4). */
function showQueueDepth(metrics: Metrics, assignments: Assignments): void {
  metrics.gauge(
    { name: 'workqueue_depth', help: 'Current depth of the work queue.', labels: ['name'] },
    () => {
      const mailboxes = [...assignments.values()].flatMap((each) => [...each.mailboxes.values()]);
      return [{ labels: { name: 'job' }, value: mailboxes.filter(({ dueAt }) => dueAt !== null).length }];
    },
  );
}

import type { Board } from './board.ts';
import type { Panel } from './panel.ts';

/** Median and 99th percentile of a histogram, over all processes that export it. */
function percentileExpressions(histogram: string): Record<'p50' | 'p99', string> {
  const quantileExpression = (fraction: number): string =>
    `histogram_quantile(${fraction}, sum by (le) (rate(${histogram}_bucket[$__rate_interval])))`;
  return { p50: quantileExpression(0.5), p99: quantileExpression(0.99) };
}

const FLOW: readonly Panel[] = [
  {
    title: 'Reachable processes',
    about: 'The number of processes of each service that Prometheus can scrape.',
    kind: 'number',
    width: 12,
    query: { expressions: { '{{service}}': 'sum by (service) (up{job="jobledger"})' } },
  },
  {
    title: 'Dead letters',
    about:
      'Records of the ledger that were moved to dead letters since the projectors started. The table jobledger.dead_letters has all dead letters.',
    kind: 'number',
    width: 6,
    query: { expressions: { records: 'sum(jobledger_dead_letters_total)' } },
  },
  {
    title: 'Jobs that wait for a signal',
    about:
      'The number of mailboxes of the dispatchers that are due. The number rises while Temporal does not accept signals.',
    kind: 'number',
    width: 6,
    query: { expressions: { Jobs: 'sum(workqueue_depth{name="job"})' } },
  },
  {
    title: 'Lag in time',
    about: 'The age of the oldest event that a reader has not processed, in its worst partition.',
    kind: 'lines',
    width: 12,
    unit: 's',
    query: { expressions: { '{{reader}}': 'max by (reader) (jobledger_lag_seconds)' } },
  },
  {
    title: 'Lag in events',
    about: 'Events that a reader has not processed, in all partitions.',
    kind: 'lines',
    width: 12,
    query: {
      expressions: { '{{reader}}': 'sum by (reader) (max by (reader, partition) (jobledger_lag_events))' },
    },
  },
  {
    title: 'Leases of guards',
    about:
      'In each cluster, the largest part of a lease that has passed since its guard was renewed. At 100 % the cluster ends the placed Job.',
    kind: 'lines',
    width: 24,
    unit: 'percentunit',
    query: {
      expressions: { '{{cluster}}': 'max by (cluster) (jobledger_guard_lease_elapsed_ratio)' },
    },
  },
  {
    title: 'Events appended per second',
    about: 'The events by type. cluster.gap means that events of a cluster may have been missed.',
    kind: 'lines',
    width: 12,
    query: {
      expressions: { '{{type}}': 'sum by (type) (rate(jobledger_events_appended_total[$__rate_interval]))' },
    },
  },
  {
    title: 'Events read per second',
    about: 'By service.',
    kind: 'lines',
    width: 12,
    query: {
      expressions: {
        '{{service}}': 'sum by (service) (rate(jobledger_events_read_total[$__rate_interval]))',
      },
    },
  },
];

const CONTROL: readonly Panel[] = [
  {
    title: 'Decisions a second, by rule',
    about: 'The ten rules cited most often. docs/rules.md describes the rules.',
    kind: 'lines',
    width: 12,
    query: {
      expressions: {
        '{{rule}}': 'topk(10, sum by (rule) (rate(jobledger_decisions_total[$__rate_interval])))',
      },
    },
  },
  {
    title: 'Syncs a second, by result',
    about: 'The decisions that were carried out. An error is a failed command, which is retried.',
    kind: 'lines',
    width: 6,
    query: {
      expressions: {
        '{{result}}': 'sum by (result) (rate(job_controller_job_syncs_total[$__rate_interval]))',
      },
    },
  },
  {
    title: 'Duration of a sync',
    about: 'The time from recording a decision to recording its outcomes.',
    kind: 'lines',
    width: 6,
    unit: 's',
    query: { expressions: percentileExpressions('job_controller_job_sync_duration_seconds') },
  },
  {
    title: 'Requests to API servers per second',
    about: 'The requests by verb and status code; <error> means no response.',
    kind: 'lines',
    width: 12,
    query: {
      expressions: {
        '{{method}} {{code}}': 'sum by (method, code) (rate(rest_client_requests_total[$__rate_interval]))',
      },
    },
  },
  {
    title: 'Workflow tasks per second',
    about: 'Workflow tasks that the workers completed.',
    kind: 'lines',
    width: 6,
    query: {
      expressions: {
        tasks: 'sum(rate(temporal_workflow_task_execution_latency_seconds_count[$__rate_interval]))',
      },
    },
  },
  {
    title: 'Waiting time of a workflow task',
    about:
      'The time from scheduling by Temporal to the start on a worker. The time rises when there are too few workers.',
    kind: 'lines',
    width: 6,
    unit: 's',
    query: {
      expressions: {
        p99: 'histogram_quantile(0.99, sum by (le) (rate(temporal_workflow_task_schedule_to_start_latency_seconds_bucket[$__rate_interval])))',
      },
    },
  },
];

const PROJECTION: readonly Panel[] = [
  {
    title: 'Records in a projection batch',
    about: 'A batch is one transaction.',
    kind: 'lines',
    width: 6,
    query: {
      expressions: {
        mean: 'sum(rate(jobledger_projection_batch_records_sum[$__rate_interval])) / sum(rate(jobledger_projection_batch_records_count[$__rate_interval]))',
      },
    },
  },
  {
    title: 'Duration of a projection batch',
    about: 'The time until the transaction of the batch is committed.',
    kind: 'lines',
    width: 6,
    unit: 's',
    query: { expressions: percentileExpressions('jobledger_projection_batch_seconds') },
  },
  {
    title: 'Processor time',
    about: 'CPU cores that each service uses.',
    kind: 'lines',
    width: 6,
    query: {
      expressions: {
        '{{service}}':
          'sum by (service) (rate(process_cpu_seconds_total{job="jobledger"}[$__rate_interval]))',
      },
    },
  },
  {
    title: 'Memory',
    about: 'Resident memory of each service.',
    kind: 'lines',
    width: 6,
    unit: 'bytes',
    query: {
      expressions: { '{{service}}': 'sum by (service) (process_resident_memory_bytes{job="jobledger"})' },
    },
  },
];

const API: readonly Panel[] = [
  {
    title: 'Requests to the HTTP API per second',
    about: 'The requests by route and status code, without event streams.',
    kind: 'lines',
    width: 12,
    query: {
      expressions: {
        '{{route}} {{code}}':
          'sum by (route, code) (rate(http_request_duration_seconds_count[$__rate_interval]))',
      },
    },
  },
  {
    title: 'Duration of a request to the HTTP API',
    about: 'The time until the end of the response.',
    kind: 'lines',
    width: 6,
    unit: 's',
    query: { expressions: percentileExpressions('http_request_duration_seconds') },
  },
  {
    title: 'Open streams of events',
    about: 'Clients of the HTTP API that receive new events.',
    kind: 'lines',
    width: 6,
    query: { expressions: { streams: 'sum(http_streams)' } },
  },
];

export const HEALTH: Board = {
  uid: 'jobledger-health',
  title: 'Jobledger: its own health',
  about:
    'The lag, load and errors of the services. docs/operate/troubleshoot.md describes what you can do when the services do not keep up.',
  variables: [],
  panels: [...FLOW, ...CONTROL, ...PROJECTION, ...API],
};

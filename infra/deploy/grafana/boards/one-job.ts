import type { Board } from './board.ts';

const JOB = `cluster = '$cluster' and uid = '$uid'`;
const OF_JOB = `cluster = '$cluster' and job_uid = '$uid'`;

export const ONE_JOB: Board = {
  uid: 'jobledger-job',
  title: 'Jobledger: one Job',
  about:
    'The history of one Job, with its decisions and their reasons. `jobledger history` shows everything.',
  variables: [
    {
      name: 'cluster',
      label: 'Cluster',
      sql: 'select name from jobledger.clusters order by name',
      isMany: false,
    },
    {
      name: 'namespace',
      label: 'Namespace',
      sql: `select distinct namespace from jobledger.jobs where cluster = '$cluster' order by namespace`,
      isMany: false,
    },
    {
      name: 'job',
      label: 'Job',
      sql: `select name from jobledger.jobs where cluster = '$cluster' and namespace = '$namespace' group by name order by max(created_at) desc limit 1000`,
      isMany: false,
    },
    {
      name: 'uid',
      label: 'UID',
      sql: `select uid from jobledger.jobs where cluster = '$cluster' and namespace = '$namespace' and name = '$job' order by created_at desc`,
      isMany: false,
    },
  ],
  panels: [
    {
      title: 'Status',
      about: 'The present status of the Job, and its reason to wait.',
      kind: 'table',
      width: 24,
      query: {
        sql: `
select
  status, active, ready, succeeded, failed, completed_indexes, failed_indexes, attempt_count, decision_count,
  created_at, finished_at, deleted_at, waiting_message as "waiting for", next_decision_at as "next decision"
from jobledger.jobs
where ${JOB}`,
      },
    },
    {
      title: 'Pods of the Job over time',
      about: 'The counters of each status that was observed.',
      kind: 'lines',
      width: 12,
      query: {
        sql: `
select seen_at as "time", active, ready, terminating, succeeded, failed
from jobledger.job_statuses
where ${JOB}
order by seen_at`,
      },
    },
    {
      title: 'Its conditions',
      about: 'Each change of a condition, newest first.',
      kind: 'table',
      width: 12,
      query: {
        sql: `
select seen_at as "time", type, status, reason, message
from jobledger.conditions
where ${OF_JOB}
order by seen_at desc, resource_version desc`,
      },
    },
    {
      title: 'Its attempts',
      about: 'All pods of the Job, with the reasons for the creation and the end of each pod.',
      kind: 'table',
      width: 24,
      query: {
        sql: `
select
  name, completion_index as index, phase, exit_code, restarts, node,
  created_at, first_ready_at, finished_at, creation_message, end_message, counted_as
from jobledger.pods
where ${OF_JOB}
order by created_at desc, name
limit 500`,
      },
    },
    {
      title: 'What was decided',
      about:
        'The commands of the Job with their rules and outcomes, newest first. A superseded decision was made again after a crash.',
      kind: 'table',
      width: 24,
      query: {
        sql: `
select c.decided_at as "time", c.decision_number, c.kind, c.rule, c.message, c.pod_count, c.result, c.error, d.superseded
from jobledger.commands c
join jobledger.decisions d on d.cluster = c.cluster and d.job_uid = c.job_uid and d.id = c.decision
where c.cluster = '$cluster' and c.job_uid = '$uid'
order by c.decided_at desc, c.decision_number desc, c.command
limit 500`,
      },
    },
    {
      title: 'Its history',
      about: 'The events of the stream of the Job, newest first.',
      kind: 'table',
      width: 12,
      query: {
        sql: `
select time, type, id, resource_version as version
from jobledger.events
where ${OF_JOB}
order by kafka_offset desc
limit 500`,
      },
    },
    {
      title: 'Possibly missed events',
      about: 'The gaps of the cluster while the Job existed.',
      kind: 'table',
      width: 12,
      query: {
        sql: `
select g.since as "from", g.until as "to", g.resource, g.reason
from jobledger.gaps g
join jobledger.jobs j on j.cluster = g.cluster
where j.cluster = '$cluster' and j.uid = '$uid'
  and j.first_seen_at <= g.until and coalesce(j.deleted_at, 'infinity') >= g.since
order by g.until desc`,
      },
    },
  ],
};

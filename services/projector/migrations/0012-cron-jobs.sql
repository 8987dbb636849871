-- CronJobs: their events, their present and past, and their starts. Tables of their own: questions about Jobs stay as they are.

-- A projector of an earlier version advances next_offset only.
alter table positions add column cron_jobs_offset bigint not null default 0;
comment on column positions.cron_jobs_offset is
  'Up to where events of CronJobs were applied. Before next_offset when an earlier version, which has no tables for them, applied records; the projector reads those again.';

create table cron_job_events (
  cluster text not null,
  cron_job_uid text not null,
  id text not null,
  type text not null,
  source text not null,
  subject text not null,
  namespace text,
  cron_job_name text,
  resource_version numeric,
  time timestamptz not null,
  kafka_partition integer not null,
  kafka_offset bigint not null,
  digest text not null,
  data jsonb not null,
  primary key (cluster, cron_job_uid, id)
);
create index cron_job_events_in_order on cron_job_events (cluster, cron_job_uid, kafka_offset);
create index cron_job_events_by_time on cron_job_events (time);

comment on table cron_job_events is
  'The streams of CronJobs in the ledger: one row per event. "jobledger retention --before" removes the events of a month here too.';
comment on column cron_job_events.cluster is 'Name of the cluster.';
comment on column cron_job_events.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_events.id is 'Id of the event. A repeat adds no row.';
comment on column cron_job_events.type is 'What happened: cronjob.observed, cronjob.deleted, cronjob.decided, cronjob.folded, command.answered, and job.observed and job.deleted of its Jobs.';
comment on column cron_job_events.source is 'The cluster for facts, jobledger/<cluster> for decisions and outcomes.';
comment on column cron_job_events.subject is '<namespace>/<name of the CronJob>.';
comment on column cron_job_events.namespace is 'Namespace of the CronJob; null when it was no longer known.';
comment on column cron_job_events.cron_job_name is 'Name of the CronJob; null when it was no longer known.';
comment on column cron_job_events.resource_version is 'Version of the observed or deleted object; null for other events.';
comment on column cron_job_events.time is 'When it was first recorded.';
comment on column cron_job_events.kafka_partition is 'Partition of the ledger topic; all events of one CronJob are in one.';
comment on column cron_job_events.kafka_offset is 'Position within the partition, which orders the events of a CronJob.';
comment on column cron_job_events.digest is 'Digest of data, computed when it was recorded.';
comment on column cron_job_events.data is 'Content, as docs/events.md describes it for each type.';

create table cron_jobs (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  schedule text,
  time_zone text,
  suspend boolean not null,
  concurrency_policy text,
  starting_deadline_seconds bigint,
  successful_jobs_history_limit integer,
  failed_jobs_history_limit integer,
  active integer not null,
  active_jobs jsonb not null,
  last_schedule_time timestamptz,
  last_successful_time timestamptz,
  resource_version numeric not null,
  labels jsonb not null,
  generation bigint,
  created_at timestamptz,
  deletion_requested_at timestamptz,
  deleted_at timestamptz,
  deletion_seen boolean,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  decisions integer not null,
  commands integer not null,
  failed_commands integer not null,
  last_decision text,
  last_number integer not null,
  last_decided_at timestamptz,
  chain text,
  look_again_at timestamptz,
  waiting_rule text,
  waiting_words text,
  waiting_since timestamptz,
  primary key (cluster, uid)
);
create index cron_jobs_by_name on cron_jobs (cluster, namespace, name);
create index cron_jobs_ended on cron_jobs (deleted_at) where deleted_at is not null;

comment on table cron_jobs is 'Every CronJob that was ever observed, as it is now or was last.';
comment on column cron_jobs.cluster is 'Name of the cluster.';
comment on column cron_jobs.uid is 'UID of the CronJob.';
comment on column cron_jobs.namespace is 'Its namespace.';
comment on column cron_jobs.name is 'Its name.';
comment on column cron_jobs.schedule is 'spec.schedule; null when the CronJob was never observed.';
comment on column cron_jobs.time_zone is 'spec.timeZone; null: the time zone of the controller.';
comment on column cron_jobs.suspend is 'spec.suspend.';
comment on column cron_jobs.concurrency_policy is 'spec.concurrencyPolicy: Allow, Forbid or Replace.';
comment on column cron_jobs.starting_deadline_seconds is 'spec.startingDeadlineSeconds; null: none.';
comment on column cron_jobs.successful_jobs_history_limit is 'spec.successfulJobsHistoryLimit.';
comment on column cron_jobs.failed_jobs_history_limit is 'spec.failedJobsHistoryLimit.';
comment on column cron_jobs.active is 'Number of Jobs in status.active.';
comment on column cron_jobs.active_jobs is 'Their names.';
comment on column cron_jobs.last_schedule_time is 'status.lastScheduleTime.';
comment on column cron_jobs.last_successful_time is 'status.lastSuccessfulTime.';
comment on column cron_jobs.resource_version is 'metadata.resourceVersion; 0 when the CronJob was never observed.';
comment on column cron_jobs.labels is 'metadata.labels.';
comment on column cron_jobs.generation is 'metadata.generation.';
comment on column cron_jobs.created_at is 'metadata.creationTimestamp.';
comment on column cron_jobs.deletion_requested_at is 'metadata.deletionTimestamp.';
comment on column cron_jobs.deleted_at is 'When its deletion was recorded; null while it exists.';
comment on column cron_jobs.deletion_seen is 'False: it was deleted at an unknown time while nothing watched it.';
comment on column cron_jobs.first_seen_at is 'Time of its first event.';
comment on column cron_jobs.last_seen_at is 'Time of its last observation.';
comment on column cron_jobs.decisions is 'Number of decisions.';
comment on column cron_jobs.commands is 'Number of commands in them.';
comment on column cron_jobs.failed_commands is 'Number of outcomes with an error.';
comment on column cron_jobs.last_decision is 'Id of the last decision.';
comment on column cron_jobs.last_number is 'Its number.';
comment on column cron_jobs.last_decided_at is 'The time at which it was made, as used by the core.';
comment on column cron_jobs.chain is 'Workflow chain that made it.';
comment on column cron_jobs.look_again_at is 'When the controller decides again at the latest: the next start, when nothing else is waited for.';
comment on column cron_jobs.waiting_rule is 'Rule of what it waits for; null when it waits for nothing.';
comment on column cron_jobs.waiting_words is 'The same in words.';
comment on column cron_jobs.waiting_since is 'Since when it waits for that.';

create table cron_job_versions (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  schedule text,
  time_zone text,
  suspend boolean not null,
  concurrency_policy text,
  starting_deadline_seconds bigint,
  successful_jobs_history_limit integer,
  failed_jobs_history_limit integer,
  active integer not null,
  active_jobs jsonb not null,
  last_schedule_time timestamptz,
  last_successful_time timestamptz,
  resource_version numeric not null,
  seen_at timestamptz not null,
  event_id text not null,
  deleted boolean not null,
  primary key (cluster, uid, resource_version, deleted)
);

comment on table cron_job_versions is
  'Every observed version of a CronJob: one row per version of the object, and one for its deletion.';
comment on column cron_job_versions.cluster is 'Name of the cluster.';
comment on column cron_job_versions.uid is 'UID of the CronJob.';
comment on column cron_job_versions.namespace is 'Its namespace.';
comment on column cron_job_versions.name is 'Its name.';
comment on column cron_job_versions.schedule is 'spec.schedule; null when the CronJob was never observed.';
comment on column cron_job_versions.time_zone is 'spec.timeZone; null: the time zone of the controller.';
comment on column cron_job_versions.suspend is 'spec.suspend.';
comment on column cron_job_versions.concurrency_policy is 'spec.concurrencyPolicy: Allow, Forbid or Replace.';
comment on column cron_job_versions.starting_deadline_seconds is 'spec.startingDeadlineSeconds; null: none.';
comment on column cron_job_versions.successful_jobs_history_limit is 'spec.successfulJobsHistoryLimit.';
comment on column cron_job_versions.failed_jobs_history_limit is 'spec.failedJobsHistoryLimit.';
comment on column cron_job_versions.active is 'Number of Jobs in status.active.';
comment on column cron_job_versions.active_jobs is 'Their names.';
comment on column cron_job_versions.last_schedule_time is 'status.lastScheduleTime.';
comment on column cron_job_versions.last_successful_time is 'status.lastSuccessfulTime.';
comment on column cron_job_versions.resource_version is 'metadata.resourceVersion.';
comment on column cron_job_versions.seen_at is 'When the event that showed it was recorded.';
comment on column cron_job_versions.event_id is 'Id of that event; its data contains the whole object.';
comment on column cron_job_versions.deleted is 'True: the CronJob is gone, and this is its last version.';

create table cron_job_starts (
  cluster text not null,
  cron_job_uid text not null,
  decision text not null,
  command integer not null,
  namespace text not null,
  cron_job_name text not null,
  scheduled_at timestamptz,
  decided_at timestamptz,
  job_name text not null,
  rule text not null,
  words text not null,
  replaced jsonb not null,
  result text,
  error text,
  job_uid text,
  answered_at timestamptz,
  primary key (cluster, cron_job_uid, decision, command)
);
create index cron_job_starts_by_time on cron_job_starts (cluster, cron_job_uid, scheduled_at);

comment on table cron_job_starts is
  'Every attempt to create the Job of a start. A start that failed and was tried again has several rows, a start that was skipped has none: "jobledger why cronjob/NAME --start TIME" explains it.';
comment on column cron_job_starts.cluster is 'Name of the cluster.';
comment on column cron_job_starts.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_starts.decision is 'Id of the decision.';
comment on column cron_job_starts.command is 'Number of its command, from 0.';
comment on column cron_job_starts.namespace is 'Namespace of the CronJob.';
comment on column cron_job_starts.cron_job_name is 'Name of the CronJob.';
comment on column cron_job_starts.scheduled_at is 'The time of the schedule.';
comment on column cron_job_starts.decided_at is 'The time at which the decision was made, as used by the core.';
comment on column cron_job_starts.job_name is 'Name of the Job.';
comment on column cron_job_starts.rule is 'Rule behind the start.';
comment on column cron_job_starts.words is 'Why it was started, in words.';
comment on column cron_job_starts.replaced is 'Names of the Jobs that it replaced.';
comment on column cron_job_starts.result is 'created; taken: a Job of another controller has the name; gone: the CronJob was gone; failed; skipped: an earlier command of the decision failed. Null until there is an outcome.';
comment on column cron_job_starts.error is 'The error of the API server, without values.';
comment on column cron_job_starts.job_uid is 'UID of the Job.';
comment on column cron_job_starts.answered_at is 'When the outcome was known, by the clock of the worker.';

create view cron_job_runs as
select distinct on (starts.cluster, starts.cron_job_uid, starts.scheduled_at)
  starts.cluster,
  starts.cron_job_uid,
  starts.namespace,
  starts.cron_job_name,
  starts.scheduled_at,
  starts.decided_at - starts.scheduled_at as late_by,
  starts.words,
  starts.result,
  starts.error,
  starts.job_name,
  starts.job_uid,
  jobs.status,
  jobs.started_at,
  jobs.finished_at,
  jobs.deleted_at
from cron_job_starts starts
left join jobs on jobs.cluster = starts.cluster and jobs.uid = starts.job_uid
order by starts.cluster, starts.cron_job_uid, starts.scheduled_at, starts.decided_at desc, starts.decision desc;

comment on view cron_job_runs is 'Every start of a CronJob with what became of its Job: the last attempt for each time of the schedule.';
comment on column cron_job_runs.cluster is 'Name of the cluster.';
comment on column cron_job_runs.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_runs.namespace is 'Namespace of the CronJob.';
comment on column cron_job_runs.cron_job_name is 'Name of the CronJob.';
comment on column cron_job_runs.scheduled_at is 'The time of the schedule.';
comment on column cron_job_runs.late_by is 'How long after it the start was decided.';
comment on column cron_job_runs.words is 'Why it was started, in words.';
comment on column cron_job_runs.result is 'Result of the last attempt, as in cron_job_starts.';
comment on column cron_job_runs.error is 'Its error.';
comment on column cron_job_runs.job_name is 'Name of the Job.';
comment on column cron_job_runs.job_uid is 'UID of the Job.';
comment on column cron_job_runs.status is 'Status of the Job in one word, as in jobs.';
comment on column cron_job_runs.started_at is 'Its status.startTime.';
comment on column cron_job_runs.finished_at is 'When it finished.';
comment on column cron_job_runs.deleted_at is 'When its deletion was recorded.';

create view cron_job_decisions as
select
  cluster,
  cron_job_uid,
  namespace,
  cron_job_name,
  id,
  (data ->> 'number')::integer as number,
  data ->> 'predecessor' as predecessor,
  to_timestamp((data ->> 'now')::numeric / 1000) as now,
  time as recorded_at,
  data ->> 'core' as core,
  data -> 'commands' as commands,
  data -> 'waiting' ->> 'rule' as waiting_rule,
  data -> 'waiting' ->> 'words' as waiting_words
from cron_job_events
where type = 'cronjob.decided';

comment on view cron_job_decisions is 'Every decision about a CronJob that cron_job_events has.';
comment on column cron_job_decisions.cluster is 'Name of the cluster.';
comment on column cron_job_decisions.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_decisions.namespace is 'Namespace of the CronJob.';
comment on column cron_job_decisions.cron_job_name is 'Name of the CronJob.';
comment on column cron_job_decisions.id is 'Id of the decision.';
comment on column cron_job_decisions.number is '1 for the first decision about the CronJob.';
comment on column cron_job_decisions.predecessor is 'Id of the decision before it.';
comment on column cron_job_decisions.now is 'The time at which it was made, as used by the core.';
comment on column cron_job_decisions.recorded_at is 'When it was recorded.';
comment on column cron_job_decisions.core is 'Version of the core that decided.';
comment on column cron_job_decisions.commands is 'Its commands, each with its reason.';
comment on column cron_job_decisions.waiting_rule is 'Rule of what the CronJob waits for after it.';
comment on column cron_job_decisions.waiting_words is 'The same in words.';

create function cron_job_seen(cluster text, uid text, at timestamptz) returns setof cron_job_versions
language sql stable parallel safe
begin atomic
  select seen.*
  from cron_job_versions seen
  where seen.cluster = $1 and seen.uid = $2 and seen.seen_at <= $3
  order by seen.resource_version desc, seen.deleted desc
  limit 1;
end;
comment on function cron_job_seen(text, text, timestamptz) is
  'The CronJob with this UID as observed by an instant; no row when it had not been observed by then.';

-- Bodies of this language look names up when they run, so these are qualified.
create function cron_job_as_of(cluster text, namespace text, name text, at timestamptz) returns setof cron_job_versions
language plpgsql stable parallel safe
as $$
begin
  return query
  select known.*
  from (
    select seen.*
    from jobledger.cron_jobs
    cross join lateral jobledger.cron_job_seen(cron_jobs.cluster, cron_jobs.uid, $4) seen
    where cron_jobs.cluster = $1 and cron_jobs.namespace = $2 and cron_jobs.name = $3
      and cron_jobs.first_seen_at <= $4
    order by seen.deleted, cron_jobs.created_at desc nulls last, seen.seen_at desc
    limit 1
  ) known
  -- The CronJob that existed then is the answer. Where none did, one that had the name may have been removed.
  where not known.deleted or jobledger.requires_horizon($4);
  if not found then
    perform jobledger.requires_horizon($4);
  end if;
end;
$$;
comment on function cron_job_as_of(text, text, text, timestamptz) is
  'One CronJob as observed by an instant. Of several with the same name, the one that existed then, else the one created last. No row when none was observed by then; an error (SQLSTATE JL001) when it may have been removed because it was deleted before jobledger.horizon().';

create function cron_jobs_as_of(at timestamptz) returns setof cron_job_versions
language sql stable parallel safe
begin atomic
  select seen.*
  from cron_jobs
  cross join lateral cron_job_seen(cron_jobs.cluster, cron_jobs.uid, $1) seen
  where requires_horizon($1)
    and cron_jobs.first_seen_at <= $1 and (cron_jobs.deleted_at is null or cron_jobs.deleted_at > $1)
    and not seen.deleted;
end;
comment on function cron_jobs_as_of(timestamptz) is
  'Every CronJob that existed at an instant, as observed by then; an error (SQLSTATE JL001) for an instant before jobledger.horizon().';

-- The schema "jobledger": the ledger in SQL, and what follows from it, folded event by event (docs/sql.md).
-- Each relation is followed by its indexes and its description, which docs/sql.md repeats. Names are unqualified, because the
-- runner sets the search path.
--
-- Columns named resource_version hold the order of an object's versions: those of a cluster begin again when its API server is
-- restored from an older copy, so each restore adds 10^30 (instants.ts).

-- 1. The ledger: every event, and how far it was applied.

create table events (
  id text not null,
  type text not null,
  type_version smallint not null,
  source text not null,
  subject text not null,
  cluster text not null,
  job_uid text,
  namespace text,
  job_name text,
  resource_version numeric,
  time timestamptz not null,
  kafka_partition integer not null,
  kafka_offset bigint not null,
  digest text not null,
  data jsonb not null,
  primary key (id, time)
) partition by range (time);
create index events_of_job on events (cluster, job_uid, kafka_offset);
create index events_by_position on events (kafka_partition, kafka_offset);
create index events_of_type on events (type, time);

comment on table events is 'The ledger: one row per event, in monthly partitions by time. Retention drops partitions.';
comment on column events.id is 'Identity of the event. A repeat, even with a later time, adds no row.';
comment on column events.type is
  'Type of the event, without the prefix "dev.jobledger." and the version, such as job.observed or job.decided; docs/events.md lists them.';
comment on column events.type_version is 'Version of the type whose format the data has.';
comment on column events.source is
  'Source of the event: the cluster for facts, jobledger/<cluster> for decisions and outcomes.';
comment on column events.subject is
  'Subject of the event: <namespace>/<job name>, or the cluster for events of a whole cluster.';
comment on column events.cluster is 'Name of the cluster.';
comment on column events.job_uid is 'UID of the Job; null for events of a whole cluster.';
comment on column events.namespace is
  'Namespace of the Job; null for events of a whole cluster, and when it is not known.';
comment on column events.job_name is 'Name of the Job; null for events of a whole cluster, and when it is not known.';
comment on column events.resource_version is
  'resourceVersion of the observed or deleted object, plus 10^30 for each earlier time that the API server was restored from an older copy; null for other events.';
comment on column events.time is 'Time at which the event was first recorded.';
comment on column events.kafka_partition is
  'Partition of the ledger topic; all events of one Job are in the same partition.';
comment on column events.kafka_offset is 'Offset within the partition, which orders the events of one Job.';
comment on column events.digest is 'Digest of data, computed when the event was written; "jobledger admin verify" checks it.';
comment on column events.data is
  'Content of the event, in the format of type_version, which docs/events.md describes for each type.';

create table event_ids (
  id text primary key,
  time timestamptz not null
);

comment on table event_ids is
  'Ids of all events that were ever applied, to recognise repeats. The rows stay when a partition of events is dropped.';
comment on column event_ids.id is 'Id of the event.';
comment on column event_ids.time is 'Time of the event''s row in events.';

create table positions (
  topic text not null,
  partition integer not null,
  kafka_cluster text,
  begins_at bigint not null,
  next_offset bigint not null,
  applied_at timestamptz not null,
  primary key (topic, partition)
);

comment on table positions is
  'The offset up to which each partition of the ledger is applied. The projector writes it in the same transaction as the rows.';
comment on column positions.topic is 'Name of the ledger topic.';
comment on column positions.partition is 'Partition of the topic.';
comment on column positions.kafka_cluster is 'Id of the Kafka cluster of the ledger; null when Kafka does not report it.';
comment on column positions.begins_at is 'Offset of the first record that was applied from the partition.';
comment on column positions.next_offset is 'Offset of the first record that is not applied yet.';
comment on column positions.applied_at is 'Time at which the position last moved.';

create table dead_letters (
  topic text not null,
  partition integer not null,
  kafka_offset bigint not null,
  key text not null,
  reason text not null,
  bytes integer not null,
  found_at timestamptz not null,
  retried_at timestamptz,
  primary key (topic, partition, kafka_offset)
);

comment on table dead_letters is
  'Records of the ledger that could not be read or projected. The first such record of each object is also in the dead-letter topic.';
comment on column dead_letters.topic is 'Topic of the record.';
comment on column dead_letters.partition is 'Partition of the record.';
comment on column dead_letters.kafka_offset is 'Offset of the record.';
comment on column dead_letters.key is 'Key of the record, when it is text.';
comment on column dead_letters.reason is 'Reason why the record cannot be used.';
comment on column dead_letters.bytes is 'Length of the value of the record, in bytes.';
comment on column dead_letters.found_at is 'Time at which the projector read the record.';
comment on column dead_letters.retried_at is
  'Time at which the record was appended to the ledger again, because a later version can read it; null while it is set aside.';

-- 2. What was dropped from the tables: events by month, and the Jobs that were deleted before the horizon.

create table retention (
  events_from timestamptz,
  horizon timestamptz
);
create unique index retention_is_one_row on retention ((true));
insert into retention default values;

comment on table retention is 'One row with what "jobledger admin retention" has removed.';
comment on column retention.events_from is
  'Events before this instant are not stored in events, whenever they are applied; the other tables include their effects. Null when nothing was dropped.';
comment on column retention.horizon is
  'Jobs whose deletion was recorded before this instant are removed from all tables, whenever their events are applied ("jobledger admin retention --ended-before"). Null while there is no horizon.';

create function horizon() returns timestamptz
language sql stable parallel safe
begin atomic
  select retention.horizon from retention;
end;
comment on function horizon() is
  'Jobs whose deletion was recorded before this instant were removed; null when no Jobs were removed. The functions that answer for an instant refuse earlier instants with SQLSTATE JL001.';

-- Bodies in plpgsql look names up when they run, so names in them are qualified.
create function requires_horizon(at timestamptz) returns boolean
language plpgsql stable parallel safe
as $$
declare
  horizon timestamptz := jobledger.horizon();
begin
  if at < horizon then
    raise exception 'the instant % is before the horizon %: Jobs that ended before the horizon were removed', at, horizon
      using errcode = 'JL001',
        hint = 'ask for an instant from jobledger.horizon() on; the ledger still has the events: jobledger replay JOB --at INSTANT';
  end if;
  return true;
end;
$$;
comment on function requires_horizon(timestamptz) is
  'True for an instant from the horizon on; an earlier instant is an error with SQLSTATE JL001.';

-- 3. Clusters.

create table clusters (
  name text primary key,
  uid text,
  version text,
  apis jsonb,
  not_recorded jsonb not null default '[]',
  first_connected_at timestamptz,
  last_connected_at timestamptz,
  detached_at timestamptz,
  gap_count integer not null,
  last_gap_since timestamptz,
  last_gap_until timestamptz
);

comment on table clusters is 'Every cluster to which an ingester has ever connected.';
comment on column clusters.name is 'Name of the cluster in Jobledger.';
comment on column clusters.uid is
  'UID of the namespace that identifies the cluster: kube-system or, when only given namespaces are watched, the namespace of the Lease.';
comment on column clusters.version is
  'Version of the API server of the cluster, at the last connection or the last change.';
comment on column clusters.apis is
  'The versions of the API groups batch, scheduling.k8s.io and admissionregistration.k8s.io that the cluster serves; null when it does not report them.';
comment on column clusters.not_recorded is
  'The resources that the ingester may not read in the whole watched part of the cluster, so that they are not recorded: cronjobs, nodes.';
comment on column clusters.first_connected_at is 'Time at which an ingester first connected to the cluster.';
comment on column clusters.last_connected_at is 'Time at which an ingester last connected to the cluster.';
comment on column clusters.detached_at is
  'Time at which the whole cluster was detached; null while it is connected.';
comment on column clusters.gap_count is
  'Number of periods in which events may have been missed; the table gaps has a row for each.';
comment on column clusters.last_gap_since is 'Start of the last period in which events may have been missed.';
comment on column clusters.last_gap_until is 'End of the last period in which events may have been missed.';

create table cluster_watches (
  cluster text primary key,
  jobs_received_at timestamptz,
  pods_received_at timestamptz
);

comment on table cluster_watches is
  'Up to when the ingesters received the objects of each cluster, which the projector stores every minute. It is no part of the ledger.';
comment on column cluster_watches.cluster is 'Name of the cluster.';
comment on column cluster_watches.jobs_received_at is
  'Time at which the watch of Jobs last received an event or a bookmark; of several watches, the one that was silent for longest.';
comment on column cluster_watches.pods_received_at is 'The same time of the watch of pods.';

create table gaps (
  id text primary key,
  cluster text not null,
  namespace text,
  resource text not null,
  since timestamptz not null,
  until timestamptz not null,
  reason text,
  recorded_at timestamptz not null
);

comment on table gaps is 'Periods in which events of a cluster may have been missed.';
comment on column gaps.id is 'Id of the event that records the gap.';
comment on column gaps.cluster is 'Name of the cluster.';
comment on column gaps.namespace is
  'The namespace of the watch, where given namespaces are watched; null for a watch of the whole cluster.';
comment on column gaps.resource is
  'The resource of the watch: jobs, pods or cronjobs; all when the API server was restored from an older copy.';
comment on column gaps.since is 'Start of the period.';
comment on column gaps.until is 'End of the period.';
comment on column gaps.reason is 'Reason why events may have been missed.';
comment on column gaps.recorded_at is 'Time at which the gap was recorded.';

-- 4. Jobs: the present, one row each, and every status and condition that was observed.

create table jobs (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  labels jsonb not null,
  owner_kind text,
  owner_name text,
  series text not null,
  scheduled_at timestamptz,
  -- Which controller controls it. Only mark-members.ts writes the column member: the home of a member is another stream.
  managed_by text,
  claimed boolean not null,
  member boolean not null default false,
  -- Its situation in a user's terms, which follows from the other columns (job-situation.ts).
  status text not null,
  waiting_for text,
  waiting_until timestamptz,
  reason text,
  -- Its spec.
  parallelism integer,
  completions integer,
  completion_mode text,
  backoff_limit integer,
  backoff_limit_per_index integer,
  active_deadline_seconds bigint,
  ttl_seconds_after_finished integer,
  suspend boolean not null,
  -- Its status.
  kubectl_status text not null,
  active integer not null,
  ready integer not null,
  terminating integer not null,
  succeeded integer not null,
  failed integer not null,
  completed_indexes text,
  failed_indexes text,
  conditions jsonb not null,
  -- The instants of its life.
  created_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  finished_at timestamptz,
  deletion_requested_at timestamptz,
  deleted_at timestamptz,
  deletion_seen boolean,
  -- Its observations.
  generation bigint,
  resource_version numeric not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- Its pods.
  attempt_count integer not null,
  pod_summary jsonb not null,
  first_pod_at timestamptz,
  first_container_started_at timestamptz,
  first_ready_at timestamptz,
  -- The last request of a user.
  suspend_requested_by text,
  suspend_requested_at timestamptz,
  -- What was decided about it.
  decision_count integer not null,
  command_count integer not null,
  failed_command_count integer not null,
  last_decision text,
  last_decision_number integer not null,
  last_decided_at timestamptz,
  first_run_id text,
  next_decision_at timestamptz,
  waiting_rule text,
  waiting_message text,
  waiting_since timestamptz,
  primary key (cluster, uid)
);
create index jobs_by_name on jobs (cluster, namespace, name);
create index jobs_by_short_name on jobs (name);
create index jobs_not_finished on jobs (cluster, created_at) where finished_at is null and deleted_at is null;
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create index jobs_ended on jobs (deleted_at) where deleted_at is not null;

-- Labels have many values: in a small sample a label that many Jobs have may seem rare, and all of them would be read.
create index jobs_by_label on jobs using gin (labels jsonb_path_ops);
alter table jobs alter column labels set statistics 1000;

-- Lists, the newest first: a page costs the same however many Jobs there are. Lists leave out deleted Jobs unless they are
-- asked for, so each order has an index with them and one without.
create index jobs_newest
  on jobs ((coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) where deleted_at is null;
create index jobs_newest_ever
  on jobs ((coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc);
create index jobs_newest_of_cluster
  on jobs (cluster, (coalesce(created_at, first_seen_at)) desc, uid desc) where deleted_at is null;
create index jobs_newest_ever_of_cluster
  on jobs (cluster, (coalesce(created_at, first_seen_at)) desc, uid desc);
create index jobs_newest_of_namespace
  on jobs (namespace, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) where deleted_at is null;
create index jobs_newest_ever_of_namespace
  on jobs (namespace, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc);
create index jobs_newest_of_owner
  on jobs (owner_name, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc)
  where deleted_at is null and owner_name is not null;
create index jobs_newest_by_kubectl_status
  on jobs (kubectl_status, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) where deleted_at is null;
create index jobs_by_status
  on jobs (status, (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc) include (active, deleted_at);
create index jobs_by_reason
  on jobs ((regexp_replace(reason, ' ×[0-9]+', '', 'g')), (coalesce(created_at, first_seen_at)) desc, cluster desc, uid desc)
  where reason is not null;

-- Lists in the order of their ends or names.
create index jobs_in_order_of_end
  on jobs ((coalesce(finished_at, 'infinity')), cluster, uid) where deleted_at is null;
create index jobs_ever_in_order_of_end
  on jobs ((coalesce(finished_at, 'infinity')), cluster, uid);
create index jobs_in_order_of_name
  on jobs (name collate "C", cluster, uid) where deleted_at is null;
create index jobs_ever_in_order_of_name
  on jobs (name collate "C", cluster, uid);

-- Counts and the histogram read a fifteenth of the table. Postgres reads an expression from an index alone only when the
-- index also has the columns of the expression.
create index jobs_counted_once
  on jobs ((coalesce(created_at, first_seen_at)))
  include (created_at, first_seen_at, finished_at, deleted_at, status, active, member, cluster, namespace);

comment on table jobs is
  'One row per Job that was ever observed, with its current status. A Job created again under its name has its own row.';
comment on column jobs.cluster is 'Name of the cluster.';
comment on column jobs.uid is 'metadata.uid.';
comment on column jobs.namespace is 'metadata.namespace.';
comment on column jobs.name is 'metadata.name.';
comment on column jobs.labels is 'metadata.labels.';
comment on column jobs.owner_kind is
  'Kind of the object that controls the Job (ownerReferences), such as CronJob; null when no object controls the Job.';
comment on column jobs.owner_name is 'Name of the object that controls the Job.';
comment on column jobs.series is
  'Name that the runs of a series share: the name of the object that controls the Job, such as its CronJob. For a Job without such an object, the name of the Job without a generated end, or without an end that is a date, a number of four digits or more, or a hexadecimal id.';
comment on column jobs.scheduled_at is
  'The time of the schedule for which a CronJob created the Job, from the annotation batch.kubernetes.io/cronjob-scheduled-timestamp; null for other Jobs.';
comment on column jobs.managed_by is 'spec.managedBy; null when absent.';
comment on column jobs.claimed is
  'True when Jobledger controls this Job: spec.managedBy names Jobledger, or one of its decisions is recorded.';
comment on column jobs.member is
  'True when the Job runs a placed Job, as placements.member_uid says. Counts and lists have the placed Job instead.';
comment on column jobs.status is
  'Status of the Job: Pending (no pod has run yet), Running, Retrying (an attempt failed, and the next one does not run yet), Suspended, Succeeded, Failed, External (Jobledger does not control the Job) or Deleted (the Job was deleted before it ended).';
comment on column jobs.waiting_for is
  'Reason why the Job waits, as text; null when the Job waits for nothing but its pods, or has ended.';
comment on column jobs.waiting_until is
  'End of the wait, such as the time of the next attempt after a back-off; null when it is not known.';
comment on column jobs.reason is
  'Reason why the Job failed or is failing: the causes of failed pods with their numbers, then the reason of the condition Failed or FailureTarget. Null when nothing failed, or when the Job succeeded.';
comment on column jobs.parallelism is 'spec.parallelism.';
comment on column jobs.completions is 'spec.completions; null when a single success completes the Job.';
comment on column jobs.completion_mode is 'spec.completionMode.';
comment on column jobs.backoff_limit is 'spec.backoffLimit.';
comment on column jobs.backoff_limit_per_index is 'spec.backoffLimitPerIndex.';
comment on column jobs.active_deadline_seconds is 'spec.activeDeadlineSeconds.';
comment on column jobs.ttl_seconds_after_finished is 'spec.ttlSecondsAfterFinished.';
comment on column jobs.suspend is 'spec.suspend.';
comment on column jobs.kubectl_status is
  'The status in the word that kubectl shows: Complete, Failed, Terminating, Suspended, FailureTarget, SuccessCriteriaMet, Running; Unknown while only pods of the Job were observed; Deleted when the Job was deleted before it ended.';
comment on column jobs.active is 'status.active; 0 when the Job was deleted before it ended.';
comment on column jobs.ready is 'status.ready; 0 when the Job was deleted before it ended.';
comment on column jobs.terminating is 'status.terminating; 0 when the Job was deleted before it ended.';
comment on column jobs.succeeded is 'status.succeeded.';
comment on column jobs.failed is 'status.failed.';
comment on column jobs.completed_indexes is 'status.completedIndexes.';
comment on column jobs.failed_indexes is 'status.failedIndexes.';
comment on column jobs.conditions is 'Current status.conditions; the table conditions has their history.';
comment on column jobs.created_at is 'metadata.creationTimestamp.';
comment on column jobs.started_at is 'status.startTime.';
comment on column jobs.completed_at is 'status.completionTime.';
comment on column jobs.finished_at is 'Time at which the Job became Complete or Failed, from the status.';
comment on column jobs.deletion_requested_at is 'metadata.deletionTimestamp.';
comment on column jobs.deleted_at is 'Time at which the deletion of the Job was recorded; null while the Job exists.';
comment on column jobs.deletion_seen is 'False when the Job was deleted at an unknown time while no watch was open.';
comment on column jobs.generation is 'metadata.generation.';
comment on column jobs.resource_version is
  'resourceVersion of the newest observation, plus 10^30 for each earlier restore of the API server; 0 before the first observation.';
comment on column jobs.first_seen_at is 'Time of the first event of this Job.';
comment on column jobs.last_seen_at is 'Time of the newest observation of the Job or its deletion.';
comment on column jobs.attempt_count is
  'Number of pods of the Job, deleted pods included; the table pods has a row for each.';
comment on column jobs.pod_summary is
  'The pods of the Job as counts: running; failed, by cause; waiting, by reason. The columns status, waiting_for and reason follow from this column. For a placed Job, whose pods are those of its members, they follow from the columns ready, active and failed.';
comment on column jobs.first_pod_at is 'Time at which the first observed pod of the Job was created.';
comment on column jobs.first_container_started_at is
  'Time at which the first container of a pod of the Job started, init containers included, by the clock of the node; null when no start was observed.';
comment on column jobs.first_ready_at is
  'Time at which a pod of the Job was first ready; null when no pod was observed ready.';
comment on column jobs.suspend_requested_by is
  'The user who asked Jobledger to suspend the Job, the first user if there were several; null when no user did, or when the Job was resumed afterwards.';
comment on column jobs.suspend_requested_at is 'Time at which that request was recorded.';
comment on column jobs.decision_count is 'Number of recorded decisions, superseded decisions included.';
comment on column jobs.command_count is 'Number of commands in these decisions.';
comment on column jobs.failed_command_count is 'Number of outcomes with an error.';
comment on column jobs.last_decision is
  'Id of the latest decision by now; of several decisions with the same instant, the decision with the highest number.';
comment on column jobs.last_decision_number is 'Number of the last decision; 0 before the first decision.';
comment on column jobs.last_decided_at is 'The instant that the last decision used as now.';
comment on column jobs.first_run_id is 'First run id of the Temporal workflow that made the last decision.';
comment on column jobs.next_decision_at is
  'Time at which the next decision is due without new events; null when none is due.';
comment on column jobs.waiting_rule is 'Rule of the current wait; null when the Job waits for nothing.';
comment on column jobs.waiting_message is 'Reason of the wait as text.';
comment on column jobs.waiting_since is 'Time at which the current wait began.';

create table job_statuses (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  kubectl_status text not null,
  suspend boolean not null,
  parallelism integer,
  completions integer,
  active integer not null,
  ready integer not null,
  terminating integer not null,
  succeeded integer not null,
  failed integer not null,
  completed_indexes text,
  failed_indexes text,
  started_at timestamptz,
  completed_at timestamptz,
  conditions jsonb not null,
  resource_version numeric not null,
  seen_at timestamptz not null,
  event_id text not null,
  deleted boolean not null,
  primary key (cluster, uid, resource_version, deleted)
);
-- Of many versions of a Job, the first that shows a start is found without reading those before it.
create index job_statuses_started on job_statuses (cluster, uid, resource_version) where started_at is not null;

comment on table job_statuses is
  'Every observed status of a Job: one row per version of the object, and one for its deletion. The rows stay when a partition of events is dropped.';
comment on column job_statuses.cluster is 'Name of the cluster.';
comment on column job_statuses.uid is 'UID of the Job.';
comment on column job_statuses.namespace is 'Namespace of the Job.';
comment on column job_statuses.name is 'Name of the Job.';
comment on column job_statuses.kubectl_status is 'The status of the Job in the word that kubectl shows.';
comment on column job_statuses.suspend is 'spec.suspend.';
comment on column job_statuses.parallelism is 'spec.parallelism.';
comment on column job_statuses.completions is 'spec.completions; null when a single success completes the Job.';
comment on column job_statuses.active is 'status.active; 0 when absent.';
comment on column job_statuses.ready is 'status.ready; 0 when absent.';
comment on column job_statuses.terminating is 'status.terminating; 0 when absent.';
comment on column job_statuses.succeeded is 'status.succeeded; 0 when absent.';
comment on column job_statuses.failed is 'status.failed; 0 when absent.';
comment on column job_statuses.completed_indexes is 'status.completedIndexes.';
comment on column job_statuses.failed_indexes is 'status.failedIndexes.';
comment on column job_statuses.started_at is 'status.startTime.';
comment on column job_statuses.completed_at is 'status.completionTime.';
comment on column job_statuses.conditions is 'status.conditions.';
comment on column job_statuses.resource_version is
  'metadata.resourceVersion, plus 10^30 for each earlier restore of the API server.';
comment on column job_statuses.seen_at is 'Time at which the event with this status was recorded.';
comment on column job_statuses.event_id is 'Id of the event with this status; its data contains the whole object.';
comment on column job_statuses.deleted is 'True when the Job was deleted and this is its last observed status.';

create table conditions (
  cluster text not null,
  job_uid text not null,
  namespace text not null,
  job_name text not null,
  type text not null,
  status text,
  reason text,
  message text,
  last_transition_time timestamptz,
  seen_at timestamptz not null,
  resource_version numeric not null,
  event_id text not null,
  primary key (cluster, job_uid, type, event_id)
);

comment on table conditions is 'Every change of a condition of a Job, ordered by resource_version.';
comment on column conditions.cluster is 'Name of the cluster.';
comment on column conditions.job_uid is 'UID of the Job.';
comment on column conditions.namespace is 'Namespace of the Job.';
comment on column conditions.job_name is 'Name of the Job.';
comment on column conditions.type is
  'Type of the condition: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet, or a type of another controller.';
comment on column conditions.status is
  'Status of the condition: True, False or Unknown; null when the condition was removed.';
comment on column conditions.reason is 'The condition''s reason.';
comment on column conditions.message is 'The condition''s message.';
comment on column conditions.last_transition_time is 'The condition''s own lastTransitionTime.';
comment on column conditions.seen_at is 'Time at which the observation with the change was recorded.';
comment on column conditions.resource_version is
  'resourceVersion of the Job with the change, plus 10^30 for each earlier restore of the API server.';
comment on column conditions.event_id is 'Id of the event with the change.';

create table api_requests (
  cluster text not null,
  job_uid text not null,
  namespace text not null,
  job_name text not null,
  resource text not null,
  uid text not null,
  name text not null,
  verb text not null,
  by text not null,
  impersonated_by text,
  user_agent text,
  fields jsonb not null,
  written_version numeric,
  cascade boolean not null,
  panicked boolean not null,
  received_at timestamptz not null,
  audit_id text not null,
  event_id text not null,
  recorded_at timestamptz not null,
  primary key (cluster, job_uid, event_id)
);
create index api_requests_by_time on api_requests (cluster, recorded_at);
create index api_requests_by_age on api_requests (recorded_at);

comment on table api_requests is
  'Requests to API servers that changed a Job or one of its pods, from the audit logs. A request without a row is not recorded: the log of the cluster is not read, or its record was lost.';
comment on column api_requests.cluster is 'Name of the cluster.';
comment on column api_requests.job_uid is 'UID of the Job, or of the Job that the pod names as its controller.';
comment on column api_requests.namespace is 'Namespace of the Job or pod.';
comment on column api_requests.job_name is 'Name of the Job, or of the Job that the pod names as its controller.';
comment on column api_requests.resource is 'The resource of the request: jobs or pods.';
comment on column api_requests.uid is 'UID of the Job or pod.';
comment on column api_requests.name is 'Name of the Job or pod.';
comment on column api_requests.verb is 'The verb of the request: create, update, patch, delete or deletecollection.';
comment on column api_requests.by is
  'The user with whose rights the API server carried out the request, or the pseudonym of that user.';
comment on column api_requests.impersonated_by is
  'The user that sent the request in the name of another user; null without impersonation.';
comment on column api_requests.user_agent is
  'The name that the client gives itself (User-Agent); null when the client sends none.';
comment on column api_requests.fields is 'The fields that a patch names, two levels deep; empty for other verbs.';
comment on column api_requests.written_version is
  'resourceVersion of the object after the request; null for deletions that were done at once. A request that changed nothing has the version of an earlier change.';
comment on column api_requests.cascade is
  'True when the garbage collector deleted the object because its owner is gone.';
comment on column api_requests.panicked is
  'True when the API server failed while it handled the request. The request may or may not have had an effect.';
comment on column api_requests.received_at is 'Time at which the API server received the request, by its own clock.';
comment on column api_requests.audit_id is 'Id of the request in the audit log; the sender may choose it.';
comment on column api_requests.event_id is 'Id of the event.';
comment on column api_requests.recorded_at is 'Time at which the event was recorded.';

create table kubernetes_events (
  cluster text not null,
  job_uid text not null,
  namespace text not null,
  job_name text not null,
  kind text not null,
  uid text not null,
  name text not null,
  reason text not null,
  type text not null,
  reported_by text not null,
  note text not null,
  related_kind text,
  related_namespace text,
  related_name text,
  related_uid text,
  count integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  is_last boolean not null,
  event_id text not null,
  recorded_at timestamptz not null,
  primary key (cluster, job_uid, event_id)
);
create index kubernetes_events_by_age on kubernetes_events (recorded_at);

comment on table kubernetes_events is
  'Kubernetes Events of other programs about a Job or one of its pods, one row for each object, reason and kind of text. Events with the same text, apart from numbers and names, have no further row.';
comment on column kubernetes_events.cluster is 'Name of the cluster.';
comment on column kubernetes_events.job_uid is 'UID of the Job, or of the Job in whose stream the pod is recorded.';
comment on column kubernetes_events.namespace is 'Namespace of the Job or pod.';
comment on column kubernetes_events.job_name is 'Name of the Job; empty when the Job was not known.';
comment on column kubernetes_events.kind is 'The kind of the object that the Event is about: Job or Pod.';
comment on column kubernetes_events.uid is 'UID of the Job or pod.';
comment on column kubernetes_events.name is 'Name of the Job or pod.';
comment on column kubernetes_events.reason is 'The reason, such as FailedScheduling; docs/operate/kubernetes-events.md has them all.';
comment on column kubernetes_events.type is 'Normal or Warning.';
comment on column kubernetes_events.reported_by is
  'The program that reported the Event, such as default-scheduler or kubelet. Any user who may create Events can write any name.';
comment on column kubernetes_events.note is
  'The text of the Event. Of reasons whose text may quote a program, only known phrases are recorded; empty without one.';
comment on column kubernetes_events.related_kind is
  'The kind of a further object that the Event names, such as the pod for which this pod was preempted; null without one.';
comment on column kubernetes_events.related_namespace is 'Namespace of the further object.';
comment on column kubernetes_events.related_name is 'Name of the further object.';
comment on column kubernetes_events.related_uid is 'UID of the further object.';
comment on column kubernetes_events.count is 'Number of repetitions of the Event until it was recorded.';
comment on column kubernetes_events.first_at is 'Time of the first repetition, by the clock of the program.';
comment on column kubernetes_events.last_at is
  'Time of the latest repetition until the Event was recorded, by the clock of the program.';
comment on column kubernetes_events.is_last is
  'True when no further Event of the Job, or of the Job with this reason, is recorded: dropped_kubernetes_events counts them.';
comment on column kubernetes_events.event_id is 'Id of the event.';
comment on column kubernetes_events.recorded_at is 'Time at which the event was recorded.';

create table dropped_kubernetes_events (
  cluster text not null,
  event_id text not null,
  namespace text not null,
  cause text not null,
  count integer,
  since timestamptz not null,
  until timestamptz not null,
  primary key (cluster, event_id, namespace, cause)
);
create index dropped_kubernetes_events_by_age on dropped_kubernetes_events (until);

comment on table dropped_kubernetes_events is
  'The number of Kubernetes Events of a namespace that were not recorded in a period, by cause. Repetitions of recorded Events do not count.';
comment on column dropped_kubernetes_events.cluster is 'Name of the cluster.';
comment on column dropped_kubernetes_events.event_id is 'Id of the event with the count.';
comment on column dropped_kubernetes_events.namespace is 'Namespace of the Events; * for all namespaces.';
comment on column dropped_kubernetes_events.cause is
  'job-budget: the Job has as many recorded Events as it may have. namespace-rate: the namespace had too many new Events at once. too-many-waiting, unknown-object: the Job or pod was not known in time. unreadable: the Event has no usable form. further: the sum of the counts that are left out. gap: the watch of the Events had to start over.';
comment on column dropped_kubernetes_events.count is 'Number of Events; null when it is not known, which is so for a gap.';
comment on column dropped_kubernetes_events.since is 'Beginning of the period.';
comment on column dropped_kubernetes_events.until is 'End of the period.';

create view who as
select r.cluster, r.job_uid, r.namespace, r.job_name, 'created' as action, r.by, r.impersonated_by, r.user_agent, r.received_at as at
from api_requests r
where r.resource = 'jobs' and r.verb = 'create' and not r.panicked
union all
select e.cluster, e.job_uid, e.namespace, e.job_name, 'submitted', e.data ->> 'by', null, null, e.time
from events e
where e.type = 'job.submitted'
union all
select
  e.cluster,
  e.job_uid,
  e.namespace,
  e.job_name,
  'requested ' || (e.data ->> 'action') || case
    when exists (
      select 1
      from events a
      where a.cluster = e.cluster and a.job_uid = e.job_uid and a.type = 'outcome.recorded'
        and a.data -> 'outcome' ->> 'kind' = 'RefuseRequest' and a.data -> 'outcome' ->> 'request' = e.id
    ) then ', refused'
    else ''
  end,
  e.data ->> 'by',
  null,
  null,
  e.time
from events e
where e.type = 'request.received' and e.source = 'jobledger/requests' and e.data ->> 'action' in ('suspend', 'resume')
union all
select s.cluster, s.uid, s.namespace, s.name, s.action, r.by, r.impersonated_by, r.user_agent, r.received_at
from (
  select
    c.*,
    case
      when c.suspend and not c.was_suspended then 'suspended'
      when c.was_suspended and not c.suspend then 'resumed'
      when (c.parallelism, c.completions) is distinct from (c.parallelism_before, c.completions_before) then 'scaled'
    end as action
  from (
    select
      seen.cluster,
      seen.uid,
      seen.namespace,
      seen.name,
      seen.suspend,
      seen.parallelism,
      seen.completions,
      seen.seen_at,
      mod(seen.resource_version, 1e30) as version,
      lag(seen.suspend) over versions as was_suspended,
      lag(seen.parallelism) over versions as parallelism_before,
      lag(seen.completions) over versions as completions_before,
      count(*) over (partition by seen.cluster, seen.uid, mod(seen.resource_version, 1e30)) as with_version
    from job_statuses seen
    where not seen.deleted
    window versions as (partition by seen.cluster, seen.uid order by seen.resource_version)
  ) c
  where c.was_suspended is not null and c.with_version = 1
) s
cross join lateral (
  select r.by, r.impersonated_by, r.user_agent, r.received_at
  from api_requests r
  where r.cluster = s.cluster and r.job_uid = s.uid and r.uid = s.uid
    and r.written_version = s.version and r.received_at <= s.seen_at
  order by r.received_at, r.event_id
  limit 1
) r
where s.action is not null
union all
select j.cluster, j.uid, j.namespace, j.name, 'deleted', r.by, r.impersonated_by, r.user_agent, r.received_at
from jobs j
cross join lateral (
  select r.by, r.impersonated_by, r.user_agent, r.received_at
  from api_requests r
  where r.cluster = j.cluster and r.job_uid = j.uid and r.uid = j.uid
    and r.verb in ('delete', 'deletecollection') and not r.panicked
    and (r.written_version is null or r.received_at < j.deletion_requested_at + interval '1 second')
  order by r.received_at, r.event_id
  limit 1
) r
where j.deletion_requested_at is not null or j.deleted_at is not null;

comment on view who is
  'The users who created, submitted, suspended, resumed, scaled and deleted each Job, as far as a request of the audit log or a request to Jobledger proves it. An action without a row is not recorded.';
comment on column who.cluster is 'Name of the cluster.';
comment on column who.job_uid is 'UID of the Job.';
comment on column who.namespace is 'Namespace of the Job.';
comment on column who.job_name is 'Name of the Job.';
comment on column who.action is
  'created, suspended, resumed, scaled or deleted; through Jobledger: submitted, requested suspend, requested resume; with ", refused" after it when Jobledger refused the request, for example because the Job was suspended already.';
comment on column who.by is 'The user, or the pseudonym of the user.';
comment on column who.impersonated_by is 'The user that acted in the name of that user; null without impersonation.';
comment on column who.user_agent is 'The name that the client gives itself (User-Agent); null when it is not known.';
comment on column who.at is
  'Time at which the API server received the request, by its own clock, or at which the submission or the request to Jobledger was recorded.';

create view job_phases as
select
  cluster,
  uid as job_uid,
  namespace,
  name as job_name,
  labels,
  status,
  created_at,
  first_pod_at,
  first_container_started_at,
  first_ready_at,
  finished_at,
  first_pod_at - created_at as until_first_pod,
  greatest(first_container_started_at - created_at, interval '0') as until_first_container,
  first_ready_at - first_pod_at as until_first_ready,
  finished_at - first_ready_at as until_finished,
  finished_at - created_at as total,
  attempt_count
from jobs;
comment on view job_phases is
  'The duration of each phase of each Job: created, first pod, first ready pod, finished. A phase is null until it has ended, and when its start or end was not observed.';
comment on column job_phases.cluster is 'Name of the cluster.';
comment on column job_phases.job_uid is 'UID of the Job.';
comment on column job_phases.namespace is 'Namespace of the Job.';
comment on column job_phases.job_name is 'Name of the Job.';
comment on column job_phases.labels is 'Labels of the Job.';
comment on column job_phases.status is 'Status of the Job, as in jobs.';
comment on column job_phases.created_at is 'Time at which the Job was created.';
comment on column job_phases.first_pod_at is 'Time at which the first pod of the Job was created.';
comment on column job_phases.first_container_started_at is
  'Time at which the first container of a pod of the Job started.';
comment on column job_phases.first_ready_at is
  'Time at which a pod of the Job was first ready; null when no pod was observed ready.';
comment on column job_phases.finished_at is 'Time at which the Job finished.';
comment on column job_phases.until_first_pod is 'Time from the creation of the Job to the creation of its first pod.';
comment on column job_phases.until_first_container is
  'Time from the creation of the Job to the start of the first container of a pod: how long the author of the Job waits until something runs. The start is by the clock of the node; a negative difference of the clocks counts as 0.';
comment on column job_phases.until_first_ready is 'Time from the first pod of the Job to its first ready pod.';
comment on column job_phases.until_finished is 'Time from the first ready pod of the Job to its end.';
comment on column job_phases.total is 'Time from the creation of the Job to its end.';
comment on column job_phases.attempt_count is 'Number of pods of the Job, deleted pods included.';

-- 5. Pods: one row per attempt, and every creation that was decided.

create table pods (
  cluster text not null,
  job_uid text not null,
  uid text not null,
  namespace text,
  job_name text,
  name text not null,
  -- The observed pod.
  completion_index integer,
  phase text,
  exit_code integer,
  reason text,
  message text,
  container text,
  node text,
  image text,
  image_digest text,
  cpu_request_cores numeric,
  memory_request_bytes numeric,
  gpu_request numeric,
  requests jsonb not null,
  limits jsonb not null,
  request_steps jsonb,
  priority_class text,
  qos_class text,
  restarts integer not null,
  restarted text,
  labels jsonb not null,
  resource_version numeric not null,
  created_at timestamptz,
  bound_at timestamptz,
  started_at timestamptz,
  first_container_started_at timestamptz,
  first_ready_at timestamptz,
  last_container_ended_at timestamptz,
  finished_at timestamptz,
  held_until timestamptz,
  held_until_at_least timestamptz,
  deletion_requested_at timestamptz,
  deleted_at timestamptz,
  -- Why it was created, and deleted.
  creation_decision text,
  creation_rule text,
  creation_message text,
  deletion_decision text,
  deletion_rule text,
  deletion_message text,
  deletion_decided_at timestamptz,
  -- How it ended, and counts.
  end_cause text,
  end_message text,
  end_event_id text,
  counted_as text,
  count_decision text,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (cluster, job_uid, uid)
);
create index pods_by_name on pods (name);
create index pods_by_job_name on pods (cluster, namespace, job_name);
create index pods_by_creation on pods (created_at);
-- Which pod an event showed ended, whatever number of pods its Job has.
create index pods_by_end on pods (end_event_id) where end_event_id is not null;

comment on table pods is 'One row per attempt: every pod that ever belonged to a Job.';
comment on column pods.cluster is 'Name of the cluster.';
comment on column pods.job_uid is 'UID of the Job under which the pod is recorded.';
comment on column pods.uid is 'metadata.uid.';
comment on column pods.namespace is 'Namespace of the Job and the pod.';
comment on column pods.job_name is 'Name of the Job.';
comment on column pods.name is 'metadata.name.';
comment on column pods.completion_index is 'Completion index; null for NonIndexed Jobs.';
comment on column pods.phase is 'Last observed status.phase; null when the pod was created but never observed.';
comment on column pods.exit_code is
  'First non-zero exit code of the containers of the pod; 0 when all regular containers ended with 0; null while one of them runs.';
comment on column pods.reason is
  'status.reason; otherwise the reason of the container that failed or waits; otherwise the reason why a pending pod has no node.';
comment on column pods.message is
  'status.message; otherwise the message of the container that failed or waits, or of the condition PodScheduled.';
comment on column pods.container is
  'The init container or sidecar that exit_code, reason and message describe, such as init container setup; null when they describe another container or the pod.';
comment on column pods.node is 'spec.nodeName.';
comment on column pods.image is 'Image of the first container of the pod, as its spec names it.';
comment on column pods.image_digest is
  'Digest of the image that the first container of the pod ran, sha256:…, as the kubelet reports it; null before the container ran, and when the kubelet reports none.';
comment on column pods.cpu_request_cores is
  'CPU that the pod requests, in cores, as the scheduler counts: the request of the whole pod; without one, that of its containers and sidecars together or, if larger, that of its largest init container with the sidecars beside it. The overhead is included. Null while the pod was not observed.';
comment on column pods.memory_request_bytes is
  'Memory that the pod requests, in bytes, counted as in cpu_request_cores.';
comment on column pods.gpu_request is
  'Whole GPUs that the pod requests, counted as in cpu_request_cores: the sum of the resources whose name ends in /gpu, such as nvidia.com/gpu.';
comment on column pods.requests is
  'All requested amounts by resource, cpu in cores and memory in bytes, counted as in cpu_request_cores. Devices that are claimed through resourceClaims are not among them.';
comment on column pods.limits is
  'The limits by resource, counted as in cpu_request_cores; a resource without a limit is absent.';
comment on column pods.request_steps is
  'The CPU, memory and GPUs that the pod requested before it was resized in place, each with the time until which it requested them: the time at which the change was recorded, in whole seconds. The last 100 changes; null without a change. The view attempts counts with them.';
comment on column pods.priority_class is 'spec.priorityClassName.';
comment on column pods.qos_class is 'status.qosClass: Guaranteed, Burstable or BestEffort.';
comment on column pods.restarts is 'Number of restarts of all containers of the pod.';
comment on column pods.restarted is
  'The containers that have restarted, such as sidecar proxy ×3; null when no container has restarted.';
comment on column pods.labels is 'metadata.labels.';
comment on column pods.resource_version is
  'resourceVersion of the newest observation, plus 10^30 for each earlier restore of the API server; 0 before the first observation.';
comment on column pods.created_at is
  'metadata.creationTimestamp; until the pod is observed, the time of the worker''s clock.';
comment on column pods.bound_at is
  'Time at which the pod was bound to its node: the transition of the condition PodScheduled. For a pod that was created with a node, the time at which the kubelet accepted it. Null while the pod has no node.';
comment on column pods.started_at is 'status.startTime, at which the kubelet of the node accepted the pod.';
comment on column pods.first_container_started_at is
  'Time at which the first container of the pod started, init containers included, by the clock of its node; null when no start was observed. A container that restarted several times between two observations may have started earlier.';
comment on column pods.first_ready_at is
  'Time since which the pod was ready in the first observation that showed it ready; null when no observation did.';
comment on column pods.last_container_ended_at is
  'Latest end of the containers of the pod, init containers included, by the clock of its node; null while one of them runs, and when no end was observed.';
comment on column pods.finished_at is 'Time at which the pod finished, by rule J-5.41.';
comment on column pods.held_until is
  'Time until which the pod held its node: the end of its last container; for a pod that was deleted before its end was observed, the deletion or the later end of its last container. When neither was seen, the latest possible time. Null while the pod holds a node or waits for one.';
comment on column pods.held_until_at_least is
  'The earliest possible time until which the pod held its node, when nobody saw its end: the last observation before a deletion that was not seen, or finished_at of a pod whose containers were not seen ending. Null when held_until is exact.';
comment on column pods.deletion_requested_at is
  'Time at which the deletion of the pod was requested: deletionTimestamp minus the grace period.';
comment on column pods.deleted_at is 'Time at which the deletion of the pod was recorded; null while the pod exists.';
comment on column pods.creation_decision is
  'Id of the decision that created the pod; null when Jobledger did not create the pod.';
comment on column pods.creation_rule is 'Rule by which the pod was created.';
comment on column pods.creation_message is 'Reason of the creation as text.';
comment on column pods.deletion_decision is 'Id of the first decision to delete the pod.';
comment on column pods.deletion_rule is 'Rule by which that decision deletes the pod.';
comment on column pods.deletion_message is 'Reason of the deletion as text.';
comment on column pods.deletion_decided_at is 'Time at which the deletion was decided.';
comment on column pods.end_cause is
  'The cause of the end of the pod as a code without numbers: Succeeded; the reason of the container that failed, such as Error or OOMKilled, or of the pod, such as DeadlineExceeded; Evicted; the reason of a disruption, such as PreemptionByScheduler or DeletionByTaintManager; DeletedByJobledger, DeletedWithJob, Deleted: by another client; NeverObserved, NotObserved: the pod was gone, and no version shows why. Null until the pod ends.';
comment on column pods.end_message is
  'Reason of the end as text: Succeeded, exit code 3 (Error), deleted by Jobledger: …, deleted with its Job, deleted by another client, evicted: …, gone while nobody watched. Null until the pod ends.';
comment on column pods.end_event_id is 'Id of the first event that showed the end of the pod; null until the pod ends.';
comment on column pods.counted_as is 'succeeded or failed, once a decision counts the pod in a status; null before.';
comment on column pods.count_decision is 'Id of the newest decision that counts the pod.';
comment on column pods.first_seen_at is 'Time of the first event about the pod.';
comment on column pods.last_seen_at is 'Time of the newest observation of the pod, or of its deletion.';

create table creations (
  cluster text not null,
  job_uid text not null,
  name text not null,
  ordinal integer not null,
  completion_index integer,
  decision text not null,
  rule text not null,
  message text not null,
  decided_at timestamptz not null,
  result text,
  pod_uid text,
  error text,
  outcome_at timestamptz,
  primary key (cluster, job_uid, name)
);

comment on table creations is 'Every pod that a decision was to create, whether it was created or not.';
comment on column creations.cluster is 'Name of the cluster.';
comment on column creations.job_uid is 'UID of the Job.';
comment on column creations.name is 'Name of the pod. A Job uses each name once.';
comment on column creations.ordinal is
  'Number of the creation within the Job, from 0, or within the completion index; it determines the name of the pod.';
comment on column creations.completion_index is 'Completion index; null for NonIndexed Jobs.';
comment on column creations.decision is 'Id of the newest decision to create the pod.';
comment on column creations.rule is 'Rule by which that decision creates the pod.';
comment on column creations.message is 'Reason of the creation as text.';
comment on column creations.decided_at is 'Time at which the creation was decided.';
comment on column creations.result is
  'Result of the creation: created, taken (the name belongs to another pod), failed or skipped; null before the outcome.';
comment on column creations.pod_uid is 'UID of the created pod.';
comment on column creations.error is 'Error that the API server returned.';
comment on column creations.outcome_at is 'Time at which the outcome was received.';

-- 6. What was decided about each Job. Content that no table repeats is in the data of the events.

create table decisions (
  cluster text not null,
  job_uid text not null,
  id text not null,
  namespace text not null,
  job_name text not null,
  number integer not null,
  predecessor text,
  first_run_id text not null,
  now timestamptz not null,
  recorded_at timestamptz not null,
  core text not null,
  command_count integer not null,
  next_decision_at timestamptz,
  waiting_rule text,
  waiting_message text,
  broken text,
  superseded boolean not null,
  primary key (cluster, job_uid, id)
);
create index decisions_by_time on decisions (now);

comment on table decisions is
  'Every recorded decision. The events that the decision folded and its settings are in the data of its event.';
comment on column decisions.cluster is 'Name of the cluster.';
comment on column decisions.job_uid is 'UID of the Job.';
comment on column decisions.id is 'Id of the decision, which is also the id of its event.';
comment on column decisions.namespace is 'Namespace of the Job; empty when it is not known.';
comment on column decisions.job_name is 'Name of the Job; empty when it is not known.';
comment on column decisions.number is 'Number of the decision; the first decision of the Job has 1.';
comment on column decisions.predecessor is 'Id of the previous decision; null for the first decision.';
comment on column decisions.first_run_id is 'First run id of the Temporal workflow that decided.';
comment on column decisions.now is 'The instant that the decision used as now.';
comment on column decisions.recorded_at is 'Time at which the decision was recorded.';
comment on column decisions.core is 'Version of the core that decided.';
comment on column decisions.command_count is
  'Number of commands in the decision; the table commands has a row for each.';
comment on column decisions.next_decision_at is
  'Time at which a new decision is due without new events; null when none is due.';
comment on column decisions.waiting_rule is 'Rule of the wait; null when there is nothing to wait for.';
comment on column decisions.waiting_message is 'Reason of the wait as text.';
comment on column decisions.broken is
  'The invariants that the decision breaks, separated by commas. The creations of the decision were withheld, unless a person approved them (rule J-18.2). Null when the decision breaks none.';
comment on column decisions.superseded is
  'True when the workflow ran the step again (after a crash, or because a signal came as the step ended), so that this decision does not count. The latest decision by now counts, with its predecessor, the predecessor of that, and so on. The effects of a superseded decision are observed as facts.';

create table commands (
  cluster text not null,
  job_uid text not null,
  decision text not null,
  command integer not null,
  namespace text not null,
  job_name text not null,
  decision_number integer not null,
  kind text not null,
  rule text not null,
  message text not null,
  pod_count integer,
  decided_at timestamptz not null,
  last_attempt integer not null,
  outcome_at timestamptz,
  result text,
  error text,
  primary key (cluster, job_uid, decision, command)
);
create index commands_by_time on commands (decided_at);

comment on table commands is
  'Every command of every decision, also of superseded decisions, with its last outcome. The content of the command is in the data of the decision''s event.';
comment on column commands.cluster is 'Name of the cluster.';
comment on column commands.job_uid is 'UID of the Job.';
comment on column commands.decision is 'Id of the decision.';
comment on column commands.command is 'Position of the command in the decision, from 0.';
comment on column commands.namespace is 'Namespace of the Job; empty when it is not known.';
comment on column commands.job_name is 'Name of the Job; empty when it is not known.';
comment on column commands.decision_number is 'Number of the decision.';
comment on column commands.kind is
  'Kind of the command, such as CreatePods, DeletePods, ReleasePods or WriteStatus; docs/events.md lists them.';
comment on column commands.rule is 'Rule of the Job semantics that the command follows.';
comment on column commands.message is 'Reason of the command as text.';
comment on column commands.pod_count is 'Number of pods that the command affects; null for commands without pods.';
comment on column commands.decided_at is 'The instant that the decision used as now.';
comment on column commands.last_attempt is
  'Number of the latest attempt of the command that has an outcome; 0 when no attempt has one.';
comment on column commands.outcome_at is 'Time of the outcome, by the worker''s clock; null when there is no outcome.';
comment on column commands.result is
  'Outcome of the whole command, if it has one; skipped when an earlier command failed. The view outcomes has the result of each pod.';
comment on column commands.error is 'The first error in the outcome.';

create view outcomes as
select
  e.id,
  e.cluster,
  e.job_uid,
  e.namespace,
  e.job_name,
  e.data ->> 'decision' as decision,
  (e.data ->> 'command')::integer as command,
  (e.data ->> 'attempt')::integer as attempt,
  e.data -> 'outcome' ->> 'kind' as kind,
  e.data -> 'outcome' ->> 'result' as result,
  coalesce(
    e.data -> 'outcome' -> 'error' ->> 'message',
    jsonb_path_query_first(e.data, '$.outcome.pods[*].error.message') #>> '{}'
  ) as error,
  e.data -> 'outcome' as outcome,
  to_timestamp((e.data -> 'outcome' ->> 'at')::numeric / 1000) as outcome_at,
  e.time as recorded_at
from events e
where e.type = 'outcome.recorded';
comment on view outcomes is
  'Every outcome of a command, read from the events. A query is fast for one Job or a short period.';
comment on column outcomes.id is 'Id of the event with the outcome.';
comment on column outcomes.cluster is 'Name of the cluster.';
comment on column outcomes.job_uid is 'UID of the Job.';
comment on column outcomes.namespace is 'Namespace of the Job.';
comment on column outcomes.job_name is 'Name of the Job.';
comment on column outcomes.decision is 'Id of the decision.';
comment on column outcomes.command is 'Position of the command in the decision, from 0.';
comment on column outcomes.attempt is 'Number of the attempt, from 1.';
comment on column outcomes.kind is 'Kind of the command; skipped when an earlier command failed.';
comment on column outcomes.result is 'Result of the whole command, if it has one; the results of pods are in outcome.';
comment on column outcomes.error is 'The first error in the outcome.';
comment on column outcomes.outcome is 'The whole outcome.';
comment on column outcomes.outcome_at is 'Time at which the outcome was received, by the worker''s clock.';
comment on column outcomes.recorded_at is 'Time at which the outcome was recorded.';

-- 7. Chains of Jobs: what a Job waits for, and how that stands.

create table chains (
  cluster text not null,
  job_uid text not null,
  namespace text not null,
  job_name text not null,
  status text not null,
  resumed_at timestamptz,
  conditions jsonb not null,
  cycle text,
  awaited jsonb not null,
  primary key (cluster, job_uid)
);

comment on table chains is
  'Every Job that was suspended with a valid annotation jobledger.dev/after: one row per Job. The view job_chains has a row per condition.';
comment on column chains.cluster is 'Name of the cluster.';
comment on column chains.job_uid is 'UID of the Job that waits.';
comment on column chains.namespace is 'Namespace of the Job that waits.';
comment on column chains.job_name is 'Name of the Job that waits.';
comment on column chains.status is
  'waiting; resumed (when all conditions were met, or a person resumed the Job, which ends the chain); deleted (the Job was deleted while it waited).';
comment on column chains.resumed_at is 'Time at which the Job was first seen resumed.';
comment on column chains.conditions is
  'The conditions in the order of the annotation, in their last state while the Job waited.';
comment on column chains.cycle is 'The Jobs through which the Job waits for itself; null when there is no cycle.';
comment on column chains.awaited is
  'The recorded state of each Job that the Job waits for, directly or through other Jobs, by name.';

create view job_chains as
select
  chains.cluster,
  chains.job_uid,
  chains.namespace,
  chains.job_name,
  each.position::integer as position,
  each.condition ->> 'job' as awaited_name,
  each.condition ->> 'uid' as awaited_uid,
  each.condition ->> 'end' as condition,
  each.condition ->> 'status' = 'met' as met,
  each.condition ->> 'status' as condition_status,
  (each.condition ->> 'since')::timestamptz as since,
  chains.cycle,
  chains.status,
  chains.resumed_at
from chains
cross join lateral jsonb_array_elements(chains.conditions) with ordinality as each (condition, position);
comment on view job_chains is
  'The conditions for which each Job in a chain waits, or waited until it was resumed: a row per condition.';
comment on column job_chains.cluster is 'Name of the cluster.';
comment on column job_chains.job_uid is 'UID of the Job that waits.';
comment on column job_chains.namespace is 'Namespace of the Job that waits and of the awaited Job.';
comment on column job_chains.job_name is 'Name of the Job that waits.';
comment on column job_chains.position is 'Position of the condition in the annotation, from 1.';
comment on column job_chains.awaited_name is 'Name of the awaited Job.';
comment on column job_chains.awaited_uid is 'UID of the awaited Job; null while no Job of that name was seen.';
comment on column job_chains.condition is 'The end that the awaited Job must have: Succeeded, Failed or Finished.';
comment on column job_chains.met is 'True when the awaited Job has ended as the condition requires.';
comment on column job_chains.condition_status is
  'Status of the condition. met: the awaited Job ended as required. waiting: the awaited Job has not ended. unmeetable: it ended otherwise. missing: no Job has the name. deleted: the awaited Job was deleted before it ended. unknown: nothing is recorded yet.';
comment on column job_chains.since is
  'Time at which the awaited Job ended; for a missing Job, the time since which it is awaited; otherwise null.';
comment on column job_chains.cycle is 'The Jobs through which the Job waits for itself; null when there is no cycle.';
comment on column job_chains.status is
  'waiting; resumed (when all conditions were met, or a person resumed the Job); deleted (the Job was deleted while it waited).';
comment on column job_chains.resumed_at is 'Time at which the Job was first seen resumed.';

-- 8. Placed Jobs: which cluster had which Job, and which of its indexes, from when until when, and why.

create table placements (
  cluster text not null,
  job_uid text not null,
  grant_number integer not null,
  namespace text not null,
  job_name text not null,
  -- The grant.
  placed_in text not null,
  given_at timestamptz not null,
  decision text not null,
  rule text not null,
  message text not null,
  -- The Job in that cluster. Only mark-members.ts writes the column marked_uid.
  member_name text not null,
  member_uid text,
  marked_uid text,
  resource_version numeric,
  granted jsonb,
  indexes text,
  succeeded integer not null,
  failed integer not null,
  -- How it ended, or is ending.
  stopping text,
  refused text,
  overlapped boolean not null,
  ended_at timestamptz,
  end_reason text,
  end_decision text,
  end_message text,
  primary key (cluster, job_uid, grant_number)
);
create index placements_of_cluster on placements (placed_in, given_at);
create index placements_of_member on placements (placed_in, member_uid);
create index placements_open on placements (placed_in) where ended_at is null;
create index placements_to_mark
  on placements (placed_in, member_uid) where member_uid is not null and marked_uid is distinct from member_uid;

comment on table placements is
  'Every grant of a placed Job (managedBy jobledger.dev/placement), with the cluster that got the Job. Grants of one Job never overlap, unless end_reason says otherwise; those of a spread Job hold different indexes (granted_indexes).';
comment on column placements.cluster is 'The home: the cluster of the placed Job.';
comment on column placements.job_uid is 'UID of the placed Job.';
comment on column placements.grant_number is 'Number of the grant among those of the Job, from 1.';
comment on column placements.namespace is 'Namespace of the placed Job and of its members.';
comment on column placements.job_name is 'Name of the placed Job.';
comment on column placements.placed_in is 'The cluster that got the Job.';
comment on column placements.given_at is 'Time at which it was decided that the cluster gets the Job.';
comment on column placements.decision is 'Id of the decision that gave the cluster the Job.';
comment on column placements.rule is 'Rule by which the decision gave the cluster the Job.';
comment on column placements.message is 'Reason as text: the chosen cluster, and why each other cluster was refused.';
comment on column placements.member_name is 'Name of the member, which is the Job in that cluster.';
comment on column placements.member_uid is 'UID of the member; null while it is not known that the member was created.';
comment on column placements.marked_uid is 'UID of the member that is marked in jobs.member; null before.';
comment on column placements.resource_version is
  'resourceVersion of the newest observation of the member, plus 10^30 for each earlier restore of the API server; null before the first observation.';
comment on column placements.granted is
  'For a Job that is spread over several clusters: the indexes that this cluster had, as the view granted_indexes shows them; null when the cluster had all indexes.';
comment on column placements.indexes is
  'Indexes that are complete by the last observation of the member, those of earlier members included.';
comment on column placements.succeeded is
  'Number of pods that succeeded by the last observation of the member, those of earlier members included.';
comment on column placements.failed is
  'Number of pods that failed by the last observation of the member, those of earlier members included.';
comment on column placements.stopping is
  'Reason why the member is stopped although the Job goes on: drain, spill, lost, returned; unguarded: its guard is gone; again: a late request has created it after another member. The reason is end when the Job has ended, and null while the member may run.';
comment on column placements.refused is 'Reason why the cluster refused the member; null if it did not.';
comment on column placements.overlapped is
  'True when the cluster came back and still ran the member after another cluster had got the Job: the work of the member since ended_at overlaps.';
comment on column placements.ended_at is
  'Time at which the cluster no longer had the Job; null while the cluster has it.';
comment on column placements.end_reason is
  'Reason why nothing of the grant can run after ended_at. finished: the member has an end. stopped: the controller of the member reported that it is suspended, and a list then showed no open pod. gone: neither a member nor an open pod existed. refused: no member was created. guarded: the cluster''s own controllers and the kubelet had ended every pod. ended: the member has ended, but by a change since then the Job asks for more. lost: a person declared that nothing runs in the cluster any more. time: the Job accepts that it may run twice. deleted: the placed Job was deleted with its members.';
comment on column placements.end_decision is
  'Id of the decision that ended the grant; null when the member ended by itself.';
comment on column placements.end_message is 'Reason of the end as text.';

create view granted_indexes as
select
  placements.cluster,
  placements.job_uid,
  placements.grant_number,
  placements.namespace,
  placements.job_name,
  placements.placed_in,
  placements.member_name,
  granted.indexes,
  granted.since,
  coalesce(granted.until, placements.ended_at) as until,
  granted.decision
from placements,
  jsonb_to_recordset(placements.granted) as granted(indexes text, since timestamptz, until timestamptz, decision text);
comment on view granted_indexes is
  'The indexes of spread Jobs by cluster: a row for each set that a cluster was given. At any instant each index is in at most one row, unless the end_reason of the grant says otherwise.';
comment on column granted_indexes.cluster is 'The home: the cluster of the placed Job.';
comment on column granted_indexes.job_uid is 'UID of the placed Job.';
comment on column granted_indexes.grant_number is 'Number of the grant (placements).';
comment on column granted_indexes.namespace is 'Namespace of the placed Job and of its members.';
comment on column granted_indexes.job_name is 'Name of the placed Job.';
comment on column granted_indexes.placed_in is 'The cluster that had the indexes.';
comment on column granted_indexes.member_name is 'Name of the member, which is the Job in that cluster.';
comment on column granted_indexes.indexes is 'The indexes, as in status.completedIndexes.';
comment on column granted_indexes.since is 'Time at which it was decided that the cluster gets the indexes.';
comment on column granted_indexes.until is
  'Time at which a list showed that no pod of these indexes is left, or at which the cluster no longer had the Job; null while the cluster has the indexes.';
comment on column granted_indexes.decision is 'Id of the decision that gave the cluster the indexes.';

-- 9. CronJobs, in tables of their own: questions about Jobs need not exclude them.

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
  decision_count integer not null,
  command_count integer not null,
  failed_command_count integer not null,
  last_decision text,
  last_decision_number integer not null,
  last_decided_at timestamptz,
  first_run_id text,
  next_decision_at timestamptz,
  waiting_rule text,
  waiting_message text,
  waiting_since timestamptz,
  primary key (cluster, uid)
);
create index cron_jobs_by_name on cron_jobs (cluster, namespace, name);
create index cron_jobs_ended on cron_jobs (deleted_at) where deleted_at is not null;

comment on table cron_jobs is 'Every CronJob that was ever observed, in its present or last state.';
comment on column cron_jobs.cluster is 'Name of the cluster.';
comment on column cron_jobs.uid is 'UID of the CronJob.';
comment on column cron_jobs.namespace is 'Namespace of the CronJob.';
comment on column cron_jobs.name is 'Name of the CronJob.';
comment on column cron_jobs.schedule is 'spec.schedule; null when the CronJob was never observed.';
comment on column cron_jobs.time_zone is 'spec.timeZone; null when the time zone of the controller applies.';
comment on column cron_jobs.suspend is 'spec.suspend.';
comment on column cron_jobs.concurrency_policy is 'spec.concurrencyPolicy: Allow, Forbid or Replace.';
comment on column cron_jobs.starting_deadline_seconds is
  'spec.startingDeadlineSeconds; null when the CronJob sets none.';
comment on column cron_jobs.successful_jobs_history_limit is 'spec.successfulJobsHistoryLimit.';
comment on column cron_jobs.failed_jobs_history_limit is 'spec.failedJobsHistoryLimit.';
comment on column cron_jobs.active is 'Number of Jobs in status.active.';
comment on column cron_jobs.active_jobs is 'Names of the Jobs in status.active.';
comment on column cron_jobs.last_schedule_time is 'status.lastScheduleTime.';
comment on column cron_jobs.last_successful_time is 'status.lastSuccessfulTime.';
comment on column cron_jobs.resource_version is
  'metadata.resourceVersion, plus 10^30 for each earlier restore of the API server; 0 when the CronJob was never observed.';
comment on column cron_jobs.labels is 'metadata.labels.';
comment on column cron_jobs.generation is 'metadata.generation.';
comment on column cron_jobs.created_at is 'metadata.creationTimestamp.';
comment on column cron_jobs.deletion_requested_at is 'metadata.deletionTimestamp.';
comment on column cron_jobs.deleted_at is
  'Time at which the deletion of the CronJob was recorded; null while the CronJob exists.';
comment on column cron_jobs.deletion_seen is
  'False when the CronJob was deleted at an unknown time while nothing watched it.';
comment on column cron_jobs.first_seen_at is 'Time of the first event of the CronJob.';
comment on column cron_jobs.last_seen_at is 'Time of the last observation of the CronJob.';
comment on column cron_jobs.decision_count is 'Number of decisions.';
comment on column cron_jobs.command_count is 'Number of commands in the decisions.';
comment on column cron_jobs.failed_command_count is 'Number of outcomes with an error.';
comment on column cron_jobs.last_decision is 'Id of the last decision.';
comment on column cron_jobs.last_decision_number is 'Number of the last decision.';
comment on column cron_jobs.last_decided_at is 'The instant that the last decision used as now.';
comment on column cron_jobs.first_run_id is 'First run id of the Temporal workflow that made the last decision.';
comment on column cron_jobs.next_decision_at is
  'Latest time at which the controller decides again: the next start, unless the CronJob waits for something else before it.';
comment on column cron_jobs.waiting_rule is 'Rule by which the CronJob waits; null when it waits for nothing.';
comment on column cron_jobs.waiting_message is 'Reason of the wait as text.';
comment on column cron_jobs.waiting_since is 'Time at which the wait began.';

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
comment on column cron_job_versions.namespace is 'Namespace of the CronJob.';
comment on column cron_job_versions.name is 'Name of the CronJob.';
comment on column cron_job_versions.schedule is 'spec.schedule; null when the CronJob was never observed.';
comment on column cron_job_versions.time_zone is 'spec.timeZone; null when the time zone of the controller applies.';
comment on column cron_job_versions.suspend is 'spec.suspend.';
comment on column cron_job_versions.concurrency_policy is 'spec.concurrencyPolicy: Allow, Forbid or Replace.';
comment on column cron_job_versions.starting_deadline_seconds is
  'spec.startingDeadlineSeconds; null when the CronJob sets none.';
comment on column cron_job_versions.successful_jobs_history_limit is 'spec.successfulJobsHistoryLimit.';
comment on column cron_job_versions.failed_jobs_history_limit is 'spec.failedJobsHistoryLimit.';
comment on column cron_job_versions.active is 'Number of Jobs in status.active.';
comment on column cron_job_versions.active_jobs is 'Names of the Jobs in status.active.';
comment on column cron_job_versions.last_schedule_time is 'status.lastScheduleTime.';
comment on column cron_job_versions.last_successful_time is 'status.lastSuccessfulTime.';
comment on column cron_job_versions.resource_version is
  'metadata.resourceVersion, plus 10^30 for each earlier restore of the API server.';
comment on column cron_job_versions.seen_at is 'Time at which the event with this version was recorded.';
comment on column cron_job_versions.event_id is
  'Id of the event with this version; its data contains the whole object.';
comment on column cron_job_versions.deleted is 'True when the CronJob is gone and this is its last version.';

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
  message text not null,
  replaced jsonb not null,
  result text,
  error text,
  job_uid text,
  outcome_at timestamptz,
  primary key (cluster, cron_job_uid, decision, command)
);
create index cron_job_starts_by_time on cron_job_starts (cluster, cron_job_uid, scheduled_at);

comment on table cron_job_starts is
  'Every attempt to create the Job of a start. A start that failed and was tried again has several rows, and a skipped start has none: "jobledger why cronjob/NAME --start TIME" explains it.';
comment on column cron_job_starts.cluster is 'Name of the cluster.';
comment on column cron_job_starts.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_starts.decision is 'Id of the decision.';
comment on column cron_job_starts.command is 'Number of the command in the decision, from 0.';
comment on column cron_job_starts.namespace is 'Namespace of the CronJob.';
comment on column cron_job_starts.cron_job_name is 'Name of the CronJob.';
comment on column cron_job_starts.scheduled_at is 'The time of the schedule for which the Job is created.';
comment on column cron_job_starts.decided_at is 'The instant that the decision used as now.';
comment on column cron_job_starts.job_name is 'Name of the Job.';
comment on column cron_job_starts.rule is 'Rule by which the Job is created.';
comment on column cron_job_starts.message is 'Reason of the start as text.';
comment on column cron_job_starts.replaced is 'Names of the Jobs that the start replaced.';
comment on column cron_job_starts.result is
  'created; taken: a Job of another controller has the name; gone: the CronJob was gone; failed; skipped: an earlier command of the decision failed; stale: the CronJob had changed since the decision; unknown: the request got no answer and the Job does not exist, so it was never created or is deleted already. Null until there is an outcome, and for ever when the worker ended before the outcome.';
comment on column cron_job_starts.error is 'The error of the API server, without the values of fields.';
comment on column cron_job_starts.job_uid is 'UID of the Job.';
comment on column cron_job_starts.outcome_at is 'Time at which the outcome was known, by the clock of the worker.';

create table cron_job_events (
  cluster text not null,
  cron_job_uid text not null,
  id text not null,
  type text not null,
  type_version smallint not null,
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
  'The streams of CronJobs in the ledger: one row per event. "jobledger admin retention --before" removes the events of a month from this table too.';
comment on column cron_job_events.cluster is 'Name of the cluster.';
comment on column cron_job_events.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_events.id is 'Id of the event. A repeat adds no row.';
comment on column cron_job_events.type is
  'Type of the event, such as cronjob.observed, cronjob.decided, or job.observed of one of the CronJob''s Jobs; docs/events.md lists them.';
comment on column cron_job_events.type_version is 'Version of the type whose format the data has.';
comment on column cron_job_events.source is
  'Source of the event: the cluster for facts, jobledger/<cluster> for decisions and outcomes.';
comment on column cron_job_events.subject is 'Subject of the event: <namespace>/<name of the CronJob>.';
comment on column cron_job_events.namespace is 'Namespace of the CronJob; null when it is not known.';
comment on column cron_job_events.cron_job_name is 'Name of the CronJob; null when it is not known.';
comment on column cron_job_events.resource_version is
  'resourceVersion of the observed or deleted object, plus 10^30 for each earlier restore of the API server; null for other events.';
comment on column cron_job_events.time is 'Time at which the event was first recorded.';
comment on column cron_job_events.kafka_partition is
  'Partition of the ledger topic; all events of one CronJob are in the same partition.';
comment on column cron_job_events.kafka_offset is 'Offset within the partition, which orders the events of a CronJob.';
comment on column cron_job_events.digest is 'Digest of data, computed when the event was recorded.';
comment on column cron_job_events.data is 'Content of the event, as docs/events.md describes it for each type.';

-- A start whose request got no answer, or whose worker ended first, was carried out when its Job is observed (J-9.38).
create view cron_job_runs as
select distinct on (starts.cluster, starts.cron_job_uid, starts.scheduled_at)
  starts.cluster,
  starts.cron_job_uid,
  starts.namespace,
  starts.cron_job_name,
  starts.scheduled_at,
  starts.decided_at - starts.scheduled_at as late_by,
  starts.message,
  case when seen.uid is null then starts.result else 'created' end as result,
  case when seen.uid is null then starts.error end as error,
  starts.job_name,
  coalesce(starts.job_uid, seen.uid) as job_uid,
  jobs.status,
  jobs.started_at,
  jobs.finished_at,
  jobs.deleted_at
from cron_job_starts starts
left join lateral (
  select events.data->'object'->'metadata'->>'uid' as uid
  from cron_job_events events
  where starts.job_uid is null
    and events.cluster = starts.cluster
    and events.cron_job_uid = starts.cron_job_uid
    and events.type = 'job.observed'
    and events.data->'object'->'metadata'->>'name' = starts.job_name
  limit 1
) seen on true
left join jobs on jobs.cluster = starts.cluster and jobs.uid = coalesce(starts.job_uid, seen.uid)
order by starts.cluster, starts.cron_job_uid, starts.scheduled_at, starts.decided_at desc, starts.decision desc;
comment on view cron_job_runs is
  'Every start of a CronJob with the fate of its Job: the last attempt for each time of the schedule.';
comment on column cron_job_runs.cluster is 'Name of the cluster.';
comment on column cron_job_runs.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_runs.namespace is 'Namespace of the CronJob.';
comment on column cron_job_runs.cron_job_name is 'Name of the CronJob.';
comment on column cron_job_runs.scheduled_at is 'The time of the schedule.';
comment on column cron_job_runs.late_by is 'Time from the scheduled time to the decision of the start.';
comment on column cron_job_runs.message is 'Reason of the start as text.';
comment on column cron_job_runs.result is
  'Result of the last attempt, as in cron_job_starts; created also when the attempt has no known result and the Job was observed.';
comment on column cron_job_runs.error is 'Error of the last attempt.';
comment on column cron_job_runs.job_name is 'Name of the Job.';
comment on column cron_job_runs.job_uid is 'UID of the Job.';
comment on column cron_job_runs.status is 'Status of the Job, as in jobs.';
comment on column cron_job_runs.started_at is 'status.startTime of the Job.';
comment on column cron_job_runs.finished_at is 'Time at which the Job finished.';
comment on column cron_job_runs.deleted_at is 'Time at which the deletion of the Job was recorded.';

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
  data -> 'waiting' ->> 'message' as waiting_message
from cron_job_events
where type = 'cronjob.decided';
comment on view cron_job_decisions is 'Every decision about a CronJob that cron_job_events has.';
comment on column cron_job_decisions.cluster is 'Name of the cluster.';
comment on column cron_job_decisions.cron_job_uid is 'UID of the CronJob.';
comment on column cron_job_decisions.namespace is 'Namespace of the CronJob.';
comment on column cron_job_decisions.cron_job_name is 'Name of the CronJob.';
comment on column cron_job_decisions.id is 'Id of the decision.';
comment on column cron_job_decisions.number is 'Number of the decision; the first decision about the CronJob has 1.';
comment on column cron_job_decisions.predecessor is 'Id of the previous decision; null for the first decision.';
comment on column cron_job_decisions.now is 'The instant that the decision used as now.';
comment on column cron_job_decisions.recorded_at is 'Time at which the decision was recorded.';
comment on column cron_job_decisions.core is 'Version of the core that decided.';
comment on column cron_job_decisions.commands is 'The commands of the decision, each with its reason.';
comment on column cron_job_decisions.waiting_rule is 'Rule by which the CronJob waits after the decision.';
comment on column cron_job_decisions.waiting_message is 'Reason of the wait as text.';

-- 10. The past: Jobs, CronJobs and clusters as observed by an instant.

create function job_seen(cluster text, uid text, at timestamptz) returns setof job_statuses
language sql stable parallel safe
begin atomic
  select seen.*
  from job_statuses seen
  where seen.cluster = $1 and seen.uid = $2 and seen.seen_at <= $3
  order by seen.resource_version desc, seen.deleted desc
  limit 1;
end;
comment on function job_seen(text, text, timestamptz) is
  'Status of the Job with this UID as observed by an instant; no row when the Job was not observed by that instant.';

create function job_as_of(cluster text, namespace text, name text, at timestamptz) returns setof job_statuses
language plpgsql stable parallel safe
as $$
begin
  return query
  select known.*
  from (
    select seen.*
    from jobledger.jobs
    cross join lateral jobledger.job_seen(jobs.cluster, jobs.uid, $4) seen
    where jobs.cluster = $1 and jobs.namespace = $2 and jobs.name = $3
      and jobs.first_seen_at <= $4
    order by seen.deleted, jobs.created_at desc nulls last, seen.seen_at desc
    limit 1
  ) known
  -- The Job that existed then is the answer. Where none did, one that had the name may have been removed.
  where not known.deleted or jobledger.requires_horizon($4);
  if not found then
    perform jobledger.requires_horizon($4);
  end if;
end;
$$;
comment on function job_as_of(text, text, text, timestamptz) is
  'Status of one Job as observed by an instant. If several Jobs had the name, the one that existed at the instant, otherwise the one that was created last. No row when none was observed by the instant; an error (SQLSTATE JL001) when the Job may have been removed because it ended before jobledger.horizon().';

create function jobs_as_of(at timestamptz) returns setof job_statuses
language sql stable parallel safe
begin atomic
  select seen.*
  from jobs
  cross join lateral job_seen(jobs.cluster, jobs.uid, $1) seen
  where requires_horizon($1)
    and jobs.first_seen_at <= $1 and (jobs.deleted_at is null or jobs.deleted_at > $1)
    and not seen.deleted;
end;
comment on function jobs_as_of(timestamptz) is
  'Status of every Job that existed at an instant, as observed by that instant; an error (SQLSTATE JL001) for an instant before jobledger.horizon().';

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
  'The CronJob with this UID as observed by an instant; no row when it was not observed by that instant.';

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
  'One CronJob as observed by an instant. If several CronJobs had the name, the one that existed at the instant, otherwise the one that was created last. No row when none was observed by the instant; an error (SQLSTATE JL001) when the CronJob may have been removed because it was deleted before jobledger.horizon().';

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
  'Every CronJob that existed at an instant, as observed by that instant; an error (SQLSTATE JL001) for an instant before jobledger.horizon().';

create function cluster_as_of(cluster text, at timestamptz) returns table (
  home text,
  namespace text,
  job_name text,
  member_name text,
  member_uid text,
  pod text,
  pod_uid text,
  completion_index integer,
  node text,
  started_at timestamptz,
  finished_at timestamptz
) language sql stable as $$
  select
    placements.cluster,
    pods.namespace,
    coalesce(placements.job_name, pods.job_name),
    pods.job_name,
    pods.job_uid,
    pods.name,
    pods.uid,
    pods.completion_index,
    pods.node,
    pods.started_at,
    pods.finished_at
  from jobledger.pods
  left join jobledger.placements
    on placements.placed_in = pods.cluster and placements.member_uid = pods.job_uid
  where pods.cluster = cluster_as_of.cluster
    and jobledger.requires_horizon(at)
    and coalesce(pods.created_at, pods.first_seen_at) <= at
    and (pods.deleted_at is null or pods.deleted_at > at)
    and (pods.finished_at is null or pods.finished_at > at)
  order by pods.namespace, pods.job_name, pods.completion_index, pods.name
$$;
comment on function cluster_as_of(text, timestamptz) is
  'The pods of Jobs that ran, or waited to run, in a cluster at an instant, with the placed Job of each; home is null for a Job that was not placed.';

-- 11. What is delivered to sinks.

create table sink_positions (
  sink text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  primary key (sink, topic, partition)
);

comment on table sink_positions is
  'The positions of each sink in the ledger: the messages about everything before next_offset were delivered, or are in sink_messages. A rebuild does not make this table from the ledger.';
comment on column sink_positions.sink is 'Name of the sink (JOBLEDGER_SINKS, JOBLEDGER_SINK_NAME).';
comment on column sink_positions.topic is 'Name of the ledger topic.';
comment on column sink_positions.partition is 'Partition of the topic.';
comment on column sink_positions.next_offset is
  'Offset of the first record that was not yet searched for messages to the sink.';

create table sink_messages (
  sink text not null,
  topic text not null,
  partition integer not null,
  kafka_offset bigint not null,
  type text not null,
  cluster text not null,
  namespace text not null,
  found_at timestamptz not null default now(),
  failure_count integer not null default 0,
  out_of_order boolean not null default false,
  due_at timestamptz not null default now(),
  primary key (sink, topic, partition, kafka_offset, type)
);
create index sink_messages_queues on sink_messages
  (sink, topic, cluster, namespace, partition, out_of_order, kafka_offset, type desc);
create index sink_messages_out_of_order on sink_messages
  (sink, topic, cluster, namespace, partition, due_at) where out_of_order;

comment on table sink_messages is
  'The messages that each sink has not received yet. The messages about a namespace in a partition are a queue. A rebuild does not make this table from the ledger.';
comment on column sink_messages.sink is 'Name of the sink (JOBLEDGER_SINKS, JOBLEDGER_SINK_NAME).';
comment on column sink_messages.topic is 'Name of the ledger topic.';
comment on column sink_messages.partition is 'Partition of the topic.';
comment on column sink_messages.kafka_offset is 'Offset of the record that the message is about.';
comment on column sink_messages.type is 'started, attempt-failed or ended, as in the type of the message.';
comment on column sink_messages.cluster is 'Name of the cluster of the Job.';
comment on column sink_messages.namespace is 'Namespace of the Job.';
comment on column sink_messages.found_at is 'Time at which the record was searched for messages to the sink.';
comment on column sink_messages.failure_count is 'Number of deliveries that the sink did not accept.';
comment on column sink_messages.out_of_order is
  'True when later messages of the queue do not wait for this one: the sink accepted one of them but not this one, or the Job of this one may turn out to be a member of a placed Job.';
comment on column sink_messages.due_at is
  'Time at which the message is delivered next; while a process delivers the message, the time from which other processes may deliver it.';

-- 12. What dashboards ask: how long each attempt held its node, for which team, and what came of it.

create table namespace_teams (
  cluster text not null,
  namespace text not null,
  teams text[] not null,
  label text not null,
  primary key (cluster, namespace)
);

comment on table namespace_teams is
  'The teams of namespaces, which the projector writes from its setting JOBLEDGER_TEAMS at its start. A namespace without a row is a team of its own.';
comment on column namespace_teams.cluster is 'Name of the cluster; * for every cluster.';
comment on column namespace_teams.namespace is 'Name of the namespace.';
comment on column namespace_teams.teams is
  'The teams of the namespace. The first team has the Jobs whose label names none of these teams.';
comment on column namespace_teams.label is 'The label of a Job that names its team (JOBLEDGER_TEAM_LABEL).';

create function team_of(teams text[], label text, labels jsonb, namespace text) returns text
language sql immutable parallel safe
return case when teams is null then namespace when labels ->> label = any (teams) then labels ->> label else teams[1] end;

comment on function team_of(text[], text, jsonb, text) is
  'The team of a Job: the team that its label names, if it is one of the teams of its namespace; otherwise the first of these teams, or the namespace without teams.';

create function resource_seconds(
  steps jsonb, resource text, last_request numeric, since timestamptz, until timestamptz
) returns numeric
language plpgsql immutable parallel safe
as $$
begin
  if since is null or last_request is null or until <= since then
    return 0;
  end if;
  if steps is null then
    return last_request * extract(epoch from until - since);
  end if;
  return (
    select coalesce(sum(each.request * extract(epoch from least(each.until, $5) - greatest(each.since, $4))), 0)
    from (
      select
        (step.value ->> resource)::numeric as request,
        lag((step.value ->> 'until')::timestamptz, 1, '-infinity') over (order by step.position) as since,
        (step.value ->> 'until')::timestamptz as until
      from jsonb_array_elements(steps) with ordinality as step(value, position)
      union all
      select last_request, (steps -> -1 ->> 'until')::timestamptz, 'infinity'
    ) each
    where least(each.until, $5) > greatest(each.since, $4)
  );
end;
$$;

comment on function resource_seconds(jsonb, text, numeric, timestamptz, timestamptz) is
  'Requests × seconds of one resource over a period: last_request, and before each resize the request that pods.request_steps has.';

create function request_periods(steps jsonb, cpu numeric, memory numeric, gpus numeric) returns table (
  since timestamptz, until timestamptz, cpu_request_cores numeric, memory_request_bytes numeric, gpu_request numeric
)
language plpgsql immutable parallel safe rows 1
as $$
#variable_conflict use_column
begin
  if steps is null then
    return query select '-infinity'::timestamptz, 'infinity'::timestamptz, $2, $3, $4;
    return;
  end if;
  return query
  select
    lag((step.value ->> 'until')::timestamptz, 1, '-infinity') over (order by step.position),
    (step.value ->> 'until')::timestamptz,
    (step.value ->> 'cpu_request_cores')::numeric,
    (step.value ->> 'memory_request_bytes')::numeric,
    (step.value ->> 'gpu_request')::numeric
  from jsonb_array_elements(steps) with ordinality as step(value, position)
  union all
  select (steps -> -1 ->> 'until')::timestamptz, 'infinity', $2, $3, $4;
end;
$$;

-- Its number of rows makes the planner read the ended pods by index, although pods may last for any number of hours.
create function hours_within(since timestamptz, until timestamptz) returns table (hour timestamptz)
language plpgsql immutable parallel safe rows 1
as $$
begin
  return query select generate_series(
    date_bin('1 hour', since, '2000-01-01 00:00Z'), until - interval '1 microsecond', interval '1 hour'
  );
end;
$$;
comment on function request_periods(jsonb, numeric, numeric, numeric) is
  'The requests of a pod by period: before each resize (pods.request_steps), and after the last one.';
comment on function hours_within(timestamptz, timestamptz) is
  'The beginnings of the hours, in UTC, that a period touches.';

create table applied_prices (
  event_id text not null,
  resource text not null,
  cluster text not null,
  valid_from timestamptz not null,
  valid_until timestamptz,
  per_hour numeric not null,
  currency text not null,
  applied_by text not null,
  applied_at timestamptz not null,
  correction boolean not null,
  primary key (event_id, resource, cluster, valid_from)
);
create index applied_prices_by_time on applied_prices (applied_at, event_id);

comment on table applied_prices is
  'The prices of every price list that a person has applied. Use the view prices, which has only the newest list.';
comment on column applied_prices.event_id is 'Id of the event with which the list was applied.';
comment on column applied_prices.resource is
  'cpu (the price of a core), memory (of a GiB), or the name of an extended resource (of one), such as nvidia.com/gpu.';
comment on column applied_prices.cluster is
  'Name of the cluster; * for every cluster that has no price of its own for the resource at the time.';
comment on column applied_prices.valid_from is 'Beginning of the period of the price, which is the beginning of an hour in UTC.';
comment on column applied_prices.valid_until is 'End of the period, which is not part of it; null for a period without end.';
comment on column applied_prices.per_hour is 'Price of an hour.';
comment on column applied_prices.currency is 'Currency of the list, as an ISO 4217 code.';
comment on column applied_prices.applied_by is 'User that applied the list.';
comment on column applied_prices.applied_at is 'Time at which the list was applied.';
comment on column applied_prices.correction is 'True when the user agreed that the list changes prices of the past.';

create view prices as
select p.*
from applied_prices p
where p.event_id = (select newest.event_id from applied_prices newest order by newest.applied_at desc, newest.event_id desc limit 1);
comment on view prices is
  'The prices of the newest price list. A price of a cluster comes before the price of every cluster (*) for the same resource and time.';
comment on column prices.event_id is 'Id of the event with which the list was applied.';
comment on column prices.resource is
  'cpu (the price of a core), memory (of a GiB), or the name of an extended resource (of one), such as nvidia.com/gpu.';
comment on column prices.cluster is 'Name of the cluster; * for every cluster that has no price of its own for the resource at the time.';
comment on column prices.valid_from is 'Beginning of the period of the price, which is the beginning of an hour in UTC.';
comment on column prices.valid_until is 'End of the period, which is not part of it; null for a period without end.';
comment on column prices.per_hour is 'Price of an hour.';
comment on column prices.currency is 'Currency of the list, as an ISO 4217 code.';
comment on column prices.applied_by is 'User that applied the list.';
comment on column prices.applied_at is 'Time at which the list was applied.';
comment on column prices.correction is 'True when the user agreed that the list changes prices of the past.';

-- Prices change at the beginning of an hour. A division by 2^30 would round the amount of memory. The functions run as
-- their owner, because a user of the view attempts may have no right to the prices.
create function hourly_price(
  cluster text, hour timestamptz, cpu_request_cores numeric, memory_request_bytes numeric, requests jsonb
) returns numeric
language plpgsql stable parallel safe security definer set search_path = jobledger, pg_temp
as $$
begin
  return (
    select sum(price.per_hour * case price.resource
      when 'cpu' then $3
      when 'memory' then $4 * 0.000000000931322574615478515625
      else coalesce(($5 ->> price.resource)::numeric, 0)
    end)
    from (
      select distinct on (p.resource) p.resource, p.per_hour
      from jobledger.prices p
      where p.cluster in ('*', $1) and p.valid_from <= $2 and (p.valid_until is null or p.valid_until > $2)
      order by p.resource, p.cluster = '*'
    ) price
  );
end;
$$;
comment on function hourly_price(text, timestamptz, numeric, numeric, jsonb) is
  'The price of the requests of a pod for one hour, by the prices that were valid in this hour. A resource without a price costs nothing; null when no resource has a price.';

create function attempt_cost(
  cluster text, requests jsonb, steps jsonb, cpu_request_cores numeric, memory_request_bytes numeric, since timestamptz,
  until timestamptz, counted_until timestamptz
) returns numeric
language plpgsql stable parallel safe security definer set search_path = jobledger, pg_temp
as $$
begin
  if $6 is null or $7 <= $6 then
    return null;
  end if;
  return (
    select sum(
      greatest(0, extract(epoch from
        least($8, each.until, hours.hour + interval '1 hour') - greatest($6, each.since, hours.hour)))
      * jobledger.hourly_price($1, hours.hour, each.cpu_request_cores, each.memory_request_bytes, $2)
    ) / 3600
    from jobledger.request_periods($3, $4, $5, 0) each
    cross join jobledger.hours_within(greatest($6, each.since), least($7, each.until)) hours
  );
end;
$$;
comment on function attempt_cost(text, jsonb, jsonb, numeric, numeric, timestamptz, timestamptz, timestamptz) is
  'The cost of the requests of a pod over a period, as far as counted_until, with the requests before each resize (pods.request_steps) and the prices of each hour. Null for an empty period, and when no resource has a price.';

-- Whether another pod of an index succeeded before, whatever number of pods the Job has.
create index pods_succeeded_of_index
  on pods (cluster, job_uid, completion_index) where phase = 'Succeeded' and completion_index is not null;

-- The placed Job of a member is found by a lateral query, which costs nothing for other Jobs.
create function ending_reason(conditions jsonb) returns text
language sql immutable parallel safe
return jsonb_path_query_first(
  conditions,
  '$[*] ? ((@.type == "Failed" || @.type == "FailureTarget" || @.type == "SuccessCriteriaMet") && @.status == "True").reason'
) #>> '{}';
comment on function ending_reason(jsonb) is
  'The reason of the condition with which a Job ends or has ended; null without such a condition.';

create table node_versions (
  event_id text primary key,
  cluster text not null,
  node_uid text not null,
  node text not null,
  since timestamptz not null,
  deleted boolean not null,
  instance_type text,
  region text,
  zone text,
  capacity_type text,
  gpu_product text,
  cpu_cores numeric,
  memory_bytes numeric,
  gpus numeric,
  capacity jsonb not null
);
create index node_versions_by_name on node_versions (cluster, node, since desc);

comment on table node_versions is
  'The facts of each node from an instant on, and its deletion, if the ingester may read nodes. Heartbeats are no versions.';
comment on column node_versions.event_id is 'Id of the event.';
comment on column node_versions.cluster is 'Name of the cluster.';
comment on column node_versions.node_uid is 'UID of the node.';
comment on column node_versions.node is 'Name of the node.';
comment on column node_versions.since is
  'Time from which the facts hold: the creation of the node, or the observation of the change or of the deletion.';
comment on column node_versions.deleted is 'True for the deletion of the node.';
comment on column node_versions.instance_type is 'The label node.kubernetes.io/instance-type.';
comment on column node_versions.region is 'The label topology.kubernetes.io/region.';
comment on column node_versions.zone is 'The label topology.kubernetes.io/zone.';
comment on column node_versions.capacity_type is
  'spot or on-demand, from the label of Karpenter, EKS, AKS or GKE; null without such a label.';
comment on column node_versions.gpu_product is 'Product of the GPUs, from the label of their vendor, such as nvidia.com/gpu.product.';
comment on column node_versions.cpu_cores is 'status.capacity of CPU, in cores.';
comment on column node_versions.memory_bytes is 'status.capacity of memory, in bytes.';
comment on column node_versions.gpus is 'Number of whole GPUs: the sum of the extended resources that end in /gpu.';
comment on column node_versions.capacity is 'status.capacity of CPU, memory and up to 20 extended resources, by resource.';

create view nodes as
select
  v.cluster, v.node, v.node_uid, v.since, v.instance_type, v.region, v.zone, v.capacity_type, v.gpu_product,
  v.cpu_cores, v.memory_bytes, v.gpus, v.capacity
from (
  select distinct on (all_versions.cluster, all_versions.node_uid) all_versions.*
  from node_versions all_versions
  order by all_versions.cluster, all_versions.node_uid, all_versions.deleted desc, all_versions.since desc, all_versions.event_id desc
) v
where not v.deleted;
comment on view nodes is 'The nodes that exist now, with their present facts.';
comment on column nodes.cluster is 'Name of the cluster.';
comment on column nodes.node is 'Name of the node.';
comment on column nodes.node_uid is 'UID of the node.';
comment on column nodes.since is 'Time from which these facts hold.';
comment on column nodes.instance_type is 'The label node.kubernetes.io/instance-type.';
comment on column nodes.region is 'The label topology.kubernetes.io/region.';
comment on column nodes.zone is 'The label topology.kubernetes.io/zone.';
comment on column nodes.capacity_type is 'spot or on-demand, from the label of Karpenter, EKS, AKS or GKE; null without such a label.';
comment on column nodes.gpu_product is 'Product of the GPUs, from the label of their vendor.';
comment on column nodes.cpu_cores is 'status.capacity of CPU, in cores.';
comment on column nodes.memory_bytes is 'status.capacity of memory, in bytes.';
comment on column nodes.gpus is 'Number of whole GPUs.';
comment on column nodes.capacity is 'status.capacity of CPU, memory and up to 20 extended resources, by resource.';

-- The function runs as its owner, because a user of the view attempts may have no right to the clusters.
create function open_pods_counted_until(cluster text) returns timestamptz
language plpgsql stable parallel safe security definer set search_path = jobledger, pg_temp
as $$
begin
  return date_trunc('second', coalesce((select c.detached_at from jobledger.clusters c where c.name = $1), now()));
end;
$$;
comment on function open_pods_counted_until(text) is
  'The instant until which the pods of a cluster that hold their nodes are counted, in whole seconds: now, or the detachment of the cluster.';

create function open_pods_seen_until(cluster text) returns timestamptz
language plpgsql stable parallel safe security definer set search_path = jobledger, pg_temp
as $$
declare
  received timestamptz := (select w.pods_received_at from jobledger.cluster_watches w where w.cluster = $1);
begin
  return least(
    jobledger.open_pods_counted_until($1),
    case when received < now() - interval '5 minutes' then date_trunc('second', received) end
  );
end;
$$;
comment on function open_pods_seen_until(text) is
  'The instant until which the pods of a cluster that hold their nodes certainly existed: as open_pods_counted_until, but not after the pods were last received, if that is more than five minutes ago.';

-- The columns about the node are subqueries, which cost nothing in a query that does not select them.
create view attempts as
select
  p.cluster,
  j.namespace,
  p.job_uid,
  j.name as job_name,
  coalesce(home.cluster, p.cluster) as home,
  coalesce(home.uid, p.job_uid) as home_job_uid,
  team_of(t.teams, t.label, coalesce(home.labels, j.labels), j.namespace) as team,
  coalesce(home.series, j.series) as series,
  p.uid as pod_uid,
  p.name as pod,
  p.completion_index,
  p.node,
  (
    select v.instance_type from node_versions v
    where v.cluster = p.cluster and v.node = p.node and v.since <= p.bound_at
    order by v.since desc, v.deleted, v.event_id desc
    limit 1
  ) as node_instance_type,
  (
    select v.zone from node_versions v
    where v.cluster = p.cluster and v.node = p.node and v.since <= p.bound_at
    order by v.since desc, v.deleted, v.event_id desc
    limit 1
  ) as node_zone,
  (
    select v.capacity_type from node_versions v
    where v.cluster = p.cluster and v.node = p.node and v.since <= p.bound_at
    order by v.since desc, v.deleted, v.event_id desc
    limit 1
  ) as node_capacity_type,
  (
    select v.gpu_product from node_versions v
    where v.cluster = p.cluster and v.node = p.node and v.since <= p.bound_at
    order by v.since desc, v.deleted, v.event_id desc
    limit 1
  ) as node_gpu_product,
  p.image,
  p.image_digest,
  p.cpu_request_cores,
  p.memory_request_bytes,
  p.gpu_request,
  p.requests,
  p.request_steps,
  p.created_at,
  p.bound_at as held_from,
  p.held_until,
  nullif(seen.until_at_least, seen.until) as held_until_at_least,
  greatest(0, coalesce(extract(epoch from seen.until - p.bound_at), 0))::bigint as held_seconds,
  greatest(0, coalesce(extract(epoch from seen.until_at_least - p.bound_at), 0))::bigint as held_seconds_at_least,
  resource_seconds(p.request_steps, 'cpu_request_cores', p.cpu_request_cores, p.bound_at, seen.until) / 3600 as cpu_core_hours,
  resource_seconds(p.request_steps, 'memory_request_bytes', p.memory_request_bytes, p.bound_at, seen.until)
    / (3600 * 2 ^ 30::numeric) as memory_gib_hours,
  resource_seconds(p.request_steps, 'gpu_request', p.gpu_request, p.bound_at, seen.until) / 3600 as gpu_hours,
  resource_seconds(p.request_steps, 'cpu_request_cores', p.cpu_request_cores, p.bound_at, seen.until_at_least) / 3600 as cpu_core_hours_at_least,
  resource_seconds(p.request_steps, 'memory_request_bytes', p.memory_request_bytes, p.bound_at, seen.until_at_least)
    / (3600 * 2 ^ 30::numeric) as memory_gib_hours_at_least,
  resource_seconds(p.request_steps, 'gpu_request', p.gpu_request, p.bound_at, seen.until_at_least) / 3600 as gpu_hours_at_least,
  attempt_cost(p.cluster, p.requests, p.request_steps, p.cpu_request_cores, p.memory_request_bytes, p.bound_at, seen.until,
    seen.until) as cost,
  attempt_cost(p.cluster, p.requests, p.request_steps, p.cpu_request_cores, p.memory_request_bytes, p.bound_at, seen.until,
    seen.until_at_least) as cost_at_least,
  p.first_container_started_at as ran_from,
  seen.ran_until,
  greatest(0, coalesce(extract(epoch from coalesce(seen.ran_until, seen.until) - p.first_container_started_at), 0))::bigint
    as ran_seconds,
  greatest(0, coalesce(extract(epoch from coalesce(seen.ran_until, seen.until_at_least) - p.first_container_started_at), 0))::bigint
    as ran_seconds_at_least,
  coalesce(p.held_until < p.bound_at, false)::integer
    + coalesce(seen.ran_until < p.first_container_started_at, false)::integer as negative_spans,
  p.restarts,
  p.exit_code,
  p.end_cause,
  nullif(split_part(waste.text, '/', 1), '') as wasted_by,
  nullif(split_part(waste.text, '/', 2), '') as waste_cause,
  coalesce(p.deletion_decision, p.count_decision) as decision,
  p.end_event_id
from pods p
join jobs j on j.cluster = p.cluster and j.uid = p.job_uid
left join lateral (
  select placed.cluster, placed.job_uid as uid, of_home.series, of_home.labels, of_home.conditions,
    placed.stopping, placed.overlapped, placed.ended_at
  from placements placed
  left join jobs of_home on of_home.cluster = placed.cluster and of_home.uid = placed.job_uid
  where j.member and placed.placed_in = j.cluster and placed.member_uid = j.uid
  order by placed.grant_number desc
  limit 1
) home on true
left join namespace_teams t on t.namespace = j.namespace and t.cluster in ('*', coalesce(home.cluster, p.cluster))
-- A pod that holds its node now is counted until now. Nothing is missed before a gap, so a pod whose
-- deletion was not seen existed until the last gap before its deletion was recorded.
cross join lateral (
  select
    coalesce(p.held_until, open_pods_counted_until(p.cluster)) as until,
    case
      when p.held_until_at_least is null then coalesce(p.held_until, open_pods_seen_until(p.cluster))
      else (
        select date_trunc('second', greatest(p.held_until_at_least, max(g.since)))
        from gaps g
        where g.cluster = p.cluster and g.resource in ('pods', 'all')
          and (g.namespace is null or g.namespace = j.namespace) and g.since < p.held_until
      )
    end as until_at_least,
    case when p.held_until is not null then p.last_container_ended_at end as ran_until
) seen
cross join lateral (
  select case
    when p.held_until is null then null
    when home.overlapped and p.held_until > home.ended_at then 'Jobledger/Overlap'
    when p.phase = 'Succeeded' then case
      when p.completion_index is null then null
      when exists (
        select from pods other
        where other.cluster = p.cluster and other.job_uid = p.job_uid and other.completion_index = p.completion_index
          and other.phase = 'Succeeded' and (other.held_until, other.uid) < (p.held_until, p.uid)
      ) or j.member and exists (
        select from placements also
        join pods other on other.cluster = also.placed_in and other.job_uid = also.member_uid
          and other.completion_index = p.completion_index and other.phase = 'Succeeded'
        where also.cluster = home.cluster and also.job_uid = home.uid
          and (also.placed_in, also.member_uid) <> (p.cluster, p.job_uid)
          and (other.held_until, other.uid) < (p.held_until, p.uid)
      ) then 'repetition/DoneAgain'
    end
    when p.first_container_started_at is null
      and p.reason in ('ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName', 'ImageInspectError',
        'RegistryUnavailable') then 'platform/ImageNotPulled'
    when p.end_cause in ('NotObserved', 'NeverObserved') then 'unknown/NotObserved'
    when p.end_cause = 'Evicted' and p.reason = 'Evicted' then 'platform/Evicted'
    when p.end_cause = 'Evicted' then 'operator/Drained'
    when p.end_cause = 'PreemptionByScheduler' then 'platform/Preempted'
    when p.end_cause in ('DeletionByTaintManager', 'DeletionByPodGC', 'TerminationByKubelet', 'NodeLost', 'NodeShutdown',
      'Terminated', 'Disrupted') then 'platform/NodeLost'
    when p.end_cause in ('DeletedByJobledger', 'Deleted', 'DeletedWithJob') then case
      when home.stopping = 'drain' then 'operator/Drained'
      when home.stopping is not null and home.stopping <> 'end' then 'Jobledger/Moved'
      when p.end_cause = 'DeletedWithJob' then 'operator/JobDeleted'
      when p.deletion_rule = 'J-6.41' then 'operator/Suspended'
      when p.deletion_rule in ('J-5.12', 'J-5.30') then case
        when exists (
          select from decisions d
          where d.cluster = p.cluster and d.job_uid = p.job_uid and d.id = p.creation_decision and d.superseded
        ) then 'Jobledger/Superseded'
        when p.deletion_rule = 'J-5.30' then 'repetition/IndexNotMissing'
        else 'operator/ScaledDown'
      end
      when p.deletion_rule = 'J-6.5' then 'policy/DeadlineExceeded'
      when p.deletion_rule = 'J-6.10' then 'policy/PodFailurePolicy'
      when p.deletion_rule = 'J-6.31' then 'policy/SuccessPolicy'
      when p.end_cause = 'DeletedByJobledger' or not j.claimed and ending.reason is not null
        then 'policy/' || coalesce(ending.reason, 'JobEnded')
      else 'operator/PodDeleted'
    end
    when p.end_cause = 'DeadlineExceeded' then 'policy/DeadlineExceeded'
    when p.end_cause = 'OOMKilled' then 'program/OOMKilled'
    when p.exit_code <> 0 then 'program/ExitCode'
    else 'platform/NoExitCode'
  end as text
  from (select ending_reason(coalesce(home.conditions, j.conditions)) as reason) ending
) waste;
comment on view attempts is
  'Every attempt (a pod) with the time for which it held its node and ran, its requests over that time, its team, and the cause if its time was of no use. Times are half-open and in whole seconds.';
comment on column attempts.cluster is 'Name of the cluster in which the pod ran.';
comment on column attempts.namespace is 'Namespace of the Job.';
comment on column attempts.job_uid is 'UID of the Job of the pod, in the cluster in which the pod ran.';
comment on column attempts.job_name is 'Name of the Job of the pod.';
comment on column attempts.home is
  'Name of the cluster of the Job as its author created it: for a placed Job its home, for other Jobs the cluster of the pod.';
comment on column attempts.home_job_uid is 'UID of the Job in home, which is the UID in job_runs.';
comment on column attempts.team is 'Team of the Job by namespace_teams; for a placed Job, the team of its home.';
comment on column attempts.series is 'Name that the runs of the Job share, as in jobs.series.';
comment on column attempts.pod_uid is 'UID of the pod.';
comment on column attempts.pod is 'Name of the pod.';
comment on column attempts.completion_index is 'Completion index; null for NonIndexed Jobs.';
comment on column attempts.node is 'Name of the node.';
comment on column attempts.node_instance_type is
  'The label node.kubernetes.io/instance-type of the node when the pod was bound; null where nodes are not recorded.';
comment on column attempts.node_zone is 'The label topology.kubernetes.io/zone of the node.';
comment on column attempts.node_capacity_type is 'spot or on-demand, as in node_versions.';
comment on column attempts.node_gpu_product is 'Product of the GPUs of the node, as in node_versions.';
comment on column attempts.image is 'Image of the first container of the pod.';
comment on column attempts.image_digest is 'Digest of that image, sha256:…; null when it is not known.';
comment on column attempts.cpu_request_cores is 'CPU that the pod requests at the end, in cores, as in pods.';
comment on column attempts.memory_request_bytes is 'Memory that the pod requests at the end, in bytes, as in pods.';
comment on column attempts.gpu_request is 'Whole GPUs that the pod requests at the end, as in pods.';
comment on column attempts.requests is 'All amounts that the pod requests at the end, by resource, as in pods.';
comment on column attempts.request_steps is 'The requests before each resize in place, as in pods.';
comment on column attempts.created_at is 'Time at which the pod was created.';
comment on column attempts.held_from is 'Time at which the pod was bound to its node (pods.bound_at); null when it never was.';
comment on column attempts.held_until is
  'Time until which the pod held its node (pods.held_until): exact, or the latest possible time. Null while the pod holds a node or waits for one.';
comment on column attempts.held_until_at_least is
  'The earliest possible time until which the pod held its node, when nobody saw its end: the last observation of the pod, or the beginning of the last gap before its deletion was recorded. For a pod that holds its node in a cluster whose pods were last received more than five minutes ago, that time. Null when held_until is exact.';
comment on column attempts.held_seconds is 'Whole seconds from held_from to held_until; until now for a pod that holds its node.';
comment on column attempts.held_seconds_at_least is
  'Whole seconds from held_from to the earliest possible end; equal to held_seconds when the end is exact.';
comment on column attempts.cpu_core_hours is 'Requested CPU × held time, in core-hours, exact over resizes.';
comment on column attempts.memory_gib_hours is 'Requested memory × held time, in GiB-hours, exact over resizes.';
comment on column attempts.gpu_hours is 'Requested GPUs × held time, in hours, exact over resizes.';
comment on column attempts.cpu_core_hours_at_least is 'As cpu_core_hours, until the earliest possible end.';
comment on column attempts.memory_gib_hours_at_least is 'As memory_gib_hours, until the earliest possible end.';
comment on column attempts.gpu_hours_at_least is 'As gpu_hours, until the earliest possible end.';
comment on column attempts.cost is
  'Requests × held time × the prices of each hour (prices), in their currency. A resource without a price costs nothing; null when no resource had a price, and for a pod that held no node.';
comment on column attempts.cost_at_least is 'As cost, until the earliest possible end.';
comment on column attempts.ran_from is
  'Time at which the first container of the pod started, init containers included, by the clock of the node.';
comment on column attempts.ran_until is
  'Time at which the last container of the pod ended, by the clock of the node; null while the pod may run, and when nobody saw this end.';
comment on column attempts.ran_seconds is
  'Whole seconds from ran_from to ran_until, restarts included; until held_until when nobody saw the end, and until now for a pod that runs.';
comment on column attempts.ran_seconds_at_least is 'As ran_seconds, until the earliest possible end.';
comment on column attempts.negative_spans is
  'How many of the two spans, held and ran, end before they begin because two clocks differ. Such a span counts as 0 seconds.';
comment on column attempts.restarts is 'Number of restarts of all containers of the pod.';
comment on column attempts.exit_code is 'First non-zero exit code of the containers, as in pods.';
comment on column attempts.end_cause is 'Cause of the end of the pod as a code, as in pods.';
comment on column attempts.wasted_by is
  'Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown. Null for a pod that succeeded, and until the pod ends.';
comment on column attempts.waste_cause is
  'The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.';
comment on column attempts.decision is
  'Id of the decision that shows the cause: the first decision to delete the pod, otherwise the newest decision that counts it.';
comment on column attempts.end_event_id is 'Id of the first event that showed the end of the pod.';

create view job_runs as
select
  j.cluster,
  j.namespace,
  j.uid as job_uid,
  j.name as job_name,
  team_of(t.teams, t.label, j.labels, j.namespace) as team,
  j.series,
  j.owner_kind,
  j.owner_name,
  j.status,
  j.scheduled_at,
  j.created_at,
  runs.first_container_started_at,
  greatest(runs.first_container_started_at - j.created_at, interval '0') as waited,
  j.finished_at,
  j.finished_at - j.created_at as took,
  j.deleted_at,
  runs.attempts,
  j.failed as failed_attempts,
  case when j.status = 'Failed' then coalesce(
    substring(j.reason from '^(.*?) ×[0-9]+'), j.reason, 'unknown'
  ) end as cause,
  case when j.status = 'Failed' then j.reason end as reason,
  runs.placed_in
from jobs j
left join namespace_teams t on t.namespace = j.namespace and t.cluster in ('*', j.cluster)
cross join lateral (
  select j.first_container_started_at, j.attempt_count as attempts, j.cluster as placed_in
  where j.managed_by is distinct from 'jobledger.dev/placement'
  union all
  select min(m.first_container_started_at), coalesce(sum(m.attempt_count), 0)::integer,
    string_agg(distinct p.placed_in, ', ' order by p.placed_in)
  from placements p
  left join jobs m on m.cluster = p.placed_in and m.uid = p.member_uid
  where p.cluster = j.cluster and p.job_uid = j.uid and j.managed_by = 'jobledger.dev/placement'
  having j.managed_by = 'jobledger.dev/placement'
) runs
where not j.member;
comment on view job_runs is
  'Every Job once, in the words of an analyst: its team and series, its wait, its end and its cause. A placed Job has one row, and its members have none.';
comment on column job_runs.cluster is 'Name of the cluster; for a placed Job, its home.';
comment on column job_runs.namespace is 'Namespace of the Job.';
comment on column job_runs.job_uid is 'UID of the Job.';
comment on column job_runs.job_name is 'Name of the Job.';
comment on column job_runs.team is 'Team of the Job by namespace_teams.';
comment on column job_runs.series is 'Name that the runs of a series share, as in jobs.';
comment on column job_runs.owner_kind is 'Kind of the object that controls the Job, such as CronJob.';
comment on column job_runs.owner_name is 'Name of the object that controls the Job.';
comment on column job_runs.status is 'Status of the Job, as in jobs.';
comment on column job_runs.scheduled_at is 'The time of the schedule for which a CronJob created the Job.';
comment on column job_runs.created_at is 'Time at which the Job was created.';
comment on column job_runs.first_container_started_at is
  'Time at which the first container of a pod of the Job started; for a placed Job, of a pod of its members.';
comment on column job_runs.waited is
  'Time from the creation of the Job until then, the wait of the author of the Job; a negative difference of the clocks counts as 0. Null while no container has started.';
comment on column job_runs.finished_at is 'Time at which the Job finished.';
comment on column job_runs.took is 'Time from the creation of the Job to its end.';
comment on column job_runs.deleted_at is 'Time at which the deletion of the Job was recorded.';
comment on column job_runs.attempts is 'Number of pods of the Job, deleted pods included; for a placed Job, of its members.';
comment on column job_runs.failed_attempts is 'Number of failed pods that the status of the Job counts.';
comment on column job_runs.cause is
  'The most frequent cause of failed pods of a failed Job, without numbers, such as exit code 3 or 137 OOMKilled; the reason of the end for a Job without failed pods.';
comment on column job_runs.reason is 'Reason why a failed Job failed, as in jobs.';
comment on column job_runs.placed_in is
  'The cluster in which the Job ran; for a placed Job all its clusters, separated by commas.';

create view obstacles as
select
  e.cluster,
  e.namespace,
  e.job_uid,
  e.job_name,
  team_of(t.teams, t.label, j.labels, e.namespace) as team,
  j.series,
  e.kind,
  e.uid,
  e.name,
  e.reason,
  e.reported_by,
  e.note,
  e.related_namespace,
  e.related_name,
  e.texts,
  e.since as first_at,
  e.last_at,
  case
    when e.kind = 'Job' then least(j.finished_at, j.deleted_at)
    when e.reason in ('FailedScheduling', 'TriggeredScaleUp', 'NotTriggerScaleUp')
      then coalesce(p.bound_at, p.started_at, p.finished_at, p.deleted_at)
    when e.reason in ('FailedMount', 'FailedAttachVolume', 'FailedMapVolume', 'FailedCreatePodSandBox', 'NetworkNotReady', 'Failed')
      then coalesce(p.first_container_started_at, p.finished_at, p.deleted_at)
    else least(p.finished_at, p.deleted_at)
  end as solved_at
from (
  select distinct on (k.cluster, k.job_uid, k.uid, k.reason)
    k.*,
    count(*) over (partition by k.cluster, k.job_uid, k.uid, k.reason)::integer as texts,
    min(k.first_at) over (partition by k.cluster, k.job_uid, k.uid, k.reason) as since
  from kubernetes_events k
  order by k.cluster, k.job_uid, k.uid, k.reason, k.recorded_at desc, k.event_id desc
) e
left join jobs j on j.cluster = e.cluster and j.uid = e.job_uid
left join pods p on p.cluster = e.cluster and p.job_uid = e.job_uid and p.uid = e.uid
left join namespace_teams t on t.namespace = e.namespace and t.cluster in ('*', e.cluster);
comment on view obstacles is
  'What other programs reported to stand in the way of a Job or of one of its pods, in the words of an analyst: one row for each object and reason, with the newest text.';
comment on column obstacles.cluster is 'Name of the cluster.';
comment on column obstacles.namespace is 'Namespace of the Job or pod.';
comment on column obstacles.job_uid is 'UID of the Job.';
comment on column obstacles.job_name is 'Name of the Job.';
comment on column obstacles.team is 'Team of the Job by namespace_teams.';
comment on column obstacles.series is 'Name that the runs of a series share, as in jobs.';
comment on column obstacles.kind is 'The kind of the object: Job or Pod.';
comment on column obstacles.uid is 'UID of the Job or pod.';
comment on column obstacles.name is 'Name of the Job or pod.';
comment on column obstacles.reason is 'The reason, such as FailedScheduling.';
comment on column obstacles.reported_by is 'The program that reported it, as in kubernetes_events.';
comment on column obstacles.note is 'The newest text, as in kubernetes_events.';
comment on column obstacles.related_namespace is 'Namespace of a further object that the newest Event names.';
comment on column obstacles.related_name is
  'Name of a further object that the newest Event names, such as the pod for which this pod was preempted.';
comment on column obstacles.texts is 'Number of different texts with the reason that are recorded about the object.';
comment on column obstacles.first_at is 'Time of the first report, by the clock of the program.';
comment on column obstacles.last_at is 'Time of the latest recorded report, by the clock of the program.';
comment on column obstacles.solved_at is
  'Time at which the obstacle was passed: the pod was bound to a node, its first container started, or the pod or Job ended, depending on the reason. Null while it may stand in the way.';

create view waiting_now as
select
  j.cluster,
  j.namespace,
  j.uid as job_uid,
  j.name as job_name,
  team_of(t.teams, t.label, j.labels, j.namespace) as team,
  j.series,
  j.status,
  j.waiting_for,
  since.at as waiting_since,
  j.waiting_until,
  greatest(now() - since.at, interval '0') as waited
from jobs j
left join namespace_teams t on t.namespace = j.namespace and t.cluster in ('*', j.cluster)
cross join lateral (
  select coalesce(j.waiting_since, (
      select c.last_transition_time
      from conditions c
      where c.cluster = j.cluster and c.job_uid = j.uid and c.type = 'Suspended'
        and j.conditions @> '[{"type": "Suspended", "status": "True"}]'
      order by c.resource_version desc, c.event_id desc
      limit 1
    ), (
      select min(p.created_at)
      from pods p
      where p.cluster = j.cluster and p.job_uid = j.uid and p.phase = 'Pending' and p.deleted_at is null
    ), j.created_at, j.first_seen_at) as at
) since
where j.waiting_for is not null and j.finished_at is null and j.deleted_at is null and not j.member;
comment on view waiting_now is
  'The Jobs that wait now, with the reason and the time since when. Finished and deleted Jobs wait for nothing.';
comment on column waiting_now.cluster is 'Name of the cluster; for a placed Job, its home.';
comment on column waiting_now.namespace is 'Namespace of the Job.';
comment on column waiting_now.job_uid is 'UID of the Job.';
comment on column waiting_now.job_name is 'Name of the Job.';
comment on column waiting_now.team is 'Team of the Job by namespace_teams.';
comment on column waiting_now.series is 'Name that the runs of a series share, as in jobs.';
comment on column waiting_now.status is 'Status of the Job, as in jobs.';
comment on column waiting_now.waiting_for is 'Reason why the Job waits, as in jobs.';
comment on column waiting_now.waiting_since is
  'Beginning of the wait: of the wait that Jobledger decided, of the suspension, or of the oldest pod that has not started; otherwise the creation of the Job.';
comment on column waiting_now.waiting_until is 'End of the wait; null when it is not known.';
comment on column waiting_now.waited is 'Time from waiting_since to now.';

create index jobs_by_start on jobs (cluster, namespace, owner_name, scheduled_at) where scheduled_at is not null;

create table missed_starts (
  cluster text not null,
  cron_job_uid text not null,
  namespace text not null,
  cron_job_name text not null,
  scheduled_at timestamptz not null,
  primary key (cluster, cron_job_uid, scheduled_at)
);

comment on table missed_starts is
  'The times of CronJobs for which no Job existed ten minutes later, at most 100 a day for each CronJob. Use the view cron_runs, which leaves out the times for which a Job came later, and those in gaps.';
comment on column missed_starts.cluster is 'Name of the cluster.';
comment on column missed_starts.cron_job_uid is 'UID of the CronJob.';
comment on column missed_starts.namespace is 'Namespace of the CronJob.';
comment on column missed_starts.cron_job_name is 'Name of the CronJob.';
comment on column missed_starts.scheduled_at is 'The time of the schedule.';

create table missed_starts_counted (
  cluster text primary key,
  counted_until timestamptz not null
);

comment on table missed_starts_counted is
  'How far missed_starts is complete. The projector continues there; without a row it begins at the first observed CronJob.';
comment on column missed_starts_counted.cluster is 'Name of the cluster.';
comment on column missed_starts_counted.counted_until is 'The instant up to which the times of schedules were compared with Jobs.';

create view cron_runs as
select
  j.cluster,
  j.namespace,
  j.owner_name as cron_job_name,
  team_of(t.teams, t.label, j.labels, j.namespace) as team,
  j.scheduled_at,
  j.uid as job_uid,
  j.name as job_name,
  j.created_at,
  j.created_at - j.scheduled_at as late_by,
  j.first_container_started_at as started_at,
  j.finished_at,
  j.status,
  false as missed,
  null::text as missed_because
from jobs j
left join namespace_teams t on t.namespace = j.namespace and t.cluster in ('*', j.cluster)
where j.owner_kind = 'CronJob' and j.scheduled_at is not null and not j.member
union all
select
  m.cluster,
  m.namespace,
  m.cron_job_name,
  team_of(t.teams, t.label, c.labels, m.namespace),
  m.scheduled_at,
  null, null, null, null, null, null, null,
  true,
  case
    when v.concurrency_policy = 'Forbid' and exists (
      select from jobs active
      where active.cluster = m.cluster and active.namespace = m.namespace and active.owner_kind = 'CronJob'
        and active.owner_name = m.cron_job_name and active.scheduled_at < m.scheduled_at
        and coalesce(active.finished_at, active.deleted_at, 'infinity') > m.scheduled_at
    ) then 'JobActive'
  end
from missed_starts m
join cron_jobs c on c.cluster = m.cluster and c.uid = m.cron_job_uid
left join namespace_teams t on t.namespace = m.namespace and t.cluster in ('*', m.cluster)
left join lateral (
  select seen.concurrency_policy
  from cron_job_versions seen
  where seen.cluster = m.cluster and seen.uid = m.cron_job_uid and seen.seen_at <= m.scheduled_at
  order by seen.resource_version desc, seen.deleted desc
  limit 1
) v on true
where not exists (
    select from jobs started
    where started.cluster = m.cluster and started.namespace = m.namespace and started.owner_name = m.cron_job_name
      and started.scheduled_at = m.scheduled_at
  )
  and not exists (
    select from gaps g
    where g.cluster = m.cluster and g.resource in ('jobs', 'cronjobs', 'all') and (g.namespace is null or g.namespace = m.namespace)
      and g.since <= m.scheduled_at + interval '10 minutes' and g.until >= m.scheduled_at
  );
comment on view cron_runs is
  'The starts of all CronJobs, also of those that another controller controls: a row for each Job of a CronJob, and for each time of its schedule for which no Job was observed.';
comment on column cron_runs.cluster is 'Name of the cluster.';
comment on column cron_runs.namespace is 'Namespace of the CronJob.';
comment on column cron_runs.cron_job_name is 'Name of the CronJob.';
comment on column cron_runs.team is 'Team of the Job by namespace_teams; for a missed start by the labels of the CronJob.';
comment on column cron_runs.scheduled_at is
  'The time of the schedule. Of a Job as its annotation batch.kubernetes.io/cronjob-scheduled-timestamp; of a missed start as inferred from the schedule.';
comment on column cron_runs.job_uid is 'UID of the Job; null for a missed start.';
comment on column cron_runs.job_name is 'Name of the Job; null for a missed start.';
comment on column cron_runs.created_at is 'Time at which the Job was created; null for a missed start.';
comment on column cron_runs.late_by is 'Time from scheduled_at to the creation of the Job; null for a missed start.';
comment on column cron_runs.started_at is 'Time at which a container of the Job first ran.';
comment on column cron_runs.finished_at is 'Time at which the Job finished.';
comment on column cron_runs.status is 'Status of the Job, as in jobs; null for a missed start.';
comment on column cron_runs.missed is
  'True for a start that is inferred: the schedule had this time, the CronJob was not suspended, and no Job was observed. UTC is assumed for a CronJob without a time zone. Times of @every and times in gaps are left out, and after 100 missed starts of a CronJob in a day (UTC) the others of that day.';
comment on column cron_runs.missed_because is
  'JobActive if an earlier Job of the CronJob was active and the policy was Forbid; otherwise null, because the reason is not recorded. For a CronJob that Jobledger controls, jobledger why has the reason.';

create index pods_by_hold on pods (held_until) where held_until is not null;
create index pods_open on pods (cluster, job_uid) where held_until is null;

create view attempt_periods as
select
  a.cluster,
  a.namespace,
  a.team,
  a.series,
  a.job_uid,
  a.home,
  a.home_job_uid,
  a.pod_uid,
  a.held_until,
  greatest(a.held_from, each.since) as since,
  least(coalesce(a.held_until, open_pods_counted_until(a.cluster)), each.until) as until,
  least(coalesce(a.held_until_at_least, a.held_until, open_pods_counted_until(a.cluster)), each.until) as until_at_least,
  each.cpu_request_cores,
  each.memory_request_bytes,
  each.gpu_request,
  a.requests,
  a.wasted_by,
  a.waste_cause
from attempts a
cross join lateral request_periods(a.request_steps, a.cpu_request_cores, a.memory_request_bytes, a.gpu_request) each
where a.held_from is not null
  and greatest(a.held_from, each.since) < least(coalesce(a.held_until, open_pods_counted_until(a.cluster)), each.until);
comment on view attempt_periods is
  'The periods for which attempts held a node with the same requests: one row for an attempt that was not resized. An attempt that was never bound to a node has no row.';
comment on column attempt_periods.cluster is 'Name of the cluster in which the pod ran.';
comment on column attempt_periods.namespace is 'Namespace of the Job.';
comment on column attempt_periods.team is 'Team of the Job by namespace_teams; for a placed Job, the team of its home.';
comment on column attempt_periods.series is 'Name that the runs of the Job share, as in jobs.series.';
comment on column attempt_periods.job_uid is 'UID of the Job of the pod, in the cluster in which the pod ran.';
comment on column attempt_periods.home is
  'Name of the cluster of the Job as its author created it: for a placed Job its home, for other Jobs the cluster of the pod.';
comment on column attempt_periods.home_job_uid is 'UID of the Job in home, which is the UID in job_runs.';
comment on column attempt_periods.pod_uid is 'UID of the pod.';
comment on column attempt_periods.held_until is
  'Time until which the pod held its node (pods.held_until): exact, or the latest possible time. Null while the pod holds a node or waits for one.';
comment on column attempt_periods.since is 'Beginning of the period.';
comment on column attempt_periods.until is
  'End of the period, which is not part of it: the next resize or the end of the pod, and now for a pod that holds its node.';
comment on column attempt_periods.until_at_least is
  'The earliest possible end of the period; before since when the whole period is uncertain.';
comment on column attempt_periods.cpu_request_cores is 'CPU that the pod requested in the period, in cores.';
comment on column attempt_periods.memory_request_bytes is 'Memory that the pod requested in the period, in bytes.';
comment on column attempt_periods.gpu_request is 'Whole GPUs that the pod requested in the period.';
comment on column attempt_periods.requests is
  'All amounts that the pod requests at the end, by resource. Only CPU and memory can change before.';
comment on column attempt_periods.wasted_by is
  'Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown. Null for a pod that succeeded, and until the pod ends.';
comment on column attempt_periods.waste_cause is
  'The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.';

create view attempt_hours as
select
  a.cluster,
  a.namespace,
  a.team,
  a.series,
  a.wasted_by,
  a.waste_cause,
  hours.hour,
  a.held_until,
  seconds.held,
  seconds.held_at_least,
  a.cpu_request_cores,
  a.memory_request_bytes,
  a.gpu_request,
  a.requests,
  seconds.held * hourly_price(a.cluster, hours.hour, a.cpu_request_cores, a.memory_request_bytes, a.requests) as cost_seconds,
  seconds.held_at_least * hourly_price(a.cluster, hours.hour, a.cpu_request_cores, a.memory_request_bytes, a.requests)
    as cost_seconds_at_least
from attempt_periods a
cross join lateral hours_within(a.since, a.until) hours
cross join lateral (
  select
    extract(epoch from least(a.until, hours.hour + interval '1 hour') - greatest(a.since, hours.hour)) as held,
    greatest(0, extract(epoch from least(a.until_at_least, hours.hour + interval '1 hour') - greatest(a.since, hours.hour)))
      as held_at_least
) seconds;
comment on view attempt_hours is
  'The hours in which attempts held a node: a row for each attempt, period of equal requests, and hour.';
comment on column attempt_hours.cluster is 'Name of the cluster in which the pod ran.';
comment on column attempt_hours.namespace is 'Namespace of the Job.';
comment on column attempt_hours.team is 'Team of the Job by namespace_teams; for a placed Job, the team of its home.';
comment on column attempt_hours.series is 'Name that the runs of the Job share, as in jobs.series.';
comment on column attempt_hours.wasted_by is
  'Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown. Null for a pod that succeeded, and until the pod ends.';
comment on column attempt_hours.waste_cause is
  'The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.';
comment on column attempt_hours.hour is 'Beginning of the hour, in UTC.';
comment on column attempt_hours.held_until is
  'Time until which the pod held its node (pods.held_until): exact, or the latest possible time. Null while the pod holds a node or waits for one.';
comment on column attempt_hours.held is 'Seconds of the hour for which the pod held its node with these requests.';
comment on column attempt_hours.held_at_least is 'The same seconds until the earliest possible end of the pod.';
comment on column attempt_hours.cpu_request_cores is 'CPU that the pod requested in the period, in cores.';
comment on column attempt_hours.memory_request_bytes is 'Memory that the pod requested in the period, in bytes.';
comment on column attempt_hours.gpu_request is 'Whole GPUs that the pod requested in the period.';
comment on column attempt_hours.requests is
  'All amounts that the pod requests at the end, by resource. Only CPU and memory can change before.';
comment on column attempt_hours.cost_seconds is
  'Price of the requests per hour × held: the cost × 3600. A resource without a price costs nothing; null when no resource has a price in this cluster and hour.';
comment on column attempt_hours.cost_seconds_at_least is 'As cost_seconds, until the earliest possible end of the pod.';

create table ended_usage (
  cluster text not null,
  namespace text not null,
  team text not null,
  series text not null,
  wasted_by text,
  waste_cause text,
  hour timestamptz not null,
  ended_in timestamptz not null,
  pod_seconds numeric not null,
  cpu_core_seconds numeric not null,
  memory_byte_seconds numeric not null,
  gpu_seconds numeric not null,
  pod_seconds_at_least numeric not null,
  cpu_core_seconds_at_least numeric not null,
  memory_byte_seconds_at_least numeric not null,
  gpu_seconds_at_least numeric not null,
  cost_seconds numeric,
  cost_seconds_at_least numeric
);
create index ended_usage_by_hour on ended_usage (hour);
create index ended_usage_by_end on ended_usage (ended_in);

comment on table ended_usage is
  'The hours of ended attempts, summed: the projector counts all pods that ended in one hour again when a fact of one of them changes. Use the view usage_hourly, which adds the other pods.';
comment on column ended_usage.cluster is 'Name of the cluster in which the pods ran.';
comment on column ended_usage.namespace is 'Namespace of the Jobs.';
comment on column ended_usage.team is 'Team of the Jobs.';
comment on column ended_usage.series is
  'Series of the Jobs; other for the series beyond the first 100 of a namespace, by time, among the pods that ended in one hour.';
comment on column ended_usage.wasted_by is 'As in attempts; null for time that was not wasted.';
comment on column ended_usage.waste_cause is 'As in attempts.';
comment on column ended_usage.hour is 'Beginning of the hour in which the nodes were held, in UTC.';
comment on column ended_usage.ended_in is 'Beginning of the hour in which the pods ended.';
comment on column ended_usage.pod_seconds is 'Seconds for which pods held a node.';
comment on column ended_usage.cpu_core_seconds is 'Requested CPU × these seconds, in core-seconds.';
comment on column ended_usage.memory_byte_seconds is 'Requested memory × these seconds, in byte-seconds.';
comment on column ended_usage.gpu_seconds is 'Requested GPUs × these seconds.';
comment on column ended_usage.pod_seconds_at_least is 'As pod_seconds, until the earliest possible ends of the pods.';
comment on column ended_usage.cpu_core_seconds_at_least is 'As cpu_core_seconds, until the earliest possible ends of the pods.';
comment on column ended_usage.memory_byte_seconds_at_least is
  'As memory_byte_seconds, until the earliest possible ends of the pods.';
comment on column ended_usage.gpu_seconds_at_least is 'As gpu_seconds, until the earliest possible ends of the pods.';
comment on column ended_usage.cost_seconds is
  'Price of the requests per hour × these seconds: the cost × 3600. Null when no resource had a price (prices).';
comment on column ended_usage.cost_seconds_at_least is 'As cost_seconds, until the earliest possible ends of the pods.';

create table stale_usage (
  hour timestamptz not null
);
create index stale_usage_by_hour on stale_usage (hour);

comment on table stale_usage is
  'The hours in which pods ended and whose pods are not in ended_usage, or have changed since. The projector counts them within a minute; until then the views count them when they are read.';
comment on column stale_usage.hour is 'Beginning of the hour in which the pods ended. An hour may have several rows.';

-- A team reads usage_hourly through a view of its own, without the right to read the tables that this function reads.
create function usage_ended_in(hour timestamptz) returns setof ended_usage
language plpgsql stable parallel safe rows 200 security definer set search_path = jobledger, pg_temp
as $$
begin
  return query
  -- The pods with the same requests have the same price, which is slow to find.
  with alike as materialized (
    select
      a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour,
      a.cpu_request_cores, a.memory_request_bytes, a.gpu_request, a.requests,
      sum(a.held) as held,
      sum(a.held_at_least) as held_at_least
    from jobledger.attempt_hours a
    where a.held_until >= $1 and a.held_until < $1 + interval '1 hour'
    group by a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour,
      a.cpu_request_cores, a.memory_request_bytes, a.gpu_request, a.requests
  ), counted as materialized (
    select
      a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour,
      sum(a.held) as pod_seconds,
      sum(a.held * a.cpu_request_cores) as cpu_core_seconds,
      sum(a.held * a.memory_request_bytes) as memory_byte_seconds,
      sum(a.held * a.gpu_request) as gpu_seconds,
      sum(a.held_at_least) as pod_seconds_at_least,
      sum(a.held_at_least * a.cpu_request_cores) as cpu_core_seconds_at_least,
      sum(a.held_at_least * a.memory_request_bytes) as memory_byte_seconds_at_least,
      sum(a.held_at_least * a.gpu_request) as gpu_seconds_at_least,
      sum(a.held * priced.per_hour) as cost_seconds,
      sum(a.held_at_least * priced.per_hour) as cost_seconds_at_least
    from alike a
    cross join lateral jobledger.hourly_price(a.cluster, a.hour, a.cpu_request_cores, a.memory_request_bytes, a.requests)
      priced(per_hour)
    group by a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour
  ), kept as (
    select ranked.cluster, ranked.namespace, ranked.series
    from (
      select c.cluster, c.namespace, c.series, row_number() over (
        partition by c.cluster, c.namespace order by sum(c.pod_seconds) desc, c.series
      ) as place
      from counted c
      group by c.cluster, c.namespace, c.series
    ) ranked
    where ranked.place <= 100
  )
  select
    c.cluster, c.namespace, c.team, coalesce(k.series, 'other'), c.wasted_by, c.waste_cause, c.hour, $1,
    sum(c.pod_seconds), sum(c.cpu_core_seconds), sum(c.memory_byte_seconds), sum(c.gpu_seconds),
    sum(c.pod_seconds_at_least), sum(c.cpu_core_seconds_at_least), sum(c.memory_byte_seconds_at_least),
    sum(c.gpu_seconds_at_least), sum(c.cost_seconds), sum(c.cost_seconds_at_least)
  from counted c
  left join kept k on k.cluster = c.cluster and k.namespace = c.namespace and k.series = c.series
  group by 1, 2, 3, 4, 5, 6, 7;
end;
$$;
comment on function usage_ended_in(timestamptz) is
  'The rows of ended_usage of the pods that ended in the hour that begins at an instant, counted from attempts.';

-- Hours are counted again when a fact about an ended attempt changes, at whatever time and by whatever program the row is written.
create function mark_stale_usage_of_job(cluster text, job_uid text) returns void
language sql
begin atomic
  insert into stale_usage
  select distinct date_bin('1 hour', p.held_until, timestamptz '2000-01-01 00:00Z')
  from pods p
  where p.cluster = $1 and p.job_uid = $2 and p.held_until is not null;
end;

create function mark_stale_usage() returns trigger
language plpgsql
as $$
begin
  case tg_table_name
    when 'pods' then
      insert into jobledger.stale_usage
      select date_bin('1 hour', ended.held_until, '2000-01-01 00:00Z')
      from (values (old.held_until), (new.held_until)) ended(held_until)
      where ended.held_until is not null;
      -- Of several pods that did the work of one index, the first counts.
      if new.phase = 'Succeeded' and new.completion_index is not null then
        insert into jobledger.stale_usage
        select date_bin('1 hour', p.held_until, '2000-01-01 00:00Z')
        from jobledger.pods p
        where p.cluster = new.cluster and p.job_uid = new.job_uid and p.completion_index = new.completion_index
          and p.phase = 'Succeeded' and p.uid <> new.uid and p.held_until is not null
        union
        select date_bin('1 hour', p.held_until, '2000-01-01 00:00Z')
        from jobledger.placements own
        join jobledger.placements also on also.cluster = own.cluster and also.job_uid = own.job_uid
        join jobledger.pods p on p.cluster = also.placed_in and p.job_uid = also.member_uid
          and p.completion_index = new.completion_index and p.phase = 'Succeeded' and p.held_until is not null
        where own.placed_in = new.cluster and own.member_uid = new.job_uid and p.uid <> new.uid;
      end if;
    when 'jobs' then
      perform jobledger.mark_stale_usage_of_job(new.cluster, new.uid);
      perform jobledger.mark_stale_usage_of_job(p.placed_in, p.member_uid)
      from jobledger.placements p
      where p.cluster = new.cluster and p.job_uid = new.uid and p.member_uid is not null;
    when 'placements' then
      perform jobledger.mark_stale_usage_of_job(p.placed_in, p.member_uid)
      from (values (old.placed_in, old.member_uid), (new.placed_in, new.member_uid)) p(placed_in, member_uid);
    when 'decisions' then
      perform jobledger.mark_stale_usage_of_job(new.cluster, new.job_uid);
    when 'gaps' then
      insert into jobledger.stale_usage
      select distinct date_bin('1 hour', p.held_until, '2000-01-01 00:00Z')
      from jobledger.pods p
      where p.cluster = new.cluster and p.held_until > new.since and p.held_until_at_least is not null;
    when 'namespace_teams' then
      -- An hour that is being counted is not in ended_usage yet (keep-usage.ts).
      perform pg_advisory_xact_lock(7213305885);
      insert into jobledger.stale_usage
      select distinct u.ended_in from jobledger.ended_usage u where u.namespace in (old.namespace, new.namespace);
  end case;
  return null;
end;
$$;

create trigger added_usage after insert on pods
for each row when (new.held_until is not null) execute function mark_stale_usage();
create trigger removed_usage after delete on pods
for each row when (old.held_until is not null) execute function mark_stale_usage();
create trigger changed_usage after update on pods
for each row when (
  (old.held_until is not null or new.held_until is not null)
  and (old.held_until, old.held_until_at_least, old.bound_at, old.first_container_started_at, old.request_steps,
      old.cpu_request_cores, old.memory_request_bytes, old.gpu_request, old.requests, old.phase, old.reason, old.exit_code, old.end_cause,
      old.deletion_rule, old.creation_decision, old.completion_index)
    is distinct from
    (new.held_until, new.held_until_at_least, new.bound_at, new.first_container_started_at, new.request_steps,
      new.cpu_request_cores, new.memory_request_bytes, new.gpu_request, new.requests, new.phase, new.reason, new.exit_code, new.end_cause,
      new.deletion_rule, new.creation_decision, new.completion_index)
) execute function mark_stale_usage();

create trigger changed_usage after update on jobs
for each row when (
  (old.namespace, old.labels, old.series, old.member, old.claimed)
    is distinct from (new.namespace, new.labels, new.series, new.member, new.claimed)
  or old.conditions is distinct from new.conditions
    and ending_reason(old.conditions) is distinct from ending_reason(new.conditions)
) execute function mark_stale_usage();

create trigger added_usage after insert or delete on placements
for each row execute function mark_stale_usage();
create trigger changed_usage after update on placements
for each row when (
  (old.placed_in, old.member_uid, old.stopping, old.overlapped, old.ended_at)
    is distinct from (new.placed_in, new.member_uid, new.stopping, new.overlapped, new.ended_at)
) execute function mark_stale_usage();

create trigger changed_usage after update on decisions
for each row when (old.superseded <> new.superseded) execute function mark_stale_usage();
create trigger added_usage after insert on gaps for each row execute function mark_stale_usage();
create trigger changed_usage after insert or update or delete on namespace_teams
for each row execute function mark_stale_usage();

create function mark_stale_costs() returns trigger
language plpgsql
as $$
declare
  changed_from timestamptz := '-infinity';
begin
  -- A new list changes the costs from the first instant at which its prices differ from those of the list before.
  if tg_op = 'INSERT' then
    with earlier as (
      select * from jobledger.applied_prices except select * from added
    ), before as (
      select * from earlier
      where event_id = (select newest.event_id from earlier newest order by newest.applied_at desc, newest.event_id desc limit 1)
    )
    select min(case
      when before.event_id is null or prices.event_id is null then valid_from
      else least(coalesce(before.valid_until, 'infinity'), coalesce(prices.valid_until, 'infinity'))
    end) into changed_from
    from before
    full join jobledger.prices using (resource, cluster, valid_from, per_hour)
    where before.event_id is null or prices.event_id is null or before.valid_until is distinct from prices.valid_until;
  end if;
  -- An hour that is being counted is not in ended_usage yet (keep-usage.ts).
  perform pg_advisory_xact_lock(7213305885);
  insert into jobledger.stale_usage
  select distinct u.ended_in from jobledger.ended_usage u where u.hour >= changed_from;
  return null;
end;
$$;
create trigger added_prices after insert on applied_prices
referencing new table as added for each statement execute function mark_stale_costs();
create trigger changed_prices after update or delete on applied_prices
for each statement execute function mark_stale_costs();

comment on function mark_stale_costs() is
  'Trigger: marks the hours whose costs a new price list changes as stale (stale_usage).';
comment on function mark_stale_usage_of_job(text, text) is 'Marks the hours in which pods of a Job ended as stale (stale_usage).';
comment on function mark_stale_usage() is
  'Trigger: marks the hours of the pods that a changed row concerns as stale (stale_usage).';

create view unwatched_hours as
select
  g.cluster,
  g.namespace,
  hours.hour,
  sum(extract(epoch from least(upper(span), hours.hour + interval '1 hour') - greatest(lower(span), hours.hour))) as seconds
from (
  select gaps.cluster, gaps.namespace, range_agg(tstzrange(gaps.since, gaps.until)) as spans
  from gaps
  where gaps.resource in ('pods', 'all') and gaps.since < gaps.until
  group by gaps.cluster, gaps.namespace
) g
cross join lateral unnest(g.spans) span
cross join lateral generate_series(
  date_bin('1 hour', lower(span), timestamptz '2000-01-01 00:00Z'), upper(span) - interval '1 microsecond', interval '1 hour'
) hours(hour)
group by g.cluster, g.namespace, hours.hour;
comment on view unwatched_hours is
  'The hours in which changes of pods may have been missed (gaps).';
comment on column unwatched_hours.cluster is 'Name of the cluster.';
comment on column unwatched_hours.namespace is
  'The namespace of the watch, where given namespaces are watched; null for a watch of the whole cluster.';
comment on column unwatched_hours.hour is 'Beginning of the hour, in UTC.';
comment on column unwatched_hours.seconds is 'Seconds of the hour that were missed.';

create view usage_hourly as
select
  u.cluster,
  u.team,
  u.namespace,
  u.series,
  u.wasted_by,
  u.waste_cause,
  u.hour,
  u.pod_seconds / 3600 as pod_hours,
  u.cpu_core_seconds / 3600 as cpu_core_hours,
  u.memory_byte_seconds / (3600 * 2 ^ 30::numeric) as memory_gib_hours,
  u.gpu_seconds / 3600 as gpu_hours,
  u.pod_seconds_at_least / 3600 as pod_hours_at_least,
  u.cpu_core_seconds_at_least / 3600 as cpu_core_hours_at_least,
  u.memory_byte_seconds_at_least / (3600 * 2 ^ 30::numeric) as memory_gib_hours_at_least,
  u.gpu_seconds_at_least / 3600 as gpu_hours_at_least,
  u.cost_seconds / 3600 as cost,
  u.cost_seconds_at_least / 3600 as cost_at_least,
  1 - least(1, (coalesce(of_cluster.seconds, 0) + coalesce(of_namespace.seconds, 0)) / 3600) as watched
from (
  select e.*
  from ended_usage e
  where not exists (select from stale_usage s where s.hour = e.ended_in)
  union all
  select e.*
  from (select distinct s.hour from stale_usage s) stale
  cross join lateral usage_ended_in(stale.hour) e
  union all
  select
    a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour, null,
    a.held, a.held * a.cpu_request_cores, a.held * a.memory_request_bytes, a.held * a.gpu_request,
    a.held_at_least, a.held_at_least * a.cpu_request_cores, a.held_at_least * a.memory_request_bytes,
    a.held_at_least * a.gpu_request, a.held * a.per_hour, a.held_at_least * a.per_hour
  from (
    select
      alike.*,
      hourly_price(alike.cluster, alike.hour, alike.cpu_request_cores, alike.memory_request_bytes, alike.requests) as per_hour
    from (
      select
        a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour,
        a.cpu_request_cores, a.memory_request_bytes, a.gpu_request, a.requests,
        sum(a.held) as held,
        sum(a.held_at_least) as held_at_least
      from attempt_hours a
      where a.held_until is null
      group by a.cluster, a.namespace, a.team, a.series, a.wasted_by, a.waste_cause, a.hour,
        a.cpu_request_cores, a.memory_request_bytes, a.gpu_request, a.requests
    ) alike
  ) a
) u
left join (
  select w.cluster, w.hour, sum(w.seconds) as seconds from unwatched_hours w where w.namespace is null group by w.cluster, w.hour
) of_cluster on of_cluster.cluster = u.cluster and of_cluster.hour = u.hour
left join (
  select w.cluster, w.namespace, w.hour, sum(w.seconds) as seconds from unwatched_hours w group by w.cluster, w.namespace, w.hour
) of_namespace
  on of_namespace.cluster = u.cluster and of_namespace.namespace = u.namespace and of_namespace.hour = u.hour;
comment on view usage_hourly is
  'What the Jobs of each team and series used in each hour: requested resources × the time for which pods held a node, up to now. A row for each cause of waste, and for the useful time; an hour may have several rows, so sum them.';
comment on column usage_hourly.cluster is 'Name of the cluster in which the pods ran.';
comment on column usage_hourly.team is 'Team of the Jobs.';
comment on column usage_hourly.namespace is 'Namespace of the Jobs.';
comment on column usage_hourly.series is
  'Series of the Jobs; other for the series beyond the first 100 of a namespace, by time, among the pods that ended in one hour.';
comment on column usage_hourly.wasted_by is 'As in attempts; null for time that was not wasted.';
comment on column usage_hourly.waste_cause is 'As in attempts.';
comment on column usage_hourly.hour is 'Beginning of the hour in which the nodes were held, in UTC.';
comment on column usage_hourly.pod_hours is 'Hours for which pods held a node.';
comment on column usage_hourly.cpu_core_hours is 'Requested CPU × held time, in core-hours.';
comment on column usage_hourly.memory_gib_hours is 'Requested memory × held time, in GiB-hours.';
comment on column usage_hourly.gpu_hours is 'Requested GPUs × held time, in hours.';
comment on column usage_hourly.pod_hours_at_least is 'As pod_hours, until the earliest possible ends of the pods.';
comment on column usage_hourly.cpu_core_hours_at_least is 'As cpu_core_hours, until the earliest possible ends of the pods.';
comment on column usage_hourly.memory_gib_hours_at_least is 'As memory_gib_hours, until the earliest possible ends of the pods.';
comment on column usage_hourly.gpu_hours_at_least is 'As gpu_hours, until the earliest possible ends of the pods.';
comment on column usage_hourly.cost is
  'Requests × held time × the prices of the hour, in the currency of prices. A resource without a price costs nothing; null when no resource had a price.';
comment on column usage_hourly.cost_at_least is 'As cost, until the earliest possible ends of the pods.';
comment on column usage_hourly.watched is
  'Share of the hour in which no changes of pods were missed (gaps), from 0 to 1. The hours of pods whose end nobody saw are between the columns with and without _at_least.';

create view waste as
select u.cluster, u.team, u.namespace, u.series, u.wasted_by, u.waste_cause, u.hour, u.pod_hours, u.cpu_core_hours,
  u.memory_gib_hours, u.gpu_hours, u.cost
from usage_hourly u
where u.wasted_by is not null;
comment on view waste is
  'The part of usage_hourly that was of no use, by cause: each hour of a pod has at most one cause. An hour may have several rows.';
comment on column waste.cluster is 'Name of the cluster in which the pods ran.';
comment on column waste.team is 'Team of the Jobs.';
comment on column waste.namespace is 'Namespace of the Jobs.';
comment on column waste.series is
  'Series of the Jobs; other for the series beyond the first 100 of a namespace, by time, among the pods that ended in one hour.';
comment on column waste.wasted_by is
  'Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown.';
comment on column waste.waste_cause is
  'The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.';
comment on column waste.hour is 'Beginning of the hour in which the nodes were held, in UTC.';
comment on column waste.pod_hours is 'Hours for which pods held a node.';
comment on column waste.cpu_core_hours is 'Requested CPU × held time, in core-hours.';
comment on column waste.memory_gib_hours is 'Requested memory × held time, in GiB-hours.';
comment on column waste.gpu_hours is 'Requested GPUs × held time, in hours.';
comment on column waste.cost is
  'Requests × held time × the prices of the hour, in the currency of prices, as in usage_hourly.';

create function concurrency(since timestamptz, until timestamptz, step interval) returns table (
  at timestamptz, cluster text, team text, jobs bigint, pods bigint, cpu_request_cores numeric,
  memory_request_bytes numeric, gpu_request numeric
)
language plpgsql stable parallel safe
as $$
declare
  seconds constant numeric := extract(epoch from step);
  last_step constant numeric := floor(extract(epoch from until - since) / nullif(seconds, 0));
begin
  if seconds is null or seconds <= 0 or extract(month from step) <> 0 or extract(year from step) <> 0 then
    raise exception 'the step % is not a positive number of days, hours, minutes or seconds', step using errcode = '22023';
  end if;
  if last_step > 100000 then
    raise exception 'from % to % there are more than 100000 steps of %', since, until, step
      using errcode = '22023', hint = 'ask for a longer step or a shorter period';
  end if;
  return query
  -- A period is counted at the steps from first to before next.
  with held as materialized (
    select
      a.cluster, a.team, a.home, a.home_job_uid, a.cpu_request_cores, a.memory_request_bytes, a.gpu_request,
      greatest(0, ceil(extract(epoch from a.since - $1) / seconds)) as first,
      least(last_step + 1, ceil(extract(epoch from a.until - $1) / seconds)) as next
    from jobledger.attempt_periods a
    where (a.held_until > $1 or a.held_until is null) and a.since <= $2 and a.until > $1
  ), of_jobs as (
    select
      h.cluster, h.team, h.home, h.home_job_uid, h.first, h.next,
      max(h.next) over (
        partition by h.cluster, h.home, h.home_job_uid order by h.first, h.next
        rows between unbounded preceding and 1 preceding
      ) as next_before
    from held h
    where h.first < h.next
  ), changes as (
    select h.cluster, h.team, change.at, 0 as jobs, change.sign as pods, change.sign * h.cpu_request_cores as cpu,
      change.sign * h.memory_request_bytes as memory, change.sign * h.gpu_request as gpus
    from held h
    cross join lateral (values (h.first, 1), (h.next, -1)) change(at, sign)
    where h.first < h.next
    union all
    -- A Job begins where no earlier pod of it runs, and lasts longer where a pod ends after all earlier ones.
    select j.cluster, j.team, change.at, change.sign, 0, 0, 0, 0
    from of_jobs j
    cross join lateral (values (greatest(j.first, j.next_before), 1), (j.next, -1)) change(at, sign)
    where j.next_before is null or j.next > j.next_before
  ), summed as (
    select c.cluster, c.team, c.at, sum(c.jobs) as jobs, sum(c.pods) as pods, sum(c.cpu) as cpu, sum(c.memory) as memory,
      sum(c.gpus) as gpus
    from changes c
    group by c.cluster, c.team, c.at
  )
  select
    $1 + steps.number * make_interval(secs => seconds::double precision),
    groups.cluster,
    groups.team,
    coalesce(sum(s.jobs) over running, 0)::bigint,
    coalesce(sum(s.pods) over running, 0)::bigint,
    coalesce(sum(s.cpu) over running, 0),
    coalesce(sum(s.memory) over running, 0),
    coalesce(sum(s.gpus) over running, 0)
  from (select distinct h.cluster, h.team from held h) groups
  cross join generate_series(0, last_step::integer) steps(number)
  left join summed s on s.cluster = groups.cluster and s.team = groups.team and s.at = steps.number
  window running as (partition by groups.cluster, groups.team order by steps.number)
  order by 1, 2, 3;
end;
$$;
comment on function concurrency(timestamptz, timestamptz, interval) is
  'How many Jobs and pods of each team held nodes in each cluster, and what they requested, at the instants from since to until in steps; a day has 24 hours. An error (SQLSTATE 22023) for a step in months and for more than 100,000 steps.';

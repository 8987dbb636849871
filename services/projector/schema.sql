-- The schema "jobledger" after all migrations, from Postgres' catalogs. "npm run dump-schema" makes this file: to read,
-- not to run. Indexes, triggers and grants stand below their table. The monthly partitions of events are left out.

-- What happened to the Jobs of all clusters, and what was decided about them.
create schema jobledger;
grant usage on schema jobledger to jobledger_reader;

-- Requests to API servers that changed a Job or one of its pods, from the audit logs. A request without a row is not recorded: the log of the cluster is not read, or its record was lost.
create table api_requests (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job, or of the Job that the pod names as its controller.
  job_uid text not null,
  -- Namespace of the Job or pod.
  namespace text not null,
  -- Name of the Job, or of the Job that the pod names as its controller.
  job_name text not null,
  -- The resource of the request: jobs or pods.
  resource text not null,
  -- UID of the Job or pod.
  uid text not null,
  -- Name of the Job or pod.
  name text not null,
  -- The verb of the request: create, update, patch, delete or deletecollection.
  verb text not null,
  -- The user with whose rights the API server carried out the request, or the pseudonym of that user.
  by text not null,
  -- The user that sent the request in the name of another user; null without impersonation.
  impersonated_by text,
  -- The name that the client gives itself (User-Agent); null when the client sends none.
  user_agent text,
  -- The fields that a patch names, two levels deep; empty for other verbs.
  fields jsonb not null,
  -- resourceVersion of the object after the request; null for deletions that were done at once. A request that changed nothing has the version of an earlier change.
  written_version numeric,
  -- True when the garbage collector deleted the object because its owner is gone.
  cascade boolean not null,
  -- True when the API server failed while it handled the request. The request may or may not have had an effect.
  panicked boolean not null,
  -- Time at which the API server received the request, by its own clock.
  received_at timestamp with time zone not null,
  -- Id of the request in the audit log; the sender may choose it.
  audit_id text not null,
  -- Id of the event.
  event_id text not null,
  -- Time at which the event was recorded.
  recorded_at timestamp with time zone not null,
  constraint api_requests_pkey PRIMARY KEY (cluster, job_uid, event_id)
);
CREATE INDEX api_requests_by_age ON jobledger.api_requests USING btree (recorded_at);
CREATE INDEX api_requests_by_time ON jobledger.api_requests USING btree (cluster, recorded_at);
grant select on api_requests to jobledger_reader;

-- The prices of every price list that a person has applied. Use the view prices, which has only the newest list.
create table applied_prices (
  -- Id of the event with which the list was applied.
  event_id text not null,
  -- cpu (the price of a core), memory (of a GiB), or the name of an extended resource (of one), such as nvidia.com/gpu.
  resource text not null,
  -- Name of the cluster; * for every cluster that has no price of its own for the resource at the time.
  cluster text not null,
  -- Beginning of the period of the price, which is the beginning of an hour in UTC.
  valid_from timestamp with time zone not null,
  -- End of the period, which is not part of it; null for a period without end.
  valid_until timestamp with time zone,
  -- Price of an hour.
  per_hour numeric not null,
  -- Currency of the list, as an ISO 4217 code.
  currency text not null,
  -- User that applied the list.
  applied_by text not null,
  -- Time at which the list was applied.
  applied_at timestamp with time zone not null,
  -- True when the user agreed that the list changes prices of the past.
  correction boolean not null,
  constraint applied_prices_pkey PRIMARY KEY (event_id, resource, cluster, valid_from)
);
CREATE INDEX applied_prices_by_time ON jobledger.applied_prices USING btree (applied_at, event_id);
CREATE TRIGGER added_prices AFTER INSERT ON jobledger.applied_prices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_costs();
CREATE TRIGGER changed_prices AFTER DELETE OR UPDATE ON jobledger.applied_prices FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_costs();
grant select on applied_prices to jobledger_reader;

-- Every Job that was suspended with a valid annotation jobledger.dev/after: one row per Job. The view job_chains has a row per condition.
create table chains (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job that waits.
  job_uid text not null,
  -- Namespace of the Job that waits.
  namespace text not null,
  -- Name of the Job that waits.
  job_name text not null,
  -- waiting; resumed (when all conditions were met, or a person resumed the Job, which ends the chain); deleted (the Job was deleted while it waited).
  status text not null,
  -- Time at which the Job was first seen resumed.
  resumed_at timestamp with time zone,
  -- The conditions in the order of the annotation, in their last state while the Job waited.
  conditions jsonb not null,
  -- The Jobs through which the Job waits for itself; null when there is no cycle.
  cycle text,
  -- The recorded state of each Job that the Job waits for, directly or through other Jobs, by name.
  awaited jsonb not null,
  constraint chains_pkey PRIMARY KEY (cluster, job_uid)
);
grant select on chains to jobledger_reader;

-- Up to when the ingesters received the objects of each cluster, which the projector stores every minute. It is no part of the ledger.
create table cluster_watches (
  -- Name of the cluster.
  cluster text not null,
  -- Time at which the watch of Jobs last received an event or a bookmark; of several watches, the one that was silent for longest.
  jobs_received_at timestamp with time zone,
  -- The same time of the watch of pods.
  pods_received_at timestamp with time zone,
  constraint cluster_watches_pkey PRIMARY KEY (cluster)
);
grant select on cluster_watches to jobledger_reader;

-- Every cluster to which an ingester has ever connected.
create table clusters (
  -- Name of the cluster in Jobledger.
  name text not null,
  -- UID of the namespace that identifies the cluster: kube-system or, when only given namespaces are watched, the namespace of the Lease.
  uid text,
  -- Version of the API server of the cluster, at the last connection or the last change.
  version text,
  -- The versions of the API groups batch, scheduling.k8s.io and admissionregistration.k8s.io that the cluster serves; null when it does not report them.
  apis jsonb,
  -- The resources that the ingester may not read in the whole watched part of the cluster, so that they are not recorded: cronjobs, nodes.
  not_recorded jsonb not null default '[]'::jsonb,
  -- Time at which an ingester first connected to the cluster.
  first_connected_at timestamp with time zone,
  -- Time at which an ingester last connected to the cluster.
  last_connected_at timestamp with time zone,
  -- Time at which the whole cluster was detached; null while it is connected.
  detached_at timestamp with time zone,
  -- Number of periods in which events may have been missed; the table gaps has a row for each.
  gap_count integer not null,
  -- Start of the last period in which events may have been missed.
  last_gap_since timestamp with time zone,
  -- End of the last period in which events may have been missed.
  last_gap_until timestamp with time zone,
  constraint clusters_pkey PRIMARY KEY (name)
);
grant select on clusters to jobledger_reader;

-- Every command of every decision, also of superseded decisions, with its last outcome. The content of the command is in the data of the decision's event.
create table commands (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job.
  job_uid text not null,
  -- Id of the decision.
  decision text not null,
  -- Position of the command in the decision, from 0.
  command integer not null,
  -- Namespace of the Job; empty when it is not known.
  namespace text not null,
  -- Name of the Job; empty when it is not known.
  job_name text not null,
  -- Number of the decision.
  decision_number integer not null,
  -- Kind of the command, such as CreatePods, DeletePods, ReleasePods or WriteStatus; docs/events.md lists them.
  kind text not null,
  -- Rule of the Job semantics that the command follows.
  rule text not null,
  -- Reason of the command as text.
  message text not null,
  -- Number of pods that the command affects; null for commands without pods.
  pod_count integer,
  -- The instant that the decision used as now.
  decided_at timestamp with time zone not null,
  -- Number of the latest attempt of the command that has an outcome; 0 when no attempt has one.
  last_attempt integer not null,
  -- Time of the outcome, by the worker's clock; null when there is no outcome.
  outcome_at timestamp with time zone,
  -- Outcome of the whole command, if it has one; skipped when an earlier command failed. The view outcomes has the result of each pod.
  result text,
  -- The first error in the outcome.
  error text,
  constraint commands_pkey PRIMARY KEY (cluster, job_uid, decision, command)
);
CREATE INDEX commands_by_time ON jobledger.commands USING btree (decided_at);
grant select on commands to jobledger_reader;

-- Every change of a condition of a Job, ordered by resource_version.
create table conditions (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job.
  job_uid text not null,
  -- Namespace of the Job.
  namespace text not null,
  -- Name of the Job.
  job_name text not null,
  -- Type of the condition: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet, or a type of another controller.
  type text not null,
  -- Status of the condition: True, False or Unknown; null when the condition was removed.
  status text,
  -- The condition's reason.
  reason text,
  -- The condition's message.
  message text,
  -- The condition's own lastTransitionTime.
  last_transition_time timestamp with time zone,
  -- Time at which the observation with the change was recorded.
  seen_at timestamp with time zone not null,
  -- resourceVersion of the Job with the change, plus 10^30 for each earlier restore of the API server.
  resource_version numeric not null,
  -- Id of the event with the change.
  event_id text not null,
  constraint conditions_pkey PRIMARY KEY (cluster, job_uid, type, event_id)
);
grant select on conditions to jobledger_reader;

-- Every pod that a decision was to create, whether it was created or not.
create table creations (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job.
  job_uid text not null,
  -- Name of the pod. A Job uses each name once.
  name text not null,
  -- Number of the creation within the Job, from 0, or within the completion index; it determines the name of the pod.
  ordinal integer not null,
  -- Completion index; null for NonIndexed Jobs.
  completion_index integer,
  -- Id of the newest decision to create the pod.
  decision text not null,
  -- Rule by which that decision creates the pod.
  rule text not null,
  -- Reason of the creation as text.
  message text not null,
  -- Time at which the creation was decided.
  decided_at timestamp with time zone not null,
  -- Result of the creation: created, taken (the name belongs to another pod), failed or skipped; null before the outcome.
  result text,
  -- UID of the created pod.
  pod_uid text,
  -- Error that the API server returned.
  error text,
  -- Time at which the outcome was received.
  outcome_at timestamp with time zone,
  constraint creations_pkey PRIMARY KEY (cluster, job_uid, name)
);
grant select on creations to jobledger_reader;

-- The streams of CronJobs in the ledger: one row per event. "jobledger admin retention --before" removes the events of a month from this table too.
create table cron_job_events (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the CronJob.
  cron_job_uid text not null,
  -- Id of the event. A repeat adds no row.
  id text not null,
  -- Type of the event, such as cronjob.observed, cronjob.decided, or job.observed of one of the CronJob's Jobs; docs/events.md lists them.
  type text not null,
  -- Version of the type whose format the data has.
  type_version smallint not null,
  -- Source of the event: the cluster for facts, jobledger/<cluster> for decisions and outcomes.
  source text not null,
  -- Subject of the event: <namespace>/<name of the CronJob>.
  subject text not null,
  -- Namespace of the CronJob; null when it is not known.
  namespace text,
  -- Name of the CronJob; null when it is not known.
  cron_job_name text,
  -- resourceVersion of the observed or deleted object, plus 10^30 for each earlier restore of the API server; null for other events.
  resource_version numeric,
  -- Time at which the event was first recorded.
  "time" timestamp with time zone not null,
  -- Partition of the ledger topic; all events of one CronJob are in the same partition.
  kafka_partition integer not null,
  -- Offset within the partition, which orders the events of a CronJob.
  kafka_offset bigint not null,
  -- Digest of data, computed when the event was recorded.
  digest text not null,
  -- Content of the event, as docs/events.md describes it for each type.
  data jsonb not null,
  constraint cron_job_events_pkey PRIMARY KEY (cluster, cron_job_uid, id)
);
CREATE INDEX cron_job_events_by_time ON jobledger.cron_job_events USING btree ("time");
CREATE INDEX cron_job_events_in_order ON jobledger.cron_job_events USING btree (cluster, cron_job_uid, kafka_offset);
grant select on cron_job_events to jobledger_reader;

-- Every attempt to create the Job of a start. A start that failed and was tried again has several rows, and a skipped start has none: "jobledger why cronjob/NAME --start TIME" explains it.
create table cron_job_starts (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the CronJob.
  cron_job_uid text not null,
  -- Id of the decision.
  decision text not null,
  -- Number of the command in the decision, from 0.
  command integer not null,
  -- Namespace of the CronJob.
  namespace text not null,
  -- Name of the CronJob.
  cron_job_name text not null,
  -- The time of the schedule for which the Job is created.
  scheduled_at timestamp with time zone,
  -- The instant that the decision used as now.
  decided_at timestamp with time zone,
  -- Name of the Job.
  job_name text not null,
  -- Rule by which the Job is created.
  rule text not null,
  -- Reason of the start as text.
  message text not null,
  -- Names of the Jobs that the start replaced.
  replaced jsonb not null,
  -- created; taken: a Job of another controller has the name; gone: the CronJob was gone; failed; skipped: an earlier command of the decision failed; stale: the CronJob had changed since the decision; unknown: the request got no answer and the Job does not exist, so it was never created or is deleted already. Null until there is an outcome, and for ever when the worker ended before the outcome.
  result text,
  -- The error of the API server, without the values of fields.
  error text,
  -- UID of the Job.
  job_uid text,
  -- Time at which the outcome was known, by the clock of the worker.
  outcome_at timestamp with time zone,
  constraint cron_job_starts_pkey PRIMARY KEY (cluster, cron_job_uid, decision, command)
);
CREATE INDEX cron_job_starts_by_time ON jobledger.cron_job_starts USING btree (cluster, cron_job_uid, scheduled_at);
grant select on cron_job_starts to jobledger_reader;

-- Every observed version of a CronJob: one row per version of the object, and one for its deletion.
create table cron_job_versions (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the CronJob.
  uid text not null,
  -- Namespace of the CronJob.
  namespace text not null,
  -- Name of the CronJob.
  name text not null,
  -- spec.schedule; null when the CronJob was never observed.
  schedule text,
  -- spec.timeZone; null when the time zone of the controller applies.
  time_zone text,
  -- spec.suspend.
  suspend boolean not null,
  -- spec.concurrencyPolicy: Allow, Forbid or Replace.
  concurrency_policy text,
  -- spec.startingDeadlineSeconds; null when the CronJob sets none.
  starting_deadline_seconds bigint,
  -- spec.successfulJobsHistoryLimit.
  successful_jobs_history_limit integer,
  -- spec.failedJobsHistoryLimit.
  failed_jobs_history_limit integer,
  -- Number of Jobs in status.active.
  active integer not null,
  -- Names of the Jobs in status.active.
  active_jobs jsonb not null,
  -- status.lastScheduleTime.
  last_schedule_time timestamp with time zone,
  -- status.lastSuccessfulTime.
  last_successful_time timestamp with time zone,
  -- metadata.resourceVersion, plus 10^30 for each earlier restore of the API server.
  resource_version numeric not null,
  -- Time at which the event with this version was recorded.
  seen_at timestamp with time zone not null,
  -- Id of the event with this version; its data contains the whole object.
  event_id text not null,
  -- True when the CronJob is gone and this is its last version.
  deleted boolean not null,
  constraint cron_job_versions_pkey PRIMARY KEY (cluster, uid, resource_version, deleted)
);
grant select on cron_job_versions to jobledger_reader;

-- Every CronJob that was ever observed, in its present or last state.
create table cron_jobs (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the CronJob.
  uid text not null,
  -- Namespace of the CronJob.
  namespace text not null,
  -- Name of the CronJob.
  name text not null,
  -- spec.schedule; null when the CronJob was never observed.
  schedule text,
  -- spec.timeZone; null when the time zone of the controller applies.
  time_zone text,
  -- spec.suspend.
  suspend boolean not null,
  -- spec.concurrencyPolicy: Allow, Forbid or Replace.
  concurrency_policy text,
  -- spec.startingDeadlineSeconds; null when the CronJob sets none.
  starting_deadline_seconds bigint,
  -- spec.successfulJobsHistoryLimit.
  successful_jobs_history_limit integer,
  -- spec.failedJobsHistoryLimit.
  failed_jobs_history_limit integer,
  -- Number of Jobs in status.active.
  active integer not null,
  -- Names of the Jobs in status.active.
  active_jobs jsonb not null,
  -- status.lastScheduleTime.
  last_schedule_time timestamp with time zone,
  -- status.lastSuccessfulTime.
  last_successful_time timestamp with time zone,
  -- metadata.resourceVersion, plus 10^30 for each earlier restore of the API server; 0 when the CronJob was never observed.
  resource_version numeric not null,
  -- metadata.labels.
  labels jsonb not null,
  -- metadata.generation.
  generation bigint,
  -- metadata.creationTimestamp.
  created_at timestamp with time zone,
  -- metadata.deletionTimestamp.
  deletion_requested_at timestamp with time zone,
  -- Time at which the deletion of the CronJob was recorded; null while the CronJob exists.
  deleted_at timestamp with time zone,
  -- False when the CronJob was deleted at an unknown time while nothing watched it.
  deletion_seen boolean,
  -- Time of the first event of the CronJob.
  first_seen_at timestamp with time zone not null,
  -- Time of the last observation of the CronJob.
  last_seen_at timestamp with time zone not null,
  -- Number of decisions.
  decision_count integer not null,
  -- Number of commands in the decisions.
  command_count integer not null,
  -- Number of outcomes with an error.
  failed_command_count integer not null,
  -- Id of the last decision.
  last_decision text,
  -- Number of the last decision.
  last_decision_number integer not null,
  -- The instant that the last decision used as now.
  last_decided_at timestamp with time zone,
  -- First run id of the Temporal workflow that made the last decision.
  first_run_id text,
  -- Latest time at which the controller decides again: the next start, unless the CronJob waits for something else before it.
  next_decision_at timestamp with time zone,
  -- Rule by which the CronJob waits; null when it waits for nothing.
  waiting_rule text,
  -- Reason of the wait as text.
  waiting_message text,
  -- Time at which the wait began.
  waiting_since timestamp with time zone,
  constraint cron_jobs_pkey PRIMARY KEY (cluster, uid)
);
CREATE INDEX cron_jobs_by_name ON jobledger.cron_jobs USING btree (cluster, namespace, name);
CREATE INDEX cron_jobs_ended ON jobledger.cron_jobs USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
grant select on cron_jobs to jobledger_reader;

-- Records of the ledger that could not be read or projected. The first such record of each object is also in the dead-letter topic.
create table dead_letters (
  -- Topic of the record.
  topic text not null,
  -- Partition of the record.
  partition integer not null,
  -- Offset of the record.
  kafka_offset bigint not null,
  -- Key of the record, when it is text.
  key text not null,
  -- Reason why the record cannot be used.
  reason text not null,
  -- Length of the value of the record, in bytes.
  bytes integer not null,
  -- Time at which the projector read the record.
  found_at timestamp with time zone not null,
  -- Time at which the record was appended to the ledger again, because a later version can read it; null while it is set aside.
  retried_at timestamp with time zone,
  constraint dead_letters_pkey PRIMARY KEY (topic, partition, kafka_offset)
);
grant select on dead_letters to jobledger_reader;

-- Every recorded decision. The events that the decision folded and its settings are in the data of its event.
create table decisions (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job.
  job_uid text not null,
  -- Id of the decision, which is also the id of its event.
  id text not null,
  -- Namespace of the Job; empty when it is not known.
  namespace text not null,
  -- Name of the Job; empty when it is not known.
  job_name text not null,
  -- Number of the decision; the first decision of the Job has 1.
  number integer not null,
  -- Id of the previous decision; null for the first decision.
  predecessor text,
  -- First run id of the Temporal workflow that decided.
  first_run_id text not null,
  -- The instant that the decision used as now.
  now timestamp with time zone not null,
  -- Time at which the decision was recorded.
  recorded_at timestamp with time zone not null,
  -- Version of the core that decided.
  core text not null,
  -- Number of commands in the decision; the table commands has a row for each.
  command_count integer not null,
  -- Time at which a new decision is due without new events; null when none is due.
  next_decision_at timestamp with time zone,
  -- Rule of the wait; null when there is nothing to wait for.
  waiting_rule text,
  -- Reason of the wait as text.
  waiting_message text,
  -- The invariants that the decision breaks, separated by commas. The creations of the decision were withheld, unless a person approved them (rule J-18.2). Null when the decision breaks none.
  broken text,
  -- True when the workflow ran the step again (after a crash, or because a signal came as the step ended), so that this decision does not count. The latest decision by now counts, with its predecessor, the predecessor of that, and so on. The effects of a superseded decision are observed as facts.
  superseded boolean not null,
  constraint decisions_pkey PRIMARY KEY (cluster, job_uid, id)
);
CREATE INDEX decisions_by_time ON jobledger.decisions USING btree (now);
CREATE TRIGGER changed_usage AFTER UPDATE ON jobledger.decisions FOR EACH ROW WHEN ((old.superseded <> new.superseded)) EXECUTE FUNCTION mark_stale_usage();
grant select on decisions to jobledger_reader;

-- The number of Kubernetes Events of a namespace that were not recorded in a period, by cause. Repetitions of recorded Events do not count.
create table dropped_kubernetes_events (
  -- Name of the cluster.
  cluster text not null,
  -- Id of the event with the count.
  event_id text not null,
  -- Namespace of the Events; * for all namespaces.
  namespace text not null,
  -- job-budget: the Job has as many recorded Events as it may have. namespace-rate: the namespace had too many new Events at once. too-many-waiting, unknown-object: the Job or pod was not known in time. unreadable: the Event has no usable form. further: the sum of the counts that are left out. gap: the watch of the Events had to start over.
  cause text not null,
  -- Number of Events; null when it is not known, which is so for a gap.
  count integer,
  -- Beginning of the period.
  since timestamp with time zone not null,
  -- End of the period.
  until timestamp with time zone not null,
  constraint dropped_kubernetes_events_pkey PRIMARY KEY (cluster, event_id, namespace, cause)
);
CREATE INDEX dropped_kubernetes_events_by_age ON jobledger.dropped_kubernetes_events USING btree (until);
grant select on dropped_kubernetes_events to jobledger_reader;

-- The hours of ended attempts, summed: the projector counts all pods that ended in one hour again when a fact of one of them changes. Use the view usage_hourly, which adds the other pods.
create table ended_usage (
  -- Name of the cluster in which the pods ran.
  cluster text not null,
  -- Namespace of the Jobs.
  namespace text not null,
  -- Team of the Jobs.
  team text not null,
  -- Series of the Jobs; other for the series beyond the first 100 of a namespace, by time, among the pods that ended in one hour.
  series text not null,
  -- As in attempts; null for time that was not wasted.
  wasted_by text,
  -- As in attempts.
  waste_cause text,
  -- Beginning of the hour in which the nodes were held, in UTC.
  hour timestamp with time zone not null,
  -- Beginning of the hour in which the pods ended.
  ended_in timestamp with time zone not null,
  -- Seconds for which pods held a node.
  pod_seconds numeric not null,
  -- Requested CPU × these seconds, in core-seconds.
  cpu_core_seconds numeric not null,
  -- Requested memory × these seconds, in byte-seconds.
  memory_byte_seconds numeric not null,
  -- Requested GPUs × these seconds.
  gpu_seconds numeric not null,
  -- As pod_seconds, until the earliest possible ends of the pods.
  pod_seconds_at_least numeric not null,
  -- As cpu_core_seconds, until the earliest possible ends of the pods.
  cpu_core_seconds_at_least numeric not null,
  -- As memory_byte_seconds, until the earliest possible ends of the pods.
  memory_byte_seconds_at_least numeric not null,
  -- As gpu_seconds, until the earliest possible ends of the pods.
  gpu_seconds_at_least numeric not null,
  -- Price of the requests per hour × these seconds: the cost × 3600. Null when no resource had a price (prices).
  cost_seconds numeric,
  -- As cost_seconds, until the earliest possible ends of the pods.
  cost_seconds_at_least numeric
);
CREATE INDEX ended_usage_by_end ON jobledger.ended_usage USING btree (ended_in);
CREATE INDEX ended_usage_by_hour ON jobledger.ended_usage USING btree (hour);
grant select on ended_usage to jobledger_reader;

-- Ids of all events that were ever applied, to recognise repeats. The rows stay when a partition of events is dropped.
create table event_ids (
  -- Id of the event.
  id text not null,
  -- Time of the event's row in events.
  "time" timestamp with time zone not null,
  constraint event_ids_pkey PRIMARY KEY (id)
);
grant select on event_ids to jobledger_reader;

-- The ledger: one row per event, in monthly partitions by time. Retention drops partitions.
create table events (
  -- Identity of the event. A repeat, even with a later time, adds no row.
  id text not null,
  -- Type of the event, without the prefix "dev.jobledger." and the version, such as job.observed or job.decided; docs/events.md lists them.
  type text not null,
  -- Version of the type whose format the data has.
  type_version smallint not null,
  -- Source of the event: the cluster for facts, jobledger/<cluster> for decisions and outcomes.
  source text not null,
  -- Subject of the event: <namespace>/<job name>, or the cluster for events of a whole cluster.
  subject text not null,
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job; null for events of a whole cluster.
  job_uid text,
  -- Namespace of the Job; null for events of a whole cluster, and when it is not known.
  namespace text,
  -- Name of the Job; null for events of a whole cluster, and when it is not known.
  job_name text,
  -- resourceVersion of the observed or deleted object, plus 10^30 for each earlier time that the API server was restored from an older copy; null for other events.
  resource_version numeric,
  -- Time at which the event was first recorded.
  "time" timestamp with time zone not null,
  -- Partition of the ledger topic; all events of one Job are in the same partition.
  kafka_partition integer not null,
  -- Offset within the partition, which orders the events of one Job.
  kafka_offset bigint not null,
  -- Digest of data, computed when the event was written; "jobledger admin verify" checks it.
  digest text not null,
  -- Content of the event, in the format of type_version, which docs/events.md describes for each type.
  data jsonb not null,
  constraint events_pkey PRIMARY KEY (id, "time")
) partition by RANGE ("time");
CREATE INDEX events_by_position ON ONLY jobledger.events USING btree (kafka_partition, kafka_offset);
CREATE INDEX events_of_job ON ONLY jobledger.events USING btree (cluster, job_uid, kafka_offset);
CREATE INDEX events_of_type ON ONLY jobledger.events USING btree (type, "time");
grant select on events to jobledger_reader;

-- Periods in which events of a cluster may have been missed.
create table gaps (
  -- Id of the event that records the gap.
  id text not null,
  -- Name of the cluster.
  cluster text not null,
  -- The namespace of the watch, where given namespaces are watched; null for a watch of the whole cluster.
  namespace text,
  -- The resource of the watch: jobs, pods or cronjobs; all when the API server was restored from an older copy.
  resource text not null,
  -- Start of the period.
  since timestamp with time zone not null,
  -- End of the period.
  until timestamp with time zone not null,
  -- Reason why events may have been missed.
  reason text,
  -- Time at which the gap was recorded.
  recorded_at timestamp with time zone not null,
  constraint gaps_pkey PRIMARY KEY (id)
);
CREATE TRIGGER added_usage AFTER INSERT ON jobledger.gaps FOR EACH ROW EXECUTE FUNCTION mark_stale_usage();
grant select on gaps to jobledger_reader;

-- Every observed status of a Job: one row per version of the object, and one for its deletion. The rows stay when a partition of events is dropped.
create table job_statuses (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job.
  uid text not null,
  -- Namespace of the Job.
  namespace text not null,
  -- Name of the Job.
  name text not null,
  -- The status of the Job in the word that kubectl shows.
  kubectl_status text not null,
  -- spec.suspend.
  suspend boolean not null,
  -- spec.parallelism.
  parallelism integer,
  -- spec.completions; null when a single success completes the Job.
  completions integer,
  -- status.active; 0 when absent.
  active integer not null,
  -- status.ready; 0 when absent.
  ready integer not null,
  -- status.terminating; 0 when absent.
  terminating integer not null,
  -- status.succeeded; 0 when absent.
  succeeded integer not null,
  -- status.failed; 0 when absent.
  failed integer not null,
  -- status.completedIndexes.
  completed_indexes text,
  -- status.failedIndexes.
  failed_indexes text,
  -- status.startTime.
  started_at timestamp with time zone,
  -- status.completionTime.
  completed_at timestamp with time zone,
  -- status.conditions.
  conditions jsonb not null,
  -- metadata.resourceVersion, plus 10^30 for each earlier restore of the API server.
  resource_version numeric not null,
  -- Time at which the event with this status was recorded.
  seen_at timestamp with time zone not null,
  -- Id of the event with this status; its data contains the whole object.
  event_id text not null,
  -- True when the Job was deleted and this is its last observed status.
  deleted boolean not null,
  constraint job_statuses_pkey PRIMARY KEY (cluster, uid, resource_version, deleted)
);
CREATE INDEX job_statuses_started ON jobledger.job_statuses USING btree (cluster, uid, resource_version) WHERE (started_at IS NOT NULL);
grant select on job_statuses to jobledger_reader;

-- One row per Job that was ever observed, with its current status. A Job created again under its name has its own row.
create table jobs (
  -- Name of the cluster.
  cluster text not null,
  -- metadata.uid.
  uid text not null,
  -- metadata.namespace.
  namespace text not null,
  -- metadata.name.
  name text not null,
  -- metadata.labels.
  labels jsonb not null,
  -- Kind of the object that controls the Job (ownerReferences), such as CronJob; null when no object controls the Job.
  owner_kind text,
  -- Name of the object that controls the Job.
  owner_name text,
  -- Name that the runs of a series share: the name of the object that controls the Job, such as its CronJob. For a Job without such an object, the name of the Job without a generated end, or without an end that is a date, a number of four digits or more, or a hexadecimal id.
  series text not null,
  -- The time of the schedule for which a CronJob created the Job, from the annotation batch.kubernetes.io/cronjob-scheduled-timestamp; null for other Jobs.
  scheduled_at timestamp with time zone,
  -- spec.managedBy; null when absent.
  managed_by text,
  -- True when Jobledger controls this Job: spec.managedBy names Jobledger, or one of its decisions is recorded.
  claimed boolean not null,
  -- True when the Job runs a placed Job, as placements.member_uid says. Counts and lists have the placed Job instead.
  member boolean not null default false,
  -- Status of the Job: Pending (no pod has run yet), Running, Retrying (an attempt failed, and the next one does not run yet), Suspended, Succeeded, Failed, External (Jobledger does not control the Job) or Deleted (the Job was deleted before it ended).
  status text not null,
  -- Reason why the Job waits, as text; null when the Job waits for nothing but its pods, or has ended.
  waiting_for text,
  -- End of the wait, such as the time of the next attempt after a back-off; null when it is not known.
  waiting_until timestamp with time zone,
  -- Reason why the Job failed or is failing: the causes of failed pods with their numbers, then the reason of the condition Failed or FailureTarget. Null when nothing failed, or when the Job succeeded.
  reason text,
  -- spec.parallelism.
  parallelism integer,
  -- spec.completions; null when a single success completes the Job.
  completions integer,
  -- spec.completionMode.
  completion_mode text,
  -- spec.backoffLimit.
  backoff_limit integer,
  -- spec.backoffLimitPerIndex.
  backoff_limit_per_index integer,
  -- spec.activeDeadlineSeconds.
  active_deadline_seconds bigint,
  -- spec.ttlSecondsAfterFinished.
  ttl_seconds_after_finished integer,
  -- spec.suspend.
  suspend boolean not null,
  -- The status in the word that kubectl shows: Complete, Failed, Terminating, Suspended, FailureTarget, SuccessCriteriaMet, Running; Unknown while only pods of the Job were observed; Deleted when the Job was deleted before it ended.
  kubectl_status text not null,
  -- status.active; 0 when the Job was deleted before it ended.
  active integer not null,
  -- status.ready; 0 when the Job was deleted before it ended.
  ready integer not null,
  -- status.terminating; 0 when the Job was deleted before it ended.
  terminating integer not null,
  -- status.succeeded.
  succeeded integer not null,
  -- status.failed.
  failed integer not null,
  -- status.completedIndexes.
  completed_indexes text,
  -- status.failedIndexes.
  failed_indexes text,
  -- Current status.conditions; the table conditions has their history.
  conditions jsonb not null,
  -- metadata.creationTimestamp.
  created_at timestamp with time zone,
  -- status.startTime.
  started_at timestamp with time zone,
  -- status.completionTime.
  completed_at timestamp with time zone,
  -- Time at which the Job became Complete or Failed, from the status.
  finished_at timestamp with time zone,
  -- metadata.deletionTimestamp.
  deletion_requested_at timestamp with time zone,
  -- Time at which the deletion of the Job was recorded; null while the Job exists.
  deleted_at timestamp with time zone,
  -- False when the Job was deleted at an unknown time while no watch was open.
  deletion_seen boolean,
  -- metadata.generation.
  generation bigint,
  -- resourceVersion of the newest observation, plus 10^30 for each earlier restore of the API server; 0 before the first observation.
  resource_version numeric not null,
  -- Time of the first event of this Job.
  first_seen_at timestamp with time zone not null,
  -- Time of the newest observation of the Job or its deletion.
  last_seen_at timestamp with time zone not null,
  -- Number of pods of the Job, deleted pods included; the table pods has a row for each.
  attempt_count integer not null,
  -- The pods of the Job as counts: running; failed, by cause; waiting, by reason. The columns status, waiting_for and reason follow from this column. For a placed Job, whose pods are those of its members, they follow from the columns ready, active and failed.
  pod_summary jsonb not null,
  -- Time at which the first observed pod of the Job was created.
  first_pod_at timestamp with time zone,
  -- Time at which the first container of a pod of the Job started, init containers included, by the clock of the node; null when no start was observed.
  first_container_started_at timestamp with time zone,
  -- Time at which a pod of the Job was first ready; null when no pod was observed ready.
  first_ready_at timestamp with time zone,
  -- The user who asked Jobledger to suspend the Job, the first user if there were several; null when no user did, or when the Job was resumed afterwards.
  suspend_requested_by text,
  -- Time at which that request was recorded.
  suspend_requested_at timestamp with time zone,
  -- Number of recorded decisions, superseded decisions included.
  decision_count integer not null,
  -- Number of commands in these decisions.
  command_count integer not null,
  -- Number of outcomes with an error.
  failed_command_count integer not null,
  -- Id of the latest decision by now; of several decisions with the same instant, the decision with the highest number.
  last_decision text,
  -- Number of the last decision; 0 before the first decision.
  last_decision_number integer not null,
  -- The instant that the last decision used as now.
  last_decided_at timestamp with time zone,
  -- First run id of the Temporal workflow that made the last decision.
  first_run_id text,
  -- Time at which the next decision is due without new events; null when none is due.
  next_decision_at timestamp with time zone,
  -- Rule of the current wait; null when the Job waits for nothing.
  waiting_rule text,
  -- Reason of the wait as text.
  waiting_message text,
  -- Time at which the current wait began.
  waiting_since timestamp with time zone,
  constraint jobs_pkey PRIMARY KEY (cluster, uid)
);
CREATE INDEX jobs_by_label ON jobledger.jobs USING gin (labels jsonb_path_ops);
CREATE INDEX jobs_by_name ON jobledger.jobs USING btree (cluster, namespace, name);
CREATE INDEX jobs_by_reason ON jobledger.jobs USING btree (regexp_replace(reason, ' ×[0-9]+'::text, ''::text, 'g'::text), COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC) WHERE (reason IS NOT NULL);
CREATE INDEX jobs_by_short_name ON jobledger.jobs USING btree (name);
CREATE INDEX jobs_by_start ON jobledger.jobs USING btree (cluster, namespace, owner_name, scheduled_at) WHERE (scheduled_at IS NOT NULL);
CREATE INDEX jobs_by_status ON jobledger.jobs USING btree (status, COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC) INCLUDE (active, deleted_at);
CREATE INDEX jobs_counted_once ON jobledger.jobs USING btree (COALESCE(created_at, first_seen_at)) INCLUDE (created_at, first_seen_at, finished_at, deleted_at, status, active, member, cluster, namespace);
CREATE INDEX jobs_ended ON jobledger.jobs USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX jobs_ever_in_order_of_end ON jobledger.jobs USING btree (COALESCE(finished_at, 'infinity'::timestamp with time zone), cluster, uid);
CREATE INDEX jobs_ever_in_order_of_name ON jobledger.jobs USING btree (name COLLATE "C", cluster, uid);
CREATE INDEX jobs_finished ON jobledger.jobs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX jobs_in_order_of_end ON jobledger.jobs USING btree (COALESCE(finished_at, 'infinity'::timestamp with time zone), cluster, uid) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_in_order_of_name ON jobledger.jobs USING btree (name COLLATE "C", cluster, uid) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_newest ON jobledger.jobs USING btree (COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_newest_by_kubectl_status ON jobledger.jobs USING btree (kubectl_status, COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_newest_ever ON jobledger.jobs USING btree (COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC);
CREATE INDEX jobs_newest_ever_of_cluster ON jobledger.jobs USING btree (cluster, COALESCE(created_at, first_seen_at) DESC, uid DESC);
CREATE INDEX jobs_newest_ever_of_namespace ON jobledger.jobs USING btree (namespace, COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC);
CREATE INDEX jobs_newest_of_cluster ON jobledger.jobs USING btree (cluster, COALESCE(created_at, first_seen_at) DESC, uid DESC) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_newest_of_namespace ON jobledger.jobs USING btree (namespace, COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_newest_of_owner ON jobledger.jobs USING btree (owner_name, COALESCE(created_at, first_seen_at) DESC, cluster DESC, uid DESC) WHERE ((deleted_at IS NULL) AND (owner_name IS NOT NULL));
CREATE INDEX jobs_not_finished ON jobledger.jobs USING btree (cluster, created_at) WHERE ((finished_at IS NULL) AND (deleted_at IS NULL));
CREATE TRIGGER changed_usage AFTER UPDATE ON jobledger.jobs FOR EACH ROW WHEN (((((((old.namespace IS DISTINCT FROM new.namespace) OR (old.labels IS DISTINCT FROM new.labels)) OR (old.series IS DISTINCT FROM new.series)) OR (old.member IS DISTINCT FROM new.member)) OR (old.claimed IS DISTINCT FROM new.claimed)) OR ((old.conditions IS DISTINCT FROM new.conditions) AND (ending_reason(old.conditions) IS DISTINCT FROM ending_reason(new.conditions))))) EXECUTE FUNCTION mark_stale_usage();
grant select on jobs to jobledger_reader;

-- Kubernetes Events of other programs about a Job or one of its pods, one row for each object, reason and kind of text. Events with the same text, apart from numbers and names, have no further row.
create table kubernetes_events (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job, or of the Job in whose stream the pod is recorded.
  job_uid text not null,
  -- Namespace of the Job or pod.
  namespace text not null,
  -- Name of the Job; empty when the Job was not known.
  job_name text not null,
  -- The kind of the object that the Event is about: Job or Pod.
  kind text not null,
  -- UID of the Job or pod.
  uid text not null,
  -- Name of the Job or pod.
  name text not null,
  -- The reason, such as FailedScheduling; docs/operate/kubernetes-events.md has them all.
  reason text not null,
  -- Normal or Warning.
  type text not null,
  -- The program that reported the Event, such as default-scheduler or kubelet. Any user who may create Events can write any name.
  reported_by text not null,
  -- The text of the Event. Of reasons whose text may quote a program, only known phrases are recorded; empty without one.
  note text not null,
  -- The kind of a further object that the Event names, such as the pod for which this pod was preempted; null without one.
  related_kind text,
  -- Namespace of the further object.
  related_namespace text,
  -- Name of the further object.
  related_name text,
  -- UID of the further object.
  related_uid text,
  -- Number of repetitions of the Event until it was recorded.
  count integer not null,
  -- Time of the first repetition, by the clock of the program.
  first_at timestamp with time zone not null,
  -- Time of the latest repetition until the Event was recorded, by the clock of the program.
  last_at timestamp with time zone not null,
  -- True when no further Event of the Job, or of the Job with this reason, is recorded: dropped_kubernetes_events counts them.
  is_last boolean not null,
  -- Id of the event.
  event_id text not null,
  -- Time at which the event was recorded.
  recorded_at timestamp with time zone not null,
  constraint kubernetes_events_pkey PRIMARY KEY (cluster, job_uid, event_id)
);
CREATE INDEX kubernetes_events_by_age ON jobledger.kubernetes_events USING btree (recorded_at);
grant select on kubernetes_events to jobledger_reader;

-- The migrations that made this schema, one row for each.
create table migrations (
  -- File name of the migration.
  name text not null,
  -- Digest of the text of the migration.
  digest text not null,
  -- Digest of the formats of the first release; before that release, of the version that applied the migration.
  stamp text not null,
  -- Time at which the migration was applied.
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);
grant select on migrations to jobledger_reader;

-- The times of CronJobs for which no Job existed ten minutes later, at most 100 a day for each CronJob. Use the view cron_runs, which leaves out the times for which a Job came later, and those in gaps.
create table missed_starts (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the CronJob.
  cron_job_uid text not null,
  -- Namespace of the CronJob.
  namespace text not null,
  -- Name of the CronJob.
  cron_job_name text not null,
  -- The time of the schedule.
  scheduled_at timestamp with time zone not null,
  constraint missed_starts_pkey PRIMARY KEY (cluster, cron_job_uid, scheduled_at)
);
grant select on missed_starts to jobledger_reader;

-- How far missed_starts is complete. The projector continues there; without a row it begins at the first observed CronJob.
create table missed_starts_counted (
  -- Name of the cluster.
  cluster text not null,
  -- The instant up to which the times of schedules were compared with Jobs.
  counted_until timestamp with time zone not null,
  constraint missed_starts_counted_pkey PRIMARY KEY (cluster)
);
grant select on missed_starts_counted to jobledger_reader;

-- The teams of namespaces, which the projector writes from its setting JOBLEDGER_TEAMS at its start. A namespace without a row is a team of its own.
create table namespace_teams (
  -- Name of the cluster; * for every cluster.
  cluster text not null,
  -- Name of the namespace.
  namespace text not null,
  -- The teams of the namespace. The first team has the Jobs whose label names none of these teams.
  teams text[] not null,
  -- The label of a Job that names its team (JOBLEDGER_TEAM_LABEL).
  label text not null,
  constraint namespace_teams_pkey PRIMARY KEY (cluster, namespace)
);
CREATE TRIGGER changed_usage AFTER INSERT OR DELETE OR UPDATE ON jobledger.namespace_teams FOR EACH ROW EXECUTE FUNCTION mark_stale_usage();
grant select on namespace_teams to jobledger_reader;

-- The facts of each node from an instant on, and its deletion, if the ingester may read nodes. Heartbeats are no versions.
create table node_versions (
  -- Id of the event.
  event_id text not null,
  -- Name of the cluster.
  cluster text not null,
  -- UID of the node.
  node_uid text not null,
  -- Name of the node.
  node text not null,
  -- Time from which the facts hold: the creation of the node, or the observation of the change or of the deletion.
  since timestamp with time zone not null,
  -- True for the deletion of the node.
  deleted boolean not null,
  -- The label node.kubernetes.io/instance-type.
  instance_type text,
  -- The label topology.kubernetes.io/region.
  region text,
  -- The label topology.kubernetes.io/zone.
  zone text,
  -- spot or on-demand, from the label of Karpenter, EKS, AKS or GKE; null without such a label.
  capacity_type text,
  -- Product of the GPUs, from the label of their vendor, such as nvidia.com/gpu.product.
  gpu_product text,
  -- status.capacity of CPU, in cores.
  cpu_cores numeric,
  -- status.capacity of memory, in bytes.
  memory_bytes numeric,
  -- Number of whole GPUs: the sum of the extended resources that end in /gpu.
  gpus numeric,
  -- status.capacity of CPU, memory and up to 20 extended resources, by resource.
  capacity jsonb not null,
  constraint node_versions_pkey PRIMARY KEY (event_id)
);
CREATE INDEX node_versions_by_name ON jobledger.node_versions USING btree (cluster, node, since DESC);
grant select on node_versions to jobledger_reader;

-- Every grant of a placed Job (managedBy jobledger.dev/placement), with the cluster that got the Job. Grants of one Job never overlap, unless end_reason says otherwise; those of a spread Job hold different indexes (granted_indexes).
create table placements (
  -- The home: the cluster of the placed Job.
  cluster text not null,
  -- UID of the placed Job.
  job_uid text not null,
  -- Number of the grant among those of the Job, from 1.
  grant_number integer not null,
  -- Namespace of the placed Job and of its members.
  namespace text not null,
  -- Name of the placed Job.
  job_name text not null,
  -- The cluster that got the Job.
  placed_in text not null,
  -- Time at which it was decided that the cluster gets the Job.
  given_at timestamp with time zone not null,
  -- Id of the decision that gave the cluster the Job.
  decision text not null,
  -- Rule by which the decision gave the cluster the Job.
  rule text not null,
  -- Reason as text: the chosen cluster, and why each other cluster was refused.
  message text not null,
  -- Name of the member, which is the Job in that cluster.
  member_name text not null,
  -- UID of the member; null while it is not known that the member was created.
  member_uid text,
  -- UID of the member that is marked in jobs.member; null before.
  marked_uid text,
  -- resourceVersion of the newest observation of the member, plus 10^30 for each earlier restore of the API server; null before the first observation.
  resource_version numeric,
  -- For a Job that is spread over several clusters: the indexes that this cluster had, as the view granted_indexes shows them; null when the cluster had all indexes.
  granted jsonb,
  -- Indexes that are complete by the last observation of the member, those of earlier members included.
  indexes text,
  -- Number of pods that succeeded by the last observation of the member, those of earlier members included.
  succeeded integer not null,
  -- Number of pods that failed by the last observation of the member, those of earlier members included.
  failed integer not null,
  -- Reason why the member is stopped although the Job goes on: drain, spill, lost, returned; unguarded: its guard is gone; again: a late request has created it after another member. The reason is end when the Job has ended, and null while the member may run.
  stopping text,
  -- Reason why the cluster refused the member; null if it did not.
  refused text,
  -- True when the cluster came back and still ran the member after another cluster had got the Job: the work of the member since ended_at overlaps.
  overlapped boolean not null,
  -- Time at which the cluster no longer had the Job; null while the cluster has it.
  ended_at timestamp with time zone,
  -- Reason why nothing of the grant can run after ended_at. finished: the member has an end. stopped: the controller of the member reported that it is suspended, and a list then showed no open pod. gone: neither a member nor an open pod existed. refused: no member was created. guarded: the cluster's own controllers and the kubelet had ended every pod. ended: the member has ended, but by a change since then the Job asks for more. lost: a person declared that nothing runs in the cluster any more. time: the Job accepts that it may run twice. deleted: the placed Job was deleted with its members.
  end_reason text,
  -- Id of the decision that ended the grant; null when the member ended by itself.
  end_decision text,
  -- Reason of the end as text.
  end_message text,
  constraint placements_pkey PRIMARY KEY (cluster, job_uid, grant_number)
);
CREATE INDEX placements_of_cluster ON jobledger.placements USING btree (placed_in, given_at);
CREATE INDEX placements_of_member ON jobledger.placements USING btree (placed_in, member_uid);
CREATE INDEX placements_open ON jobledger.placements USING btree (placed_in) WHERE (ended_at IS NULL);
CREATE INDEX placements_to_mark ON jobledger.placements USING btree (placed_in, member_uid) WHERE ((member_uid IS NOT NULL) AND (marked_uid IS DISTINCT FROM member_uid));
CREATE TRIGGER added_usage AFTER INSERT OR DELETE ON jobledger.placements FOR EACH ROW EXECUTE FUNCTION mark_stale_usage();
CREATE TRIGGER changed_usage AFTER UPDATE ON jobledger.placements FOR EACH ROW WHEN ((((((old.placed_in IS DISTINCT FROM new.placed_in) OR (old.member_uid IS DISTINCT FROM new.member_uid)) OR (old.stopping IS DISTINCT FROM new.stopping)) OR (old.overlapped IS DISTINCT FROM new.overlapped)) OR (old.ended_at IS DISTINCT FROM new.ended_at))) EXECUTE FUNCTION mark_stale_usage();
grant select on placements to jobledger_reader;

-- One row per attempt: every pod that ever belonged to a Job.
create table pods (
  -- Name of the cluster.
  cluster text not null,
  -- UID of the Job under which the pod is recorded.
  job_uid text not null,
  -- metadata.uid.
  uid text not null,
  -- Namespace of the Job and the pod.
  namespace text,
  -- Name of the Job.
  job_name text,
  -- metadata.name.
  name text not null,
  -- Completion index; null for NonIndexed Jobs.
  completion_index integer,
  -- Last observed status.phase; null when the pod was created but never observed.
  phase text,
  -- First non-zero exit code of the containers of the pod; 0 when all regular containers ended with 0; null while one of them runs.
  exit_code integer,
  -- status.reason; otherwise the reason of the container that failed or waits; otherwise the reason why a pending pod has no node.
  reason text,
  -- status.message; otherwise the message of the container that failed or waits, or of the condition PodScheduled.
  message text,
  -- The init container or sidecar that exit_code, reason and message describe, such as init container setup; null when they describe another container or the pod.
  container text,
  -- spec.nodeName.
  node text,
  -- Image of the first container of the pod, as its spec names it.
  image text,
  -- Digest of the image that the first container of the pod ran, sha256:…, as the kubelet reports it; null before the container ran, and when the kubelet reports none.
  image_digest text,
  -- CPU that the pod requests, in cores, as the scheduler counts: the request of the whole pod; without one, that of its containers and sidecars together or, if larger, that of its largest init container with the sidecars beside it. The overhead is included. Null while the pod was not observed.
  cpu_request_cores numeric,
  -- Memory that the pod requests, in bytes, counted as in cpu_request_cores.
  memory_request_bytes numeric,
  -- Whole GPUs that the pod requests, counted as in cpu_request_cores: the sum of the resources whose name ends in /gpu, such as nvidia.com/gpu.
  gpu_request numeric,
  -- All requested amounts by resource, cpu in cores and memory in bytes, counted as in cpu_request_cores. Devices that are claimed through resourceClaims are not among them.
  requests jsonb not null,
  -- The limits by resource, counted as in cpu_request_cores; a resource without a limit is absent.
  limits jsonb not null,
  -- The CPU, memory and GPUs that the pod requested before it was resized in place, each with the time until which it requested them: the time at which the change was recorded, in whole seconds. The last 100 changes; null without a change. The view attempts counts with them.
  request_steps jsonb,
  -- spec.priorityClassName.
  priority_class text,
  -- status.qosClass: Guaranteed, Burstable or BestEffort.
  qos_class text,
  -- Number of restarts of all containers of the pod.
  restarts integer not null,
  -- The containers that have restarted, such as sidecar proxy ×3; null when no container has restarted.
  restarted text,
  -- metadata.labels.
  labels jsonb not null,
  -- resourceVersion of the newest observation, plus 10^30 for each earlier restore of the API server; 0 before the first observation.
  resource_version numeric not null,
  -- metadata.creationTimestamp; until the pod is observed, the time of the worker's clock.
  created_at timestamp with time zone,
  -- Time at which the pod was bound to its node: the transition of the condition PodScheduled. For a pod that was created with a node, the time at which the kubelet accepted it. Null while the pod has no node.
  bound_at timestamp with time zone,
  -- status.startTime, at which the kubelet of the node accepted the pod.
  started_at timestamp with time zone,
  -- Time at which the first container of the pod started, init containers included, by the clock of its node; null when no start was observed. A container that restarted several times between two observations may have started earlier.
  first_container_started_at timestamp with time zone,
  -- Time since which the pod was ready in the first observation that showed it ready; null when no observation did.
  first_ready_at timestamp with time zone,
  -- Latest end of the containers of the pod, init containers included, by the clock of its node; null while one of them runs, and when no end was observed.
  last_container_ended_at timestamp with time zone,
  -- Time at which the pod finished, by rule J-5.41.
  finished_at timestamp with time zone,
  -- Time until which the pod held its node: the end of its last container; for a pod that was deleted before its end was observed, the deletion or the later end of its last container. When neither was seen, the latest possible time. Null while the pod holds a node or waits for one.
  held_until timestamp with time zone,
  -- The earliest possible time until which the pod held its node, when nobody saw its end: the last observation before a deletion that was not seen, or finished_at of a pod whose containers were not seen ending. Null when held_until is exact.
  held_until_at_least timestamp with time zone,
  -- Time at which the deletion of the pod was requested: deletionTimestamp minus the grace period.
  deletion_requested_at timestamp with time zone,
  -- Time at which the deletion of the pod was recorded; null while the pod exists.
  deleted_at timestamp with time zone,
  -- Id of the decision that created the pod; null when Jobledger did not create the pod.
  creation_decision text,
  -- Rule by which the pod was created.
  creation_rule text,
  -- Reason of the creation as text.
  creation_message text,
  -- Id of the first decision to delete the pod.
  deletion_decision text,
  -- Rule by which that decision deletes the pod.
  deletion_rule text,
  -- Reason of the deletion as text.
  deletion_message text,
  -- Time at which the deletion was decided.
  deletion_decided_at timestamp with time zone,
  -- The cause of the end of the pod as a code without numbers: Succeeded; the reason of the container that failed, such as Error or OOMKilled, or of the pod, such as DeadlineExceeded; Evicted; the reason of a disruption, such as PreemptionByScheduler or DeletionByTaintManager; DeletedByJobledger, DeletedWithJob, Deleted: by another client; NeverObserved, NotObserved: the pod was gone, and no version shows why. Null until the pod ends.
  end_cause text,
  -- Reason of the end as text: Succeeded, exit code 3 (Error), deleted by Jobledger: …, deleted with its Job, deleted by another client, evicted: …, gone while nobody watched. Null until the pod ends.
  end_message text,
  -- Id of the first event that showed the end of the pod; null until the pod ends.
  end_event_id text,
  -- succeeded or failed, once a decision counts the pod in a status; null before.
  counted_as text,
  -- Id of the newest decision that counts the pod.
  count_decision text,
  -- Time of the first event about the pod.
  first_seen_at timestamp with time zone not null,
  -- Time of the newest observation of the pod, or of its deletion.
  last_seen_at timestamp with time zone not null,
  constraint pods_pkey PRIMARY KEY (cluster, job_uid, uid)
);
CREATE INDEX pods_by_creation ON jobledger.pods USING btree (created_at);
CREATE INDEX pods_by_end ON jobledger.pods USING btree (end_event_id) WHERE (end_event_id IS NOT NULL);
CREATE INDEX pods_by_hold ON jobledger.pods USING btree (held_until) WHERE (held_until IS NOT NULL);
CREATE INDEX pods_by_job_name ON jobledger.pods USING btree (cluster, namespace, job_name);
CREATE INDEX pods_by_name ON jobledger.pods USING btree (name);
CREATE INDEX pods_open ON jobledger.pods USING btree (cluster, job_uid) WHERE (held_until IS NULL);
CREATE INDEX pods_succeeded_of_index ON jobledger.pods USING btree (cluster, job_uid, completion_index) WHERE ((phase = 'Succeeded'::text) AND (completion_index IS NOT NULL));
CREATE TRIGGER added_usage AFTER INSERT ON jobledger.pods FOR EACH ROW WHEN ((new.held_until IS NOT NULL)) EXECUTE FUNCTION mark_stale_usage();
CREATE TRIGGER changed_usage AFTER UPDATE ON jobledger.pods FOR EACH ROW WHEN ((((old.held_until IS NOT NULL) OR (new.held_until IS NOT NULL)) AND ((((((((((((((((old.held_until IS DISTINCT FROM new.held_until) OR (old.held_until_at_least IS DISTINCT FROM new.held_until_at_least)) OR (old.bound_at IS DISTINCT FROM new.bound_at)) OR (old.first_container_started_at IS DISTINCT FROM new.first_container_started_at)) OR (old.request_steps IS DISTINCT FROM new.request_steps)) OR (old.cpu_request_cores IS DISTINCT FROM new.cpu_request_cores)) OR (old.memory_request_bytes IS DISTINCT FROM new.memory_request_bytes)) OR (old.gpu_request IS DISTINCT FROM new.gpu_request)) OR (old.requests IS DISTINCT FROM new.requests)) OR (old.phase IS DISTINCT FROM new.phase)) OR (old.reason IS DISTINCT FROM new.reason)) OR (old.exit_code IS DISTINCT FROM new.exit_code)) OR (old.end_cause IS DISTINCT FROM new.end_cause)) OR (old.deletion_rule IS DISTINCT FROM new.deletion_rule)) OR (old.creation_decision IS DISTINCT FROM new.creation_decision)) OR (old.completion_index IS DISTINCT FROM new.completion_index)))) EXECUTE FUNCTION mark_stale_usage();
CREATE TRIGGER removed_usage AFTER DELETE ON jobledger.pods FOR EACH ROW WHEN ((old.held_until IS NOT NULL)) EXECUTE FUNCTION mark_stale_usage();
grant select on pods to jobledger_reader;

-- The offset up to which each partition of the ledger is applied. The projector writes it in the same transaction as the rows.
create table positions (
  -- Name of the ledger topic.
  topic text not null,
  -- Partition of the topic.
  partition integer not null,
  -- Id of the Kafka cluster of the ledger; null when Kafka does not report it.
  kafka_cluster text,
  -- Offset of the first record that was applied from the partition.
  begins_at bigint not null,
  -- Offset of the first record that is not applied yet.
  next_offset bigint not null,
  -- Time at which the position last moved.
  applied_at timestamp with time zone not null,
  constraint positions_pkey PRIMARY KEY (topic, partition)
);
grant select on positions to jobledger_reader;

-- One row with what "jobledger admin retention" has removed.
create table retention (
  -- Events before this instant are not stored in events, whenever they are applied; the other tables include their effects. Null when nothing was dropped.
  events_from timestamp with time zone,
  -- Jobs whose deletion was recorded before this instant are removed from all tables, whenever their events are applied ("jobledger admin retention --ended-before"). Null while there is no horizon.
  horizon timestamp with time zone
);
CREATE UNIQUE INDEX retention_is_one_row ON jobledger.retention USING btree ((true));
grant select on retention to jobledger_reader;

-- The messages that each sink has not received yet. The messages about a namespace in a partition are a queue. A rebuild does not make this table from the ledger.
create table sink_messages (
  -- Name of the sink (JOBLEDGER_SINKS, JOBLEDGER_SINK_NAME).
  sink text not null,
  -- Name of the ledger topic.
  topic text not null,
  -- Partition of the topic.
  partition integer not null,
  -- Offset of the record that the message is about.
  kafka_offset bigint not null,
  -- started, attempt-failed or ended, as in the type of the message.
  type text not null,
  -- Name of the cluster of the Job.
  cluster text not null,
  -- Namespace of the Job.
  namespace text not null,
  -- Time at which the record was searched for messages to the sink.
  found_at timestamp with time zone not null default now(),
  -- Number of deliveries that the sink did not accept.
  failure_count integer not null default 0,
  -- True when later messages of the queue do not wait for this one: the sink accepted one of them but not this one, or the Job of this one may turn out to be a member of a placed Job.
  out_of_order boolean not null default false,
  -- Time at which the message is delivered next; while a process delivers the message, the time from which other processes may deliver it.
  due_at timestamp with time zone not null default now(),
  constraint sink_messages_pkey PRIMARY KEY (sink, topic, partition, kafka_offset, type)
);
CREATE INDEX sink_messages_out_of_order ON jobledger.sink_messages USING btree (sink, topic, cluster, namespace, partition, due_at) WHERE out_of_order;
CREATE INDEX sink_messages_queues ON jobledger.sink_messages USING btree (sink, topic, cluster, namespace, partition, out_of_order, kafka_offset, type DESC);
grant select on sink_messages to jobledger_reader;

-- The positions of each sink in the ledger: the messages about everything before next_offset were delivered, or are in sink_messages. A rebuild does not make this table from the ledger.
create table sink_positions (
  -- Name of the sink (JOBLEDGER_SINKS, JOBLEDGER_SINK_NAME).
  sink text not null,
  -- Name of the ledger topic.
  topic text not null,
  -- Partition of the topic.
  partition integer not null,
  -- Offset of the first record that was not yet searched for messages to the sink.
  next_offset bigint not null,
  constraint sink_positions_pkey PRIMARY KEY (sink, topic, partition)
);
grant select on sink_positions to jobledger_reader;

-- The hours in which pods ended and whose pods are not in ended_usage, or have changed since. The projector counts them within a minute; until then the views count them when they are read.
create table stale_usage (
  -- Beginning of the hour in which the pods ended. An hour may have several rows.
  hour timestamp with time zone not null
);
CREATE INDEX stale_usage_by_hour ON jobledger.stale_usage USING btree (hour);
grant select on stale_usage to jobledger_reader;

-- The hours in which attempts held a node: a row for each attempt, period of equal requests, and hour.
--   cluster text: Name of the cluster in which the pod ran.
--   namespace text: Namespace of the Job.
--   team text: Team of the Job by namespace_teams; for a placed Job, the team of its home.
--   series text: Name that the runs of the Job share, as in jobs.series.
--   wasted_by text: Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown. Null for a pod that succeeded, and until the pod ends.
--   waste_cause text: The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.
--   hour timestamp with time zone: Beginning of the hour, in UTC.
--   held_until timestamp with time zone: Time until which the pod held its node (pods.held_until): exact, or the latest possible time. Null while the pod holds a node or waits for one.
--   held numeric: Seconds of the hour for which the pod held its node with these requests.
--   held_at_least numeric: The same seconds until the earliest possible end of the pod.
--   cpu_request_cores numeric: CPU that the pod requested in the period, in cores.
--   memory_request_bytes numeric: Memory that the pod requested in the period, in bytes.
--   gpu_request numeric: Whole GPUs that the pod requested in the period.
--   requests jsonb: All amounts that the pod requests at the end, by resource. Only CPU and memory can change before.
--   cost_seconds numeric: Price of the requests per hour × held: the cost × 3600. A resource without a price costs nothing; null when no resource has a price in this cluster and hour.
--   cost_seconds_at_least numeric: As cost_seconds, until the earliest possible end of the pod.
create view attempt_hours as
 SELECT a.cluster,
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
    seconds.held * hourly_price(a.cluster, hours.hour, a.cpu_request_cores, a.memory_request_bytes, a.requests) AS cost_seconds,
    seconds.held_at_least * hourly_price(a.cluster, hours.hour, a.cpu_request_cores, a.memory_request_bytes, a.requests) AS cost_seconds_at_least
   FROM attempt_periods a
     CROSS JOIN LATERAL hours_within(a.since, a.until) hours(hour)
     CROSS JOIN LATERAL ( SELECT EXTRACT(epoch FROM LEAST(a.until, hours.hour + '01:00:00'::interval) - GREATEST(a.since, hours.hour)) AS held,
            GREATEST(0::numeric, EXTRACT(epoch FROM LEAST(a.until_at_least, hours.hour + '01:00:00'::interval) - GREATEST(a.since, hours.hour))) AS held_at_least) seconds;
grant select on attempt_hours to jobledger_reader;

-- The periods for which attempts held a node with the same requests: one row for an attempt that was not resized. An attempt that was never bound to a node has no row.
--   cluster text: Name of the cluster in which the pod ran.
--   namespace text: Namespace of the Job.
--   team text: Team of the Job by namespace_teams; for a placed Job, the team of its home.
--   series text: Name that the runs of the Job share, as in jobs.series.
--   job_uid text: UID of the Job of the pod, in the cluster in which the pod ran.
--   home text: Name of the cluster of the Job as its author created it: for a placed Job its home, for other Jobs the cluster of the pod.
--   home_job_uid text: UID of the Job in home, which is the UID in job_runs.
--   pod_uid text: UID of the pod.
--   held_until timestamp with time zone: Time until which the pod held its node (pods.held_until): exact, or the latest possible time. Null while the pod holds a node or waits for one.
--   since timestamp with time zone: Beginning of the period.
--   until timestamp with time zone: End of the period, which is not part of it: the next resize or the end of the pod, and now for a pod that holds its node.
--   until_at_least timestamp with time zone: The earliest possible end of the period; before since when the whole period is uncertain.
--   cpu_request_cores numeric: CPU that the pod requested in the period, in cores.
--   memory_request_bytes numeric: Memory that the pod requested in the period, in bytes.
--   gpu_request numeric: Whole GPUs that the pod requested in the period.
--   requests jsonb: All amounts that the pod requests at the end, by resource. Only CPU and memory can change before.
--   wasted_by text: Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown. Null for a pod that succeeded, and until the pod ends.
--   waste_cause text: The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.
create view attempt_periods as
 SELECT a.cluster,
    a.namespace,
    a.team,
    a.series,
    a.job_uid,
    a.home,
    a.home_job_uid,
    a.pod_uid,
    a.held_until,
    GREATEST(a.held_from, each.since) AS since,
    LEAST(COALESCE(a.held_until, open_pods_counted_until(a.cluster)), each.until) AS until,
    LEAST(COALESCE(a.held_until_at_least, a.held_until, open_pods_counted_until(a.cluster)), each.until) AS until_at_least,
    each.cpu_request_cores,
    each.memory_request_bytes,
    each.gpu_request,
    a.requests,
    a.wasted_by,
    a.waste_cause
   FROM attempts a
     CROSS JOIN LATERAL request_periods(a.request_steps, a.cpu_request_cores, a.memory_request_bytes, a.gpu_request) each(since, until, cpu_request_cores, memory_request_bytes, gpu_request)
  WHERE a.held_from IS NOT NULL AND GREATEST(a.held_from, each.since) < LEAST(COALESCE(a.held_until, open_pods_counted_until(a.cluster)), each.until);
grant select on attempt_periods to jobledger_reader;

-- Every attempt (a pod) with the time for which it held its node and ran, its requests over that time, its team, and the cause if its time was of no use. Times are half-open and in whole seconds.
--   cluster text: Name of the cluster in which the pod ran.
--   namespace text: Namespace of the Job.
--   job_uid text: UID of the Job of the pod, in the cluster in which the pod ran.
--   job_name text: Name of the Job of the pod.
--   home text: Name of the cluster of the Job as its author created it: for a placed Job its home, for other Jobs the cluster of the pod.
--   home_job_uid text: UID of the Job in home, which is the UID in job_runs.
--   team text: Team of the Job by namespace_teams; for a placed Job, the team of its home.
--   series text: Name that the runs of the Job share, as in jobs.series.
--   pod_uid text: UID of the pod.
--   pod text: Name of the pod.
--   completion_index integer: Completion index; null for NonIndexed Jobs.
--   node text: Name of the node.
--   node_instance_type text: The label node.kubernetes.io/instance-type of the node when the pod was bound; null where nodes are not recorded.
--   node_zone text: The label topology.kubernetes.io/zone of the node.
--   node_capacity_type text: spot or on-demand, as in node_versions.
--   node_gpu_product text: Product of the GPUs of the node, as in node_versions.
--   image text: Image of the first container of the pod.
--   image_digest text: Digest of that image, sha256:…; null when it is not known.
--   cpu_request_cores numeric: CPU that the pod requests at the end, in cores, as in pods.
--   memory_request_bytes numeric: Memory that the pod requests at the end, in bytes, as in pods.
--   gpu_request numeric: Whole GPUs that the pod requests at the end, as in pods.
--   requests jsonb: All amounts that the pod requests at the end, by resource, as in pods.
--   request_steps jsonb: The requests before each resize in place, as in pods.
--   created_at timestamp with time zone: Time at which the pod was created.
--   held_from timestamp with time zone: Time at which the pod was bound to its node (pods.bound_at); null when it never was.
--   held_until timestamp with time zone: Time until which the pod held its node (pods.held_until): exact, or the latest possible time. Null while the pod holds a node or waits for one.
--   held_until_at_least timestamp with time zone: The earliest possible time until which the pod held its node, when nobody saw its end: the last observation of the pod, or the beginning of the last gap before its deletion was recorded. For a pod that holds its node in a cluster whose pods were last received more than five minutes ago, that time. Null when held_until is exact.
--   held_seconds bigint: Whole seconds from held_from to held_until; until now for a pod that holds its node.
--   held_seconds_at_least bigint: Whole seconds from held_from to the earliest possible end; equal to held_seconds when the end is exact.
--   cpu_core_hours numeric: Requested CPU × held time, in core-hours, exact over resizes.
--   memory_gib_hours numeric: Requested memory × held time, in GiB-hours, exact over resizes.
--   gpu_hours numeric: Requested GPUs × held time, in hours, exact over resizes.
--   cpu_core_hours_at_least numeric: As cpu_core_hours, until the earliest possible end.
--   memory_gib_hours_at_least numeric: As memory_gib_hours, until the earliest possible end.
--   gpu_hours_at_least numeric: As gpu_hours, until the earliest possible end.
--   cost numeric: Requests × held time × the prices of each hour (prices), in their currency. A resource without a price costs nothing; null when no resource had a price, and for a pod that held no node.
--   cost_at_least numeric: As cost, until the earliest possible end.
--   ran_from timestamp with time zone: Time at which the first container of the pod started, init containers included, by the clock of the node.
--   ran_until timestamp with time zone: Time at which the last container of the pod ended, by the clock of the node; null while the pod may run, and when nobody saw this end.
--   ran_seconds bigint: Whole seconds from ran_from to ran_until, restarts included; until held_until when nobody saw the end, and until now for a pod that runs.
--   ran_seconds_at_least bigint: As ran_seconds, until the earliest possible end.
--   negative_spans integer: How many of the two spans, held and ran, end before they begin because two clocks differ. Such a span counts as 0 seconds.
--   restarts integer: Number of restarts of all containers of the pod.
--   exit_code integer: First non-zero exit code of the containers, as in pods.
--   end_cause text: Cause of the end of the pod as a code, as in pods.
--   wasted_by text: Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown. Null for a pod that succeeded, and until the pod ends.
--   waste_cause text: The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.
--   decision text: Id of the decision that shows the cause: the first decision to delete the pod, otherwise the newest decision that counts it.
--   end_event_id text: Id of the first event that showed the end of the pod.
create view attempts as
 SELECT p.cluster,
    j.namespace,
    p.job_uid,
    j.name AS job_name,
    COALESCE(home.cluster, p.cluster) AS home,
    COALESCE(home.uid, p.job_uid) AS home_job_uid,
    team_of(t.teams, t.label, COALESCE(home.labels, j.labels), j.namespace) AS team,
    COALESCE(home.series, j.series) AS series,
    p.uid AS pod_uid,
    p.name AS pod,
    p.completion_index,
    p.node,
    ( SELECT v.instance_type
           FROM node_versions v
          WHERE v.cluster = p.cluster AND v.node = p.node AND v.since <= p.bound_at
          ORDER BY v.since DESC, v.deleted, v.event_id DESC
         LIMIT 1) AS node_instance_type,
    ( SELECT v.zone
           FROM node_versions v
          WHERE v.cluster = p.cluster AND v.node = p.node AND v.since <= p.bound_at
          ORDER BY v.since DESC, v.deleted, v.event_id DESC
         LIMIT 1) AS node_zone,
    ( SELECT v.capacity_type
           FROM node_versions v
          WHERE v.cluster = p.cluster AND v.node = p.node AND v.since <= p.bound_at
          ORDER BY v.since DESC, v.deleted, v.event_id DESC
         LIMIT 1) AS node_capacity_type,
    ( SELECT v.gpu_product
           FROM node_versions v
          WHERE v.cluster = p.cluster AND v.node = p.node AND v.since <= p.bound_at
          ORDER BY v.since DESC, v.deleted, v.event_id DESC
         LIMIT 1) AS node_gpu_product,
    p.image,
    p.image_digest,
    p.cpu_request_cores,
    p.memory_request_bytes,
    p.gpu_request,
    p.requests,
    p.request_steps,
    p.created_at,
    p.bound_at AS held_from,
    p.held_until,
    NULLIF(seen.until_at_least, seen.until) AS held_until_at_least,
    GREATEST(0::numeric, COALESCE(EXTRACT(epoch FROM seen.until - p.bound_at), 0::numeric))::bigint AS held_seconds,
    GREATEST(0::numeric, COALESCE(EXTRACT(epoch FROM seen.until_at_least - p.bound_at), 0::numeric))::bigint AS held_seconds_at_least,
    resource_seconds(p.request_steps, 'cpu_request_cores'::text, p.cpu_request_cores, p.bound_at, seen.until) / 3600::numeric AS cpu_core_hours,
    resource_seconds(p.request_steps, 'memory_request_bytes'::text, p.memory_request_bytes, p.bound_at, seen.until) / (3600::numeric * (2::numeric ^ 30::numeric)) AS memory_gib_hours,
    resource_seconds(p.request_steps, 'gpu_request'::text, p.gpu_request, p.bound_at, seen.until) / 3600::numeric AS gpu_hours,
    resource_seconds(p.request_steps, 'cpu_request_cores'::text, p.cpu_request_cores, p.bound_at, seen.until_at_least) / 3600::numeric AS cpu_core_hours_at_least,
    resource_seconds(p.request_steps, 'memory_request_bytes'::text, p.memory_request_bytes, p.bound_at, seen.until_at_least) / (3600::numeric * (2::numeric ^ 30::numeric)) AS memory_gib_hours_at_least,
    resource_seconds(p.request_steps, 'gpu_request'::text, p.gpu_request, p.bound_at, seen.until_at_least) / 3600::numeric AS gpu_hours_at_least,
    attempt_cost(p.cluster, p.requests, p.request_steps, p.cpu_request_cores, p.memory_request_bytes, p.bound_at, seen.until, seen.until) AS cost,
    attempt_cost(p.cluster, p.requests, p.request_steps, p.cpu_request_cores, p.memory_request_bytes, p.bound_at, seen.until, seen.until_at_least) AS cost_at_least,
    p.first_container_started_at AS ran_from,
    seen.ran_until,
    GREATEST(0::numeric, COALESCE(EXTRACT(epoch FROM COALESCE(seen.ran_until, seen.until) - p.first_container_started_at), 0::numeric))::bigint AS ran_seconds,
    GREATEST(0::numeric, COALESCE(EXTRACT(epoch FROM COALESCE(seen.ran_until, seen.until_at_least) - p.first_container_started_at), 0::numeric))::bigint AS ran_seconds_at_least,
    COALESCE(p.held_until < p.bound_at, false)::integer + COALESCE(seen.ran_until < p.first_container_started_at, false)::integer AS negative_spans,
    p.restarts,
    p.exit_code,
    p.end_cause,
    NULLIF(split_part(waste.text, '/'::text, 1), ''::text) AS wasted_by,
    NULLIF(split_part(waste.text, '/'::text, 2), ''::text) AS waste_cause,
    COALESCE(p.deletion_decision, p.count_decision) AS decision,
    p.end_event_id
   FROM pods p
     JOIN jobs j ON j.cluster = p.cluster AND j.uid = p.job_uid
     LEFT JOIN LATERAL ( SELECT placed.cluster,
            placed.job_uid AS uid,
            of_home.series,
            of_home.labels,
            of_home.conditions,
            placed.stopping,
            placed.overlapped,
            placed.ended_at
           FROM placements placed
             LEFT JOIN jobs of_home ON of_home.cluster = placed.cluster AND of_home.uid = placed.job_uid
          WHERE j.member AND placed.placed_in = j.cluster AND placed.member_uid = j.uid
          ORDER BY placed.grant_number DESC
         LIMIT 1) home ON true
     LEFT JOIN namespace_teams t ON t.namespace = j.namespace AND (t.cluster = '*'::text OR t.cluster = COALESCE(home.cluster, p.cluster))
     CROSS JOIN LATERAL ( SELECT COALESCE(p.held_until, open_pods_counted_until(p.cluster)) AS until,
                CASE
                    WHEN p.held_until_at_least IS NULL THEN COALESCE(p.held_until, open_pods_seen_until(p.cluster))
                    ELSE ( SELECT date_trunc('second'::text, GREATEST(p.held_until_at_least, max(g.since))) AS date_trunc
                       FROM gaps g
                      WHERE g.cluster = p.cluster AND (g.resource = ANY (ARRAY['pods'::text, 'all'::text])) AND (g.namespace IS NULL OR g.namespace = j.namespace) AND g.since < p.held_until)
                END AS until_at_least,
                CASE
                    WHEN p.held_until IS NOT NULL THEN p.last_container_ended_at
                    ELSE NULL::timestamp with time zone
                END AS ran_until) seen
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN p.held_until IS NULL THEN NULL::text
                    WHEN home.overlapped AND p.held_until > home.ended_at THEN 'Jobledger/Overlap'::text
                    WHEN p.phase = 'Succeeded'::text THEN
                    CASE
                        WHEN p.completion_index IS NULL THEN NULL::text
                        WHEN (EXISTS ( SELECT
                           FROM pods other
                          WHERE other.cluster = p.cluster AND other.job_uid = p.job_uid AND other.completion_index = p.completion_index AND other.phase = 'Succeeded'::text AND ((ROW(other.held_until, other.uid) < ROW(p.held_until, p.uid))))) OR j.member AND (EXISTS ( SELECT
                           FROM placements also
                             JOIN pods other ON other.cluster = also.placed_in AND other.job_uid = also.member_uid AND other.completion_index = p.completion_index AND other.phase = 'Succeeded'::text
                          WHERE also.cluster = home.cluster AND also.job_uid = home.uid AND (also.placed_in <> p.cluster OR also.member_uid <> p.job_uid) AND ((ROW(other.held_until, other.uid) < ROW(p.held_until, p.uid))))) THEN 'repetition/DoneAgain'::text
                        ELSE NULL::text
                    END
                    WHEN p.first_container_started_at IS NULL AND (p.reason = ANY (ARRAY['ErrImagePull'::text, 'ImagePullBackOff'::text, 'ErrImageNeverPull'::text, 'InvalidImageName'::text, 'ImageInspectError'::text, 'RegistryUnavailable'::text])) THEN 'platform/ImageNotPulled'::text
                    WHEN p.end_cause = ANY (ARRAY['NotObserved'::text, 'NeverObserved'::text]) THEN 'unknown/NotObserved'::text
                    WHEN p.end_cause = 'Evicted'::text AND p.reason = 'Evicted'::text THEN 'platform/Evicted'::text
                    WHEN p.end_cause = 'Evicted'::text THEN 'operator/Drained'::text
                    WHEN p.end_cause = 'PreemptionByScheduler'::text THEN 'platform/Preempted'::text
                    WHEN p.end_cause = ANY (ARRAY['DeletionByTaintManager'::text, 'DeletionByPodGC'::text, 'TerminationByKubelet'::text, 'NodeLost'::text, 'NodeShutdown'::text, 'Terminated'::text, 'Disrupted'::text]) THEN 'platform/NodeLost'::text
                    WHEN p.end_cause = ANY (ARRAY['DeletedByJobledger'::text, 'Deleted'::text, 'DeletedWithJob'::text]) THEN
                    CASE
                        WHEN home.stopping = 'drain'::text THEN 'operator/Drained'::text
                        WHEN home.stopping IS NOT NULL AND home.stopping <> 'end'::text THEN 'Jobledger/Moved'::text
                        WHEN p.end_cause = 'DeletedWithJob'::text THEN 'operator/JobDeleted'::text
                        WHEN p.deletion_rule = 'J-6.41'::text THEN 'operator/Suspended'::text
                        WHEN p.deletion_rule = ANY (ARRAY['J-5.12'::text, 'J-5.30'::text]) THEN
                        CASE
                            WHEN (EXISTS ( SELECT
                               FROM decisions d
                              WHERE d.cluster = p.cluster AND d.job_uid = p.job_uid AND d.id = p.creation_decision AND d.superseded)) THEN 'Jobledger/Superseded'::text
                            WHEN p.deletion_rule = 'J-5.30'::text THEN 'repetition/IndexNotMissing'::text
                            ELSE 'operator/ScaledDown'::text
                        END
                        WHEN p.deletion_rule = 'J-6.5'::text THEN 'policy/DeadlineExceeded'::text
                        WHEN p.deletion_rule = 'J-6.10'::text THEN 'policy/PodFailurePolicy'::text
                        WHEN p.deletion_rule = 'J-6.31'::text THEN 'policy/SuccessPolicy'::text
                        WHEN p.end_cause = 'DeletedByJobledger'::text OR NOT j.claimed AND ending.reason IS NOT NULL THEN 'policy/'::text || COALESCE(ending.reason, 'JobEnded'::text)
                        ELSE 'operator/PodDeleted'::text
                    END
                    WHEN p.end_cause = 'DeadlineExceeded'::text THEN 'policy/DeadlineExceeded'::text
                    WHEN p.end_cause = 'OOMKilled'::text THEN 'program/OOMKilled'::text
                    WHEN p.exit_code <> 0 THEN 'program/ExitCode'::text
                    ELSE 'platform/NoExitCode'::text
                END AS text
           FROM ( SELECT ending_reason(COALESCE(home.conditions, j.conditions)) AS reason) ending) waste;
grant select on attempts to jobledger_reader;

-- Every decision about a CronJob that cron_job_events has.
--   cluster text: Name of the cluster.
--   cron_job_uid text: UID of the CronJob.
--   namespace text: Namespace of the CronJob.
--   cron_job_name text: Name of the CronJob.
--   id text: Id of the decision.
--   number integer: Number of the decision; the first decision about the CronJob has 1.
--   predecessor text: Id of the previous decision; null for the first decision.
--   now timestamp with time zone: The instant that the decision used as now.
--   recorded_at timestamp with time zone: Time at which the decision was recorded.
--   core text: Version of the core that decided.
--   commands jsonb: The commands of the decision, each with its reason.
--   waiting_rule text: Rule by which the CronJob waits after the decision.
--   waiting_message text: Reason of the wait as text.
create view cron_job_decisions as
 SELECT cluster,
    cron_job_uid,
    namespace,
    cron_job_name,
    id,
    (data ->> 'number'::text)::integer AS number,
    data ->> 'predecessor'::text AS predecessor,
    to_timestamp((((data ->> 'now'::text)::numeric) / 1000::numeric)::double precision) AS now,
    "time" AS recorded_at,
    data ->> 'core'::text AS core,
    data -> 'commands'::text AS commands,
    (data -> 'waiting'::text) ->> 'rule'::text AS waiting_rule,
    (data -> 'waiting'::text) ->> 'message'::text AS waiting_message
   FROM cron_job_events
  WHERE type = 'cronjob.decided'::text;
grant select on cron_job_decisions to jobledger_reader;

-- Every start of a CronJob with the fate of its Job: the last attempt for each time of the schedule.
--   cluster text: Name of the cluster.
--   cron_job_uid text: UID of the CronJob.
--   namespace text: Namespace of the CronJob.
--   cron_job_name text: Name of the CronJob.
--   scheduled_at timestamp with time zone: The time of the schedule.
--   late_by interval: Time from the scheduled time to the decision of the start.
--   message text: Reason of the start as text.
--   result text: Result of the last attempt, as in cron_job_starts; created also when the attempt has no known result and the Job was observed.
--   error text: Error of the last attempt.
--   job_name text: Name of the Job.
--   job_uid text: UID of the Job.
--   status text: Status of the Job, as in jobs.
--   started_at timestamp with time zone: status.startTime of the Job.
--   finished_at timestamp with time zone: Time at which the Job finished.
--   deleted_at timestamp with time zone: Time at which the deletion of the Job was recorded.
create view cron_job_runs as
 SELECT DISTINCT ON (starts.cluster, starts.cron_job_uid, starts.scheduled_at) starts.cluster,
    starts.cron_job_uid,
    starts.namespace,
    starts.cron_job_name,
    starts.scheduled_at,
    starts.decided_at - starts.scheduled_at AS late_by,
    starts.message,
        CASE
            WHEN seen.uid IS NULL THEN starts.result
            ELSE 'created'::text
        END AS result,
        CASE
            WHEN seen.uid IS NULL THEN starts.error
            ELSE NULL::text
        END AS error,
    starts.job_name,
    COALESCE(starts.job_uid, seen.uid) AS job_uid,
    jobs.status,
    jobs.started_at,
    jobs.finished_at,
    jobs.deleted_at
   FROM cron_job_starts starts
     LEFT JOIN LATERAL ( SELECT ((events.data -> 'object'::text) -> 'metadata'::text) ->> 'uid'::text AS uid
           FROM cron_job_events events
          WHERE starts.job_uid IS NULL AND events.cluster = starts.cluster AND events.cron_job_uid = starts.cron_job_uid AND events.type = 'job.observed'::text AND (((events.data -> 'object'::text) -> 'metadata'::text) ->> 'name'::text) = starts.job_name
         LIMIT 1) seen ON true
     LEFT JOIN jobs ON jobs.cluster = starts.cluster AND jobs.uid = COALESCE(starts.job_uid, seen.uid)
  ORDER BY starts.cluster, starts.cron_job_uid, starts.scheduled_at, starts.decided_at DESC, starts.decision DESC;
grant select on cron_job_runs to jobledger_reader;

-- The starts of all CronJobs, also of those that another controller controls: a row for each Job of a CronJob, and for each time of its schedule for which no Job was observed.
--   cluster text: Name of the cluster.
--   namespace text: Namespace of the CronJob.
--   cron_job_name text: Name of the CronJob.
--   team text: Team of the Job by namespace_teams; for a missed start by the labels of the CronJob.
--   scheduled_at timestamp with time zone: The time of the schedule. Of a Job as its annotation batch.kubernetes.io/cronjob-scheduled-timestamp; of a missed start as inferred from the schedule.
--   job_uid text: UID of the Job; null for a missed start.
--   job_name text: Name of the Job; null for a missed start.
--   created_at timestamp with time zone: Time at which the Job was created; null for a missed start.
--   late_by interval: Time from scheduled_at to the creation of the Job; null for a missed start.
--   started_at timestamp with time zone: Time at which a container of the Job first ran.
--   finished_at timestamp with time zone: Time at which the Job finished.
--   status text: Status of the Job, as in jobs; null for a missed start.
--   missed boolean: True for a start that is inferred: the schedule had this time, the CronJob was not suspended, and no Job was observed. UTC is assumed for a CronJob without a time zone. Times of @every and times in gaps are left out, and after 100 missed starts of a CronJob in a day (UTC) the others of that day.
--   missed_because text: JobActive if an earlier Job of the CronJob was active and the policy was Forbid; otherwise null, because the reason is not recorded. For a CronJob that Jobledger controls, jobledger why has the reason.
create view cron_runs as
 SELECT j.cluster,
    j.namespace,
    j.owner_name AS cron_job_name,
    team_of(t.teams, t.label, j.labels, j.namespace) AS team,
    j.scheduled_at,
    j.uid AS job_uid,
    j.name AS job_name,
    j.created_at,
    j.created_at - j.scheduled_at AS late_by,
    j.first_container_started_at AS started_at,
    j.finished_at,
    j.status,
    false AS missed,
    NULL::text AS missed_because
   FROM jobs j
     LEFT JOIN namespace_teams t ON t.namespace = j.namespace AND (t.cluster = '*'::text OR t.cluster = j.cluster)
  WHERE j.owner_kind = 'CronJob'::text AND j.scheduled_at IS NOT NULL AND NOT j.member
UNION ALL
 SELECT m.cluster,
    m.namespace,
    m.cron_job_name,
    team_of(t.teams, t.label, c.labels, m.namespace) AS team,
    m.scheduled_at,
    NULL::text AS job_uid,
    NULL::text AS job_name,
    NULL::timestamp with time zone AS created_at,
    NULL::interval AS late_by,
    NULL::timestamp with time zone AS started_at,
    NULL::timestamp with time zone AS finished_at,
    NULL::text AS status,
    true AS missed,
        CASE
            WHEN v.concurrency_policy = 'Forbid'::text AND (EXISTS ( SELECT
               FROM jobs active
              WHERE active.cluster = m.cluster AND active.namespace = m.namespace AND active.owner_kind = 'CronJob'::text AND active.owner_name = m.cron_job_name AND active.scheduled_at < m.scheduled_at AND COALESCE(active.finished_at, active.deleted_at, 'infinity'::timestamp with time zone) > m.scheduled_at)) THEN 'JobActive'::text
            ELSE NULL::text
        END AS missed_because
   FROM missed_starts m
     JOIN cron_jobs c ON c.cluster = m.cluster AND c.uid = m.cron_job_uid
     LEFT JOIN namespace_teams t ON t.namespace = m.namespace AND (t.cluster = '*'::text OR t.cluster = m.cluster)
     LEFT JOIN LATERAL ( SELECT seen.concurrency_policy
           FROM cron_job_versions seen
          WHERE seen.cluster = m.cluster AND seen.uid = m.cron_job_uid AND seen.seen_at <= m.scheduled_at
          ORDER BY seen.resource_version DESC, seen.deleted DESC
         LIMIT 1) v ON true
  WHERE NOT (EXISTS ( SELECT
           FROM jobs started
          WHERE started.cluster = m.cluster AND started.namespace = m.namespace AND started.owner_name = m.cron_job_name AND started.scheduled_at = m.scheduled_at)) AND NOT (EXISTS ( SELECT
           FROM gaps g
          WHERE g.cluster = m.cluster AND (g.resource = ANY (ARRAY['jobs'::text, 'cronjobs'::text, 'all'::text])) AND (g.namespace IS NULL OR g.namespace = m.namespace) AND g.since <= (m.scheduled_at + '00:10:00'::interval) AND g.until >= m.scheduled_at));
grant select on cron_runs to jobledger_reader;

-- The indexes of spread Jobs by cluster: a row for each set that a cluster was given. At any instant each index is in at most one row, unless the end_reason of the grant says otherwise.
--   cluster text: The home: the cluster of the placed Job.
--   job_uid text: UID of the placed Job.
--   grant_number integer: Number of the grant (placements).
--   namespace text: Namespace of the placed Job and of its members.
--   job_name text: Name of the placed Job.
--   placed_in text: The cluster that had the indexes.
--   member_name text: Name of the member, which is the Job in that cluster.
--   indexes text: The indexes, as in status.completedIndexes.
--   since timestamp with time zone: Time at which it was decided that the cluster gets the indexes.
--   until timestamp with time zone: Time at which a list showed that no pod of these indexes is left, or at which the cluster no longer had the Job; null while the cluster has the indexes.
--   decision text: Id of the decision that gave the cluster the indexes.
create view granted_indexes as
 SELECT placements.cluster,
    placements.job_uid,
    placements.grant_number,
    placements.namespace,
    placements.job_name,
    placements.placed_in,
    placements.member_name,
    granted.indexes,
    granted.since,
    COALESCE(granted.until, placements.ended_at) AS until,
    granted.decision
   FROM placements,
    LATERAL jsonb_to_recordset(placements.granted) granted(indexes text, since timestamp with time zone, until timestamp with time zone, decision text);
grant select on granted_indexes to jobledger_reader;

-- The conditions for which each Job in a chain waits, or waited until it was resumed: a row per condition.
--   cluster text: Name of the cluster.
--   job_uid text: UID of the Job that waits.
--   namespace text: Namespace of the Job that waits and of the awaited Job.
--   job_name text: Name of the Job that waits.
--   "position" integer: Position of the condition in the annotation, from 1.
--   awaited_name text: Name of the awaited Job.
--   awaited_uid text: UID of the awaited Job; null while no Job of that name was seen.
--   condition text: The end that the awaited Job must have: Succeeded, Failed or Finished.
--   met boolean: True when the awaited Job has ended as the condition requires.
--   condition_status text: Status of the condition. met: the awaited Job ended as required. waiting: the awaited Job has not ended. unmeetable: it ended otherwise. missing: no Job has the name. deleted: the awaited Job was deleted before it ended. unknown: nothing is recorded yet.
--   since timestamp with time zone: Time at which the awaited Job ended; for a missing Job, the time since which it is awaited; otherwise null.
--   cycle text: The Jobs through which the Job waits for itself; null when there is no cycle.
--   status text: waiting; resumed (when all conditions were met, or a person resumed the Job); deleted (the Job was deleted while it waited).
--   resumed_at timestamp with time zone: Time at which the Job was first seen resumed.
create view job_chains as
 SELECT chains.cluster,
    chains.job_uid,
    chains.namespace,
    chains.job_name,
    each."position"::integer AS "position",
    each.condition ->> 'job'::text AS awaited_name,
    each.condition ->> 'uid'::text AS awaited_uid,
    each.condition ->> 'end'::text AS condition,
    (each.condition ->> 'status'::text) = 'met'::text AS met,
    each.condition ->> 'status'::text AS condition_status,
    (each.condition ->> 'since'::text)::timestamp with time zone AS since,
    chains.cycle,
    chains.status,
    chains.resumed_at
   FROM chains
     CROSS JOIN LATERAL jsonb_array_elements(chains.conditions) WITH ORDINALITY each(condition, "position");
grant select on job_chains to jobledger_reader;

-- The duration of each phase of each Job: created, first pod, first ready pod, finished. A phase is null until it has ended, and when its start or end was not observed.
--   cluster text: Name of the cluster.
--   job_uid text: UID of the Job.
--   namespace text: Namespace of the Job.
--   job_name text: Name of the Job.
--   labels jsonb: Labels of the Job.
--   status text: Status of the Job, as in jobs.
--   created_at timestamp with time zone: Time at which the Job was created.
--   first_pod_at timestamp with time zone: Time at which the first pod of the Job was created.
--   first_container_started_at timestamp with time zone: Time at which the first container of a pod of the Job started.
--   first_ready_at timestamp with time zone: Time at which a pod of the Job was first ready; null when no pod was observed ready.
--   finished_at timestamp with time zone: Time at which the Job finished.
--   until_first_pod interval: Time from the creation of the Job to the creation of its first pod.
--   until_first_container interval: Time from the creation of the Job to the start of the first container of a pod: how long the author of the Job waits until something runs. The start is by the clock of the node; a negative difference of the clocks counts as 0.
--   until_first_ready interval: Time from the first pod of the Job to its first ready pod.
--   until_finished interval: Time from the first ready pod of the Job to its end.
--   total interval: Time from the creation of the Job to its end.
--   attempt_count integer: Number of pods of the Job, deleted pods included.
create view job_phases as
 SELECT cluster,
    uid AS job_uid,
    namespace,
    name AS job_name,
    labels,
    status,
    created_at,
    first_pod_at,
    first_container_started_at,
    first_ready_at,
    finished_at,
    first_pod_at - created_at AS until_first_pod,
    GREATEST(first_container_started_at - created_at, '00:00:00'::interval) AS until_first_container,
    first_ready_at - first_pod_at AS until_first_ready,
    finished_at - first_ready_at AS until_finished,
    finished_at - created_at AS total,
    attempt_count
   FROM jobs;
grant select on job_phases to jobledger_reader;

-- Every Job once, in the words of an analyst: its team and series, its wait, its end and its cause. A placed Job has one row, and its members have none.
--   cluster text: Name of the cluster; for a placed Job, its home.
--   namespace text: Namespace of the Job.
--   job_uid text: UID of the Job.
--   job_name text: Name of the Job.
--   team text: Team of the Job by namespace_teams.
--   series text: Name that the runs of a series share, as in jobs.
--   owner_kind text: Kind of the object that controls the Job, such as CronJob.
--   owner_name text: Name of the object that controls the Job.
--   status text: Status of the Job, as in jobs.
--   scheduled_at timestamp with time zone: The time of the schedule for which a CronJob created the Job.
--   created_at timestamp with time zone: Time at which the Job was created.
--   first_container_started_at timestamp with time zone: Time at which the first container of a pod of the Job started; for a placed Job, of a pod of its members.
--   waited interval: Time from the creation of the Job until then, the wait of the author of the Job; a negative difference of the clocks counts as 0. Null while no container has started.
--   finished_at timestamp with time zone: Time at which the Job finished.
--   took interval: Time from the creation of the Job to its end.
--   deleted_at timestamp with time zone: Time at which the deletion of the Job was recorded.
--   attempts integer: Number of pods of the Job, deleted pods included; for a placed Job, of its members.
--   failed_attempts integer: Number of failed pods that the status of the Job counts.
--   cause text: The most frequent cause of failed pods of a failed Job, without numbers, such as exit code 3 or 137 OOMKilled; the reason of the end for a Job without failed pods.
--   reason text: Reason why a failed Job failed, as in jobs.
--   placed_in text: The cluster in which the Job ran; for a placed Job all its clusters, separated by commas.
create view job_runs as
 SELECT j.cluster,
    j.namespace,
    j.uid AS job_uid,
    j.name AS job_name,
    team_of(t.teams, t.label, j.labels, j.namespace) AS team,
    j.series,
    j.owner_kind,
    j.owner_name,
    j.status,
    j.scheduled_at,
    j.created_at,
    runs.first_container_started_at,
    GREATEST(runs.first_container_started_at - j.created_at, '00:00:00'::interval) AS waited,
    j.finished_at,
    j.finished_at - j.created_at AS took,
    j.deleted_at,
    runs.attempts,
    j.failed AS failed_attempts,
        CASE
            WHEN j.status = 'Failed'::text THEN COALESCE("substring"(j.reason, '^(.*?) ×[0-9]+'::text), j.reason, 'unknown'::text)
            ELSE NULL::text
        END AS cause,
        CASE
            WHEN j.status = 'Failed'::text THEN j.reason
            ELSE NULL::text
        END AS reason,
    runs.placed_in
   FROM jobs j
     LEFT JOIN namespace_teams t ON t.namespace = j.namespace AND (t.cluster = '*'::text OR t.cluster = j.cluster)
     CROSS JOIN LATERAL ( SELECT j.first_container_started_at,
            j.attempt_count AS attempts,
            j.cluster AS placed_in
          WHERE j.managed_by IS DISTINCT FROM 'jobledger.dev/placement'::text
        UNION ALL
         SELECT min(m.first_container_started_at) AS min,
            COALESCE(sum(m.attempt_count), 0::bigint)::integer AS "coalesce",
            string_agg(DISTINCT p.placed_in, ', '::text ORDER BY p.placed_in) AS string_agg
           FROM placements p
             LEFT JOIN jobs m ON m.cluster = p.placed_in AND m.uid = p.member_uid
          WHERE p.cluster = j.cluster AND p.job_uid = j.uid AND j.managed_by = 'jobledger.dev/placement'::text
         HAVING j.managed_by = 'jobledger.dev/placement'::text) runs
  WHERE NOT j.member;
grant select on job_runs to jobledger_reader;

-- The nodes that exist now, with their present facts.
--   cluster text: Name of the cluster.
--   node text: Name of the node.
--   node_uid text: UID of the node.
--   since timestamp with time zone: Time from which these facts hold.
--   instance_type text: The label node.kubernetes.io/instance-type.
--   region text: The label topology.kubernetes.io/region.
--   zone text: The label topology.kubernetes.io/zone.
--   capacity_type text: spot or on-demand, from the label of Karpenter, EKS, AKS or GKE; null without such a label.
--   gpu_product text: Product of the GPUs, from the label of their vendor.
--   cpu_cores numeric: status.capacity of CPU, in cores.
--   memory_bytes numeric: status.capacity of memory, in bytes.
--   gpus numeric: Number of whole GPUs.
--   capacity jsonb: status.capacity of CPU, memory and up to 20 extended resources, by resource.
create view nodes as
 SELECT cluster,
    node,
    node_uid,
    since,
    instance_type,
    region,
    zone,
    capacity_type,
    gpu_product,
    cpu_cores,
    memory_bytes,
    gpus,
    capacity
   FROM ( SELECT DISTINCT ON (all_versions.cluster, all_versions.node_uid) all_versions.event_id,
            all_versions.cluster,
            all_versions.node_uid,
            all_versions.node,
            all_versions.since,
            all_versions.deleted,
            all_versions.instance_type,
            all_versions.region,
            all_versions.zone,
            all_versions.capacity_type,
            all_versions.gpu_product,
            all_versions.cpu_cores,
            all_versions.memory_bytes,
            all_versions.gpus,
            all_versions.capacity
           FROM node_versions all_versions
          ORDER BY all_versions.cluster, all_versions.node_uid, all_versions.deleted DESC, all_versions.since DESC, all_versions.event_id DESC) v
  WHERE NOT deleted;
grant select on nodes to jobledger_reader;

-- What other programs reported to stand in the way of a Job or of one of its pods, in the words of an analyst: one row for each object and reason, with the newest text.
--   cluster text: Name of the cluster.
--   namespace text: Namespace of the Job or pod.
--   job_uid text: UID of the Job.
--   job_name text: Name of the Job.
--   team text: Team of the Job by namespace_teams.
--   series text: Name that the runs of a series share, as in jobs.
--   kind text: The kind of the object: Job or Pod.
--   uid text: UID of the Job or pod.
--   name text: Name of the Job or pod.
--   reason text: The reason, such as FailedScheduling.
--   reported_by text: The program that reported it, as in kubernetes_events.
--   note text: The newest text, as in kubernetes_events.
--   related_namespace text: Namespace of a further object that the newest Event names.
--   related_name text: Name of a further object that the newest Event names, such as the pod for which this pod was preempted.
--   texts integer: Number of different texts with the reason that are recorded about the object.
--   first_at timestamp with time zone: Time of the first report, by the clock of the program.
--   last_at timestamp with time zone: Time of the latest recorded report, by the clock of the program.
--   solved_at timestamp with time zone: Time at which the obstacle was passed: the pod was bound to a node, its first container started, or the pod or Job ended, depending on the reason. Null while it may stand in the way.
create view obstacles as
 SELECT e.cluster,
    e.namespace,
    e.job_uid,
    e.job_name,
    team_of(t.teams, t.label, j.labels, e.namespace) AS team,
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
    e.since AS first_at,
    e.last_at,
        CASE
            WHEN e.kind = 'Job'::text THEN LEAST(j.finished_at, j.deleted_at)
            WHEN e.reason = ANY (ARRAY['FailedScheduling'::text, 'TriggeredScaleUp'::text, 'NotTriggerScaleUp'::text]) THEN COALESCE(p.bound_at, p.started_at, p.finished_at, p.deleted_at)
            WHEN e.reason = ANY (ARRAY['FailedMount'::text, 'FailedAttachVolume'::text, 'FailedMapVolume'::text, 'FailedCreatePodSandBox'::text, 'NetworkNotReady'::text, 'Failed'::text]) THEN COALESCE(p.first_container_started_at, p.finished_at, p.deleted_at)
            ELSE LEAST(p.finished_at, p.deleted_at)
        END AS solved_at
   FROM ( SELECT DISTINCT ON (k.cluster, k.job_uid, k.uid, k.reason) k.cluster,
            k.job_uid,
            k.namespace,
            k.job_name,
            k.kind,
            k.uid,
            k.name,
            k.reason,
            k.type,
            k.reported_by,
            k.note,
            k.related_kind,
            k.related_namespace,
            k.related_name,
            k.related_uid,
            k.count,
            k.first_at,
            k.last_at,
            k.is_last,
            k.event_id,
            k.recorded_at,
            count(*) OVER (PARTITION BY k.cluster, k.job_uid, k.uid, k.reason)::integer AS texts,
            min(k.first_at) OVER (PARTITION BY k.cluster, k.job_uid, k.uid, k.reason) AS since
           FROM kubernetes_events k
          ORDER BY k.cluster, k.job_uid, k.uid, k.reason, k.recorded_at DESC, k.event_id DESC) e
     LEFT JOIN jobs j ON j.cluster = e.cluster AND j.uid = e.job_uid
     LEFT JOIN pods p ON p.cluster = e.cluster AND p.job_uid = e.job_uid AND p.uid = e.uid
     LEFT JOIN namespace_teams t ON t.namespace = e.namespace AND (t.cluster = '*'::text OR t.cluster = e.cluster);
grant select on obstacles to jobledger_reader;

-- Every outcome of a command, read from the events. A query is fast for one Job or a short period.
--   id text: Id of the event with the outcome.
--   cluster text: Name of the cluster.
--   job_uid text: UID of the Job.
--   namespace text: Namespace of the Job.
--   job_name text: Name of the Job.
--   decision text: Id of the decision.
--   command integer: Position of the command in the decision, from 0.
--   attempt integer: Number of the attempt, from 1.
--   kind text: Kind of the command; skipped when an earlier command failed.
--   result text: Result of the whole command, if it has one; the results of pods are in outcome.
--   error text: The first error in the outcome.
--   outcome jsonb: The whole outcome.
--   outcome_at timestamp with time zone: Time at which the outcome was received, by the worker's clock.
--   recorded_at timestamp with time zone: Time at which the outcome was recorded.
create view outcomes as
 SELECT id,
    cluster,
    job_uid,
    namespace,
    job_name,
    data ->> 'decision'::text AS decision,
    (data ->> 'command'::text)::integer AS command,
    (data ->> 'attempt'::text)::integer AS attempt,
    (data -> 'outcome'::text) ->> 'kind'::text AS kind,
    (data -> 'outcome'::text) ->> 'result'::text AS result,
    COALESCE(((data -> 'outcome'::text) -> 'error'::text) ->> 'message'::text, jsonb_path_query_first(data, '$."outcome"."pods"[*]."error"."message"'::jsonpath) #>> '{}'::text[]) AS error,
    data -> 'outcome'::text AS outcome,
    to_timestamp(((((data -> 'outcome'::text) ->> 'at'::text)::numeric) / 1000::numeric)::double precision) AS outcome_at,
    "time" AS recorded_at
   FROM events e
  WHERE type = 'outcome.recorded'::text;
grant select on outcomes to jobledger_reader;

-- The prices of the newest price list. A price of a cluster comes before the price of every cluster (*) for the same resource and time.
--   event_id text: Id of the event with which the list was applied.
--   resource text: cpu (the price of a core), memory (of a GiB), or the name of an extended resource (of one), such as nvidia.com/gpu.
--   cluster text: Name of the cluster; * for every cluster that has no price of its own for the resource at the time.
--   valid_from timestamp with time zone: Beginning of the period of the price, which is the beginning of an hour in UTC.
--   valid_until timestamp with time zone: End of the period, which is not part of it; null for a period without end.
--   per_hour numeric: Price of an hour.
--   currency text: Currency of the list, as an ISO 4217 code.
--   applied_by text: User that applied the list.
--   applied_at timestamp with time zone: Time at which the list was applied.
--   correction boolean: True when the user agreed that the list changes prices of the past.
create view prices as
 SELECT event_id,
    resource,
    cluster,
    valid_from,
    valid_until,
    per_hour,
    currency,
    applied_by,
    applied_at,
    correction
   FROM applied_prices p
  WHERE event_id = (( SELECT newest.event_id
           FROM applied_prices newest
          ORDER BY newest.applied_at DESC, newest.event_id DESC
         LIMIT 1));
grant select on prices to jobledger_reader;

-- The hours in which changes of pods may have been missed (gaps).
--   cluster text: Name of the cluster.
--   namespace text: The namespace of the watch, where given namespaces are watched; null for a watch of the whole cluster.
--   hour timestamp with time zone: Beginning of the hour, in UTC.
--   seconds numeric: Seconds of the hour that were missed.
create view unwatched_hours as
 SELECT g.cluster,
    g.namespace,
    hours.hour,
    sum(EXTRACT(epoch FROM LEAST(upper(span.span), hours.hour + '01:00:00'::interval) - GREATEST(lower(span.span), hours.hour))) AS seconds
   FROM ( SELECT gaps.cluster,
            gaps.namespace,
            range_agg(tstzrange(gaps.since, gaps.until)) AS spans
           FROM gaps
          WHERE (gaps.resource = ANY (ARRAY['pods'::text, 'all'::text])) AND gaps.since < gaps.until
          GROUP BY gaps.cluster, gaps.namespace) g
     CROSS JOIN LATERAL unnest(g.spans) span(span)
     CROSS JOIN LATERAL generate_series(date_bin('01:00:00'::interval, lower(span.span), '2000-01-01 00:00:00+00'::timestamp with time zone), upper(span.span) - '00:00:00.000001'::interval, '01:00:00'::interval) hours(hour)
  GROUP BY g.cluster, g.namespace, hours.hour;
grant select on unwatched_hours to jobledger_reader;

-- What the Jobs of each team and series used in each hour: requested resources × the time for which pods held a node, up to now. A row for each cause of waste, and for the useful time; an hour may have several rows, so sum them.
--   cluster text: Name of the cluster in which the pods ran.
--   team text: Team of the Jobs.
--   namespace text: Namespace of the Jobs.
--   series text: Series of the Jobs; other for the series beyond the first 100 of a namespace, by time, among the pods that ended in one hour.
--   wasted_by text: As in attempts; null for time that was not wasted.
--   waste_cause text: As in attempts.
--   hour timestamp with time zone: Beginning of the hour in which the nodes were held, in UTC.
--   pod_hours numeric: Hours for which pods held a node.
--   cpu_core_hours numeric: Requested CPU × held time, in core-hours.
--   memory_gib_hours numeric: Requested memory × held time, in GiB-hours.
--   gpu_hours numeric: Requested GPUs × held time, in hours.
--   pod_hours_at_least numeric: As pod_hours, until the earliest possible ends of the pods.
--   cpu_core_hours_at_least numeric: As cpu_core_hours, until the earliest possible ends of the pods.
--   memory_gib_hours_at_least numeric: As memory_gib_hours, until the earliest possible ends of the pods.
--   gpu_hours_at_least numeric: As gpu_hours, until the earliest possible ends of the pods.
--   cost numeric: Requests × held time × the prices of the hour, in the currency of prices. A resource without a price costs nothing; null when no resource had a price.
--   cost_at_least numeric: As cost, until the earliest possible ends of the pods.
--   watched numeric: Share of the hour in which no changes of pods were missed (gaps), from 0 to 1. The hours of pods whose end nobody saw are between the columns with and without _at_least.
create view usage_hourly as
 SELECT u.cluster,
    u.team,
    u.namespace,
    u.series,
    u.wasted_by,
    u.waste_cause,
    u.hour,
    u.pod_seconds / 3600::numeric AS pod_hours,
    u.cpu_core_seconds / 3600::numeric AS cpu_core_hours,
    u.memory_byte_seconds / (3600::numeric * (2::numeric ^ 30::numeric)) AS memory_gib_hours,
    u.gpu_seconds / 3600::numeric AS gpu_hours,
    u.pod_seconds_at_least / 3600::numeric AS pod_hours_at_least,
    u.cpu_core_seconds_at_least / 3600::numeric AS cpu_core_hours_at_least,
    u.memory_byte_seconds_at_least / (3600::numeric * (2::numeric ^ 30::numeric)) AS memory_gib_hours_at_least,
    u.gpu_seconds_at_least / 3600::numeric AS gpu_hours_at_least,
    u.cost_seconds / 3600::numeric AS cost,
    u.cost_seconds_at_least / 3600::numeric AS cost_at_least,
    1::numeric - LEAST(1::numeric, (COALESCE(of_cluster.seconds, 0::numeric) + COALESCE(of_namespace.seconds, 0::numeric)) / 3600::numeric) AS watched
   FROM ( SELECT e.cluster,
            e.namespace,
            e.team,
            e.series,
            e.wasted_by,
            e.waste_cause,
            e.hour,
            e.ended_in,
            e.pod_seconds,
            e.cpu_core_seconds,
            e.memory_byte_seconds,
            e.gpu_seconds,
            e.pod_seconds_at_least,
            e.cpu_core_seconds_at_least,
            e.memory_byte_seconds_at_least,
            e.gpu_seconds_at_least,
            e.cost_seconds,
            e.cost_seconds_at_least
           FROM ended_usage e
          WHERE NOT (EXISTS ( SELECT
                   FROM stale_usage s
                  WHERE s.hour = e.ended_in))
        UNION ALL
         SELECT e.cluster,
            e.namespace,
            e.team,
            e.series,
            e.wasted_by,
            e.waste_cause,
            e.hour,
            e.ended_in,
            e.pod_seconds,
            e.cpu_core_seconds,
            e.memory_byte_seconds,
            e.gpu_seconds,
            e.pod_seconds_at_least,
            e.cpu_core_seconds_at_least,
            e.memory_byte_seconds_at_least,
            e.gpu_seconds_at_least,
            e.cost_seconds,
            e.cost_seconds_at_least
           FROM ( SELECT DISTINCT s.hour
                   FROM stale_usage s) stale
             CROSS JOIN LATERAL usage_ended_in(stale.hour) e(cluster, namespace, team, series, wasted_by, waste_cause, hour, ended_in, pod_seconds, cpu_core_seconds, memory_byte_seconds, gpu_seconds, pod_seconds_at_least, cpu_core_seconds_at_least, memory_byte_seconds_at_least, gpu_seconds_at_least, cost_seconds, cost_seconds_at_least)
        UNION ALL
         SELECT a.cluster,
            a.namespace,
            a.team,
            a.series,
            a.wasted_by,
            a.waste_cause,
            a.hour,
            NULL::timestamp with time zone,
            a.held,
            a.held * a.cpu_request_cores,
            a.held * a.memory_request_bytes,
            a.held * a.gpu_request,
            a.held_at_least,
            a.held_at_least * a.cpu_request_cores,
            a.held_at_least * a.memory_request_bytes,
            a.held_at_least * a.gpu_request,
            a.held * a.per_hour,
            a.held_at_least * a.per_hour
           FROM ( SELECT alike.cluster,
                    alike.namespace,
                    alike.team,
                    alike.series,
                    alike.wasted_by,
                    alike.waste_cause,
                    alike.hour,
                    alike.cpu_request_cores,
                    alike.memory_request_bytes,
                    alike.gpu_request,
                    alike.requests,
                    alike.held,
                    alike.held_at_least,
                    hourly_price(alike.cluster, alike.hour, alike.cpu_request_cores, alike.memory_request_bytes, alike.requests) AS per_hour
                   FROM ( SELECT a_1.cluster,
                            a_1.namespace,
                            a_1.team,
                            a_1.series,
                            a_1.wasted_by,
                            a_1.waste_cause,
                            a_1.hour,
                            a_1.cpu_request_cores,
                            a_1.memory_request_bytes,
                            a_1.gpu_request,
                            a_1.requests,
                            sum(a_1.held) AS held,
                            sum(a_1.held_at_least) AS held_at_least
                           FROM attempt_hours a_1
                          WHERE a_1.held_until IS NULL
                          GROUP BY a_1.cluster, a_1.namespace, a_1.team, a_1.series, a_1.wasted_by, a_1.waste_cause, a_1.hour, a_1.cpu_request_cores, a_1.memory_request_bytes, a_1.gpu_request, a_1.requests) alike) a) u
     LEFT JOIN ( SELECT w.cluster,
            w.hour,
            sum(w.seconds) AS seconds
           FROM unwatched_hours w
          WHERE w.namespace IS NULL
          GROUP BY w.cluster, w.hour) of_cluster ON of_cluster.cluster = u.cluster AND of_cluster.hour = u.hour
     LEFT JOIN ( SELECT w.cluster,
            w.namespace,
            w.hour,
            sum(w.seconds) AS seconds
           FROM unwatched_hours w
          GROUP BY w.cluster, w.namespace, w.hour) of_namespace ON of_namespace.cluster = u.cluster AND of_namespace.namespace = u.namespace AND of_namespace.hour = u.hour;
grant select on usage_hourly to jobledger_reader;

-- The Jobs that wait now, with the reason and the time since when. Finished and deleted Jobs wait for nothing.
--   cluster text: Name of the cluster; for a placed Job, its home.
--   namespace text: Namespace of the Job.
--   job_uid text: UID of the Job.
--   job_name text: Name of the Job.
--   team text: Team of the Job by namespace_teams.
--   series text: Name that the runs of a series share, as in jobs.
--   status text: Status of the Job, as in jobs.
--   waiting_for text: Reason why the Job waits, as in jobs.
--   waiting_since timestamp with time zone: Beginning of the wait: of the wait that Jobledger decided, of the suspension, or of the oldest pod that has not started; otherwise the creation of the Job.
--   waiting_until timestamp with time zone: End of the wait; null when it is not known.
--   waited interval: Time from waiting_since to now.
create view waiting_now as
 SELECT j.cluster,
    j.namespace,
    j.uid AS job_uid,
    j.name AS job_name,
    team_of(t.teams, t.label, j.labels, j.namespace) AS team,
    j.series,
    j.status,
    j.waiting_for,
    since.at AS waiting_since,
    j.waiting_until,
    GREATEST(now() - since.at, '00:00:00'::interval) AS waited
   FROM jobs j
     LEFT JOIN namespace_teams t ON t.namespace = j.namespace AND (t.cluster = '*'::text OR t.cluster = j.cluster)
     CROSS JOIN LATERAL ( SELECT COALESCE(j.waiting_since, ( SELECT c.last_transition_time
                   FROM conditions c
                  WHERE c.cluster = j.cluster AND c.job_uid = j.uid AND c.type = 'Suspended'::text AND j.conditions @> '[{"type": "Suspended", "status": "True"}]'::jsonb
                  ORDER BY c.resource_version DESC, c.event_id DESC
                 LIMIT 1), ( SELECT min(p.created_at) AS min
                   FROM pods p
                  WHERE p.cluster = j.cluster AND p.job_uid = j.uid AND p.phase = 'Pending'::text AND p.deleted_at IS NULL), j.created_at, j.first_seen_at) AS at) since
  WHERE j.waiting_for IS NOT NULL AND j.finished_at IS NULL AND j.deleted_at IS NULL AND NOT j.member;
grant select on waiting_now to jobledger_reader;

-- The part of usage_hourly that was of no use, by cause: each hour of a pod has at most one cause. An hour may have several rows.
--   cluster text: Name of the cluster in which the pods ran.
--   team text: Team of the Jobs.
--   namespace text: Namespace of the Jobs.
--   series text: Series of the Jobs; other for the series beyond the first 100 of a namespace, by time, among the pods that ended in one hour.
--   wasted_by text: Who caused that the time of the pod was of no use: program, policy (of the author of the Job), platform, operator, Jobledger, repetition (the work was done before) or unknown.
--   waste_cause text: The cause as a code, such as ExitCode, OOMKilled, BackoffLimitExceeded, Evicted, Preempted, Drained, Suspended or DoneAgain; docs/sql.md has them all.
--   hour timestamp with time zone: Beginning of the hour in which the nodes were held, in UTC.
--   pod_hours numeric: Hours for which pods held a node.
--   cpu_core_hours numeric: Requested CPU × held time, in core-hours.
--   memory_gib_hours numeric: Requested memory × held time, in GiB-hours.
--   gpu_hours numeric: Requested GPUs × held time, in hours.
--   cost numeric: Requests × held time × the prices of the hour, in the currency of prices, as in usage_hourly.
create view waste as
 SELECT cluster,
    team,
    namespace,
    series,
    wasted_by,
    waste_cause,
    hour,
    pod_hours,
    cpu_core_hours,
    memory_gib_hours,
    gpu_hours,
    cost
   FROM usage_hourly u
  WHERE wasted_by IS NOT NULL;
grant select on waste to jobledger_reader;

-- The users who created, submitted, suspended, resumed, scaled and deleted each Job, as far as a request of the audit log or a request to Jobledger proves it. An action without a row is not recorded.
--   cluster text: Name of the cluster.
--   job_uid text: UID of the Job.
--   namespace text: Namespace of the Job.
--   job_name text: Name of the Job.
--   action text: created, suspended, resumed, scaled or deleted; through Jobledger: submitted, requested suspend, requested resume; with ", refused" after it when Jobledger refused the request, for example because the Job was suspended already.
--   by text: The user, or the pseudonym of the user.
--   impersonated_by text: The user that acted in the name of that user; null without impersonation.
--   user_agent text: The name that the client gives itself (User-Agent); null when it is not known.
--   at timestamp with time zone: Time at which the API server received the request, by its own clock, or at which the submission or the request to Jobledger was recorded.
create view who as
 SELECT r.cluster,
    r.job_uid,
    r.namespace,
    r.job_name,
    'created'::text AS action,
    r.by,
    r.impersonated_by,
    r.user_agent,
    r.received_at AS at
   FROM api_requests r
  WHERE r.resource = 'jobs'::text AND r.verb = 'create'::text AND NOT r.panicked
UNION ALL
 SELECT e.cluster,
    e.job_uid,
    e.namespace,
    e.job_name,
    'submitted'::text AS action,
    e.data ->> 'by'::text AS by,
    NULL::text AS impersonated_by,
    NULL::text AS user_agent,
    e."time" AS at
   FROM events e
  WHERE e.type = 'job.submitted'::text
UNION ALL
 SELECT e.cluster,
    e.job_uid,
    e.namespace,
    e.job_name,
    ('requested '::text || (e.data ->> 'action'::text)) ||
        CASE
            WHEN (EXISTS ( SELECT 1
               FROM events a
              WHERE a.cluster = e.cluster AND a.job_uid = e.job_uid AND a.type = 'outcome.recorded'::text AND ((a.data -> 'outcome'::text) ->> 'kind'::text) = 'RefuseRequest'::text AND ((a.data -> 'outcome'::text) ->> 'request'::text) = e.id)) THEN ', refused'::text
            ELSE ''::text
        END AS action,
    e.data ->> 'by'::text AS by,
    NULL::text AS impersonated_by,
    NULL::text AS user_agent,
    e."time" AS at
   FROM events e
  WHERE e.type = 'request.received'::text AND e.source = 'jobledger/requests'::text AND ((e.data ->> 'action'::text) = ANY (ARRAY['suspend'::text, 'resume'::text]))
UNION ALL
 SELECT s.cluster,
    s.uid AS job_uid,
    s.namespace,
    s.name AS job_name,
    s.action,
    r.by,
    r.impersonated_by,
    r.user_agent,
    r.received_at AS at
   FROM ( SELECT c.cluster,
            c.uid,
            c.namespace,
            c.name,
            c.suspend,
            c.parallelism,
            c.completions,
            c.seen_at,
            c.version,
            c.was_suspended,
            c.parallelism_before,
            c.completions_before,
            c.with_version,
                CASE
                    WHEN c.suspend AND NOT c.was_suspended THEN 'suspended'::text
                    WHEN c.was_suspended AND NOT c.suspend THEN 'resumed'::text
                    WHEN c.parallelism IS DISTINCT FROM c.parallelism_before OR c.completions IS DISTINCT FROM c.completions_before THEN 'scaled'::text
                    ELSE NULL::text
                END AS action
           FROM ( SELECT seen.cluster,
                    seen.uid,
                    seen.namespace,
                    seen.name,
                    seen.suspend,
                    seen.parallelism,
                    seen.completions,
                    seen.seen_at,
                    mod(seen.resource_version, '1000000000000000000000000000000'::numeric) AS version,
                    lag(seen.suspend) OVER versions AS was_suspended,
                    lag(seen.parallelism) OVER versions AS parallelism_before,
                    lag(seen.completions) OVER versions AS completions_before,
                    count(*) OVER (PARTITION BY seen.cluster, seen.uid, (mod(seen.resource_version, '1000000000000000000000000000000'::numeric))) AS with_version
                   FROM job_statuses seen
                  WHERE NOT seen.deleted
                  WINDOW versions AS (PARTITION BY seen.cluster, seen.uid ORDER BY seen.resource_version)) c
          WHERE c.was_suspended IS NOT NULL AND c.with_version = 1) s
     CROSS JOIN LATERAL ( SELECT r_1.by,
            r_1.impersonated_by,
            r_1.user_agent,
            r_1.received_at
           FROM api_requests r_1
          WHERE r_1.cluster = s.cluster AND r_1.job_uid = s.uid AND r_1.uid = s.uid AND r_1.written_version = s.version AND r_1.received_at <= s.seen_at
          ORDER BY r_1.received_at, r_1.event_id
         LIMIT 1) r
  WHERE s.action IS NOT NULL
UNION ALL
 SELECT j.cluster,
    j.uid AS job_uid,
    j.namespace,
    j.name AS job_name,
    'deleted'::text AS action,
    r.by,
    r.impersonated_by,
    r.user_agent,
    r.received_at AS at
   FROM jobs j
     CROSS JOIN LATERAL ( SELECT r_1.by,
            r_1.impersonated_by,
            r_1.user_agent,
            r_1.received_at
           FROM api_requests r_1
          WHERE r_1.cluster = j.cluster AND r_1.job_uid = j.uid AND r_1.uid = j.uid AND (r_1.verb = ANY (ARRAY['delete'::text, 'deletecollection'::text])) AND NOT r_1.panicked AND (r_1.written_version IS NULL OR r_1.received_at < (j.deletion_requested_at + '00:00:01'::interval))
          ORDER BY r_1.received_at, r_1.event_id
         LIMIT 1) r
  WHERE j.deletion_requested_at IS NOT NULL OR j.deleted_at IS NOT NULL;
grant select on who to jobledger_reader;

-- The cost of the requests of a pod over a period, as far as counted_until, with the requests before each resize (pods.request_steps) and the prices of each hour. Null for an empty period, and when no resource has a price.
CREATE OR REPLACE FUNCTION jobledger.attempt_cost(cluster text, requests jsonb, steps jsonb, cpu_request_cores numeric, memory_request_bytes numeric, since timestamp with time zone, until timestamp with time zone, counted_until timestamp with time zone)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO 'jobledger', 'pg_temp'
AS $function$
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
$function$;
grant execute on function attempt_cost(text,jsonb,jsonb,numeric,numeric,timestamp with time zone,timestamp with time zone,timestamp with time zone) to public;
grant execute on function attempt_cost(text,jsonb,jsonb,numeric,numeric,timestamp with time zone,timestamp with time zone,timestamp with time zone) to jobledger_reader;

-- The pods of Jobs that ran, or waited to run, in a cluster at an instant, with the placed Job of each; home is null for a Job that was not placed.
CREATE OR REPLACE FUNCTION jobledger.cluster_as_of(cluster text, at timestamp with time zone)
 RETURNS TABLE(home text, namespace text, job_name text, member_name text, member_uid text, pod text, pod_uid text, completion_index integer, node text, started_at timestamp with time zone, finished_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
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
$function$;
grant execute on function cluster_as_of(text,timestamp with time zone) to public;
grant execute on function cluster_as_of(text,timestamp with time zone) to jobledger_reader;

-- How many Jobs and pods of each team held nodes in each cluster, and what they requested, at the instants from since to until in steps; a day has 24 hours. An error (SQLSTATE 22023) for a step in months and for more than 100,000 steps.
CREATE OR REPLACE FUNCTION jobledger.concurrency(since timestamp with time zone, until timestamp with time zone, step interval)
 RETURNS TABLE(at timestamp with time zone, cluster text, team text, jobs bigint, pods bigint, cpu_request_cores numeric, memory_request_bytes numeric, gpu_request numeric)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;
grant execute on function concurrency(timestamp with time zone,timestamp with time zone,interval) to public;
grant execute on function concurrency(timestamp with time zone,timestamp with time zone,interval) to jobledger_reader;

-- One CronJob as observed by an instant. If several CronJobs had the name, the one that existed at the instant, otherwise the one that was created last. No row when none was observed by the instant; an error (SQLSTATE JL001) when the CronJob may have been removed because it was deleted before jobledger.horizon().
CREATE OR REPLACE FUNCTION jobledger.cron_job_as_of(cluster text, namespace text, name text, at timestamp with time zone)
 RETURNS SETOF cron_job_versions
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;
grant execute on function cron_job_as_of(text,text,text,timestamp with time zone) to public;
grant execute on function cron_job_as_of(text,text,text,timestamp with time zone) to jobledger_reader;

-- The CronJob with this UID as observed by an instant; no row when it was not observed by that instant.
CREATE OR REPLACE FUNCTION jobledger.cron_job_seen(cluster text, uid text, at timestamp with time zone)
 RETURNS SETOF cron_job_versions
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT seen.cluster,
     seen.uid,
     seen.namespace,
     seen.name,
     seen.schedule,
     seen.time_zone,
     seen.suspend,
     seen.concurrency_policy,
     seen.starting_deadline_seconds,
     seen.successful_jobs_history_limit,
     seen.failed_jobs_history_limit,
     seen.active,
     seen.active_jobs,
     seen.last_schedule_time,
     seen.last_successful_time,
     seen.resource_version,
     seen.seen_at,
     seen.event_id,
     seen.deleted
    FROM cron_job_versions seen
   WHERE ((seen.cluster = cron_job_seen.cluster) AND (seen.uid = cron_job_seen.uid) AND (seen.seen_at <= cron_job_seen.at))
   ORDER BY seen.resource_version DESC, seen.deleted DESC
  LIMIT 1;
END;
grant execute on function cron_job_seen(text,text,timestamp with time zone) to public;
grant execute on function cron_job_seen(text,text,timestamp with time zone) to jobledger_reader;

-- Every CronJob that existed at an instant, as observed by that instant; an error (SQLSTATE JL001) for an instant before jobledger.horizon().
CREATE OR REPLACE FUNCTION jobledger.cron_jobs_as_of(at timestamp with time zone)
 RETURNS SETOF cron_job_versions
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT seen.cluster,
     seen.uid,
     seen.namespace,
     seen.name,
     seen.schedule,
     seen.time_zone,
     seen.suspend,
     seen.concurrency_policy,
     seen.starting_deadline_seconds,
     seen.successful_jobs_history_limit,
     seen.failed_jobs_history_limit,
     seen.active,
     seen.active_jobs,
     seen.last_schedule_time,
     seen.last_successful_time,
     seen.resource_version,
     seen.seen_at,
     seen.event_id,
     seen.deleted
    FROM (cron_jobs
      CROSS JOIN LATERAL cron_job_seen(cron_jobs.cluster, cron_jobs.uid, cron_jobs_as_of.at) seen(cluster, uid, namespace, name, schedule, time_zone, suspend, concurrency_policy, starting_deadline_seconds, successful_jobs_history_limit, failed_jobs_history_limit, active, active_jobs, last_schedule_time, last_successful_time, resource_version, seen_at, event_id, deleted))
   WHERE (requires_horizon(cron_jobs_as_of.at) AND (cron_jobs.first_seen_at <= cron_jobs_as_of.at) AND ((cron_jobs.deleted_at IS NULL) OR (cron_jobs.deleted_at > cron_jobs_as_of.at)) AND (NOT seen.deleted));
END;
grant execute on function cron_jobs_as_of(timestamp with time zone) to public;
grant execute on function cron_jobs_as_of(timestamp with time zone) to jobledger_reader;

-- The reason of the condition with which a Job ends or has ended; null without such a condition.
CREATE OR REPLACE FUNCTION jobledger.ending_reason(conditions jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (jsonb_path_query_first(conditions, '$[*]?(((@."type" == "Failed" || @."type" == "FailureTarget") || @."type" == "SuccessCriteriaMet") && @."status" == "True")."reason"'::jsonpath) #>> '{}'::text[]);
grant execute on function ending_reason(jsonb) to public;
grant execute on function ending_reason(jsonb) to jobledger_reader;

-- Jobs whose deletion was recorded before this instant were removed; null when no Jobs were removed. The functions that answer for an instant refuse earlier instants with SQLSTATE JL001.
CREATE OR REPLACE FUNCTION jobledger.horizon()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT retention.horizon
    FROM retention;
END;
grant execute on function horizon() to public;
grant execute on function horizon() to jobledger_reader;

-- The price of the requests of a pod for one hour, by the prices that were valid in this hour. A resource without a price costs nothing; null when no resource has a price.
CREATE OR REPLACE FUNCTION jobledger.hourly_price(cluster text, hour timestamp with time zone, cpu_request_cores numeric, memory_request_bytes numeric, requests jsonb)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO 'jobledger', 'pg_temp'
AS $function$
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
$function$;
grant execute on function hourly_price(text,timestamp with time zone,numeric,numeric,jsonb) to public;
grant execute on function hourly_price(text,timestamp with time zone,numeric,numeric,jsonb) to jobledger_reader;

-- The beginnings of the hours, in UTC, that a period touches.
CREATE OR REPLACE FUNCTION jobledger.hours_within(since timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(hour timestamp with time zone)
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE ROWS 1
AS $function$
begin
  return query select generate_series(
    date_bin('1 hour', since, '2000-01-01 00:00Z'), until - interval '1 microsecond', interval '1 hour'
  );
end;
$function$;
grant execute on function hours_within(timestamp with time zone,timestamp with time zone) to public;
grant execute on function hours_within(timestamp with time zone,timestamp with time zone) to jobledger_reader;

-- Status of one Job as observed by an instant. If several Jobs had the name, the one that existed at the instant, otherwise the one that was created last. No row when none was observed by the instant; an error (SQLSTATE JL001) when the Job may have been removed because it ended before jobledger.horizon().
CREATE OR REPLACE FUNCTION jobledger.job_as_of(cluster text, namespace text, name text, at timestamp with time zone)
 RETURNS SETOF job_statuses
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;
grant execute on function job_as_of(text,text,text,timestamp with time zone) to public;
grant execute on function job_as_of(text,text,text,timestamp with time zone) to jobledger_reader;

-- Status of the Job with this UID as observed by an instant; no row when the Job was not observed by that instant.
CREATE OR REPLACE FUNCTION jobledger.job_seen(cluster text, uid text, at timestamp with time zone)
 RETURNS SETOF job_statuses
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT seen.cluster,
     seen.uid,
     seen.namespace,
     seen.name,
     seen.kubectl_status,
     seen.suspend,
     seen.parallelism,
     seen.completions,
     seen.active,
     seen.ready,
     seen.terminating,
     seen.succeeded,
     seen.failed,
     seen.completed_indexes,
     seen.failed_indexes,
     seen.started_at,
     seen.completed_at,
     seen.conditions,
     seen.resource_version,
     seen.seen_at,
     seen.event_id,
     seen.deleted
    FROM job_statuses seen
   WHERE ((seen.cluster = job_seen.cluster) AND (seen.uid = job_seen.uid) AND (seen.seen_at <= job_seen.at))
   ORDER BY seen.resource_version DESC, seen.deleted DESC
  LIMIT 1;
END;
grant execute on function job_seen(text,text,timestamp with time zone) to public;
grant execute on function job_seen(text,text,timestamp with time zone) to jobledger_reader;

-- Status of every Job that existed at an instant, as observed by that instant; an error (SQLSTATE JL001) for an instant before jobledger.horizon().
CREATE OR REPLACE FUNCTION jobledger.jobs_as_of(at timestamp with time zone)
 RETURNS SETOF job_statuses
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT seen.cluster,
     seen.uid,
     seen.namespace,
     seen.name,
     seen.kubectl_status,
     seen.suspend,
     seen.parallelism,
     seen.completions,
     seen.active,
     seen.ready,
     seen.terminating,
     seen.succeeded,
     seen.failed,
     seen.completed_indexes,
     seen.failed_indexes,
     seen.started_at,
     seen.completed_at,
     seen.conditions,
     seen.resource_version,
     seen.seen_at,
     seen.event_id,
     seen.deleted
    FROM (jobs
      CROSS JOIN LATERAL job_seen(jobs.cluster, jobs.uid, jobs_as_of.at) seen(cluster, uid, namespace, name, kubectl_status, suspend, parallelism, completions, active, ready, terminating, succeeded, failed, completed_indexes, failed_indexes, started_at, completed_at, conditions, resource_version, seen_at, event_id, deleted))
   WHERE (requires_horizon(jobs_as_of.at) AND (jobs.first_seen_at <= jobs_as_of.at) AND ((jobs.deleted_at IS NULL) OR (jobs.deleted_at > jobs_as_of.at)) AND (NOT seen.deleted));
END;
grant execute on function jobs_as_of(timestamp with time zone) to public;
grant execute on function jobs_as_of(timestamp with time zone) to jobledger_reader;

-- Trigger: marks the hours whose costs a new price list changes as stale (stale_usage).
CREATE OR REPLACE FUNCTION jobledger.mark_stale_costs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;
grant execute on function mark_stale_costs() to public;
grant execute on function mark_stale_costs() to jobledger_reader;

-- Trigger: marks the hours of the pods that a changed row concerns as stale (stale_usage).
CREATE OR REPLACE FUNCTION jobledger.mark_stale_usage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$;
grant execute on function mark_stale_usage() to public;
grant execute on function mark_stale_usage() to jobledger_reader;

-- Marks the hours in which pods of a Job ended as stale (stale_usage).
CREATE OR REPLACE FUNCTION jobledger.mark_stale_usage_of_job(cluster text, job_uid text)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO stale_usage (hour)  SELECT DISTINCT date_bin('01:00:00'::interval, p.held_until, '2000-01-01 00:00:00+00'::timestamp with time zone) AS date_bin
            FROM pods p
           WHERE ((p.cluster = mark_stale_usage_of_job.cluster) AND (p.job_uid = mark_stale_usage_of_job.job_uid) AND (p.held_until IS NOT NULL));
END;
grant execute on function mark_stale_usage_of_job(text,text) to public;
grant execute on function mark_stale_usage_of_job(text,text) to jobledger_reader;

-- The instant until which the pods of a cluster that hold their nodes are counted, in whole seconds: now, or the detachment of the cluster.
CREATE OR REPLACE FUNCTION jobledger.open_pods_counted_until(cluster text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO 'jobledger', 'pg_temp'
AS $function$
begin
  return date_trunc('second', coalesce((select c.detached_at from jobledger.clusters c where c.name = $1), now()));
end;
$function$;
grant execute on function open_pods_counted_until(text) to public;
grant execute on function open_pods_counted_until(text) to jobledger_reader;

-- The instant until which the pods of a cluster that hold their nodes certainly existed: as open_pods_counted_until, but not after the pods were last received, if that is more than five minutes ago.
CREATE OR REPLACE FUNCTION jobledger.open_pods_seen_until(cluster text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO 'jobledger', 'pg_temp'
AS $function$
declare
  received timestamptz := (select w.pods_received_at from jobledger.cluster_watches w where w.cluster = $1);
begin
  return least(
    jobledger.open_pods_counted_until($1),
    case when received < now() - interval '5 minutes' then date_trunc('second', received) end
  );
end;
$function$;
grant execute on function open_pods_seen_until(text) to public;
grant execute on function open_pods_seen_until(text) to jobledger_reader;

-- The requests of a pod by period: before each resize (pods.request_steps), and after the last one.
CREATE OR REPLACE FUNCTION jobledger.request_periods(steps jsonb, cpu numeric, memory numeric, gpus numeric)
 RETURNS TABLE(since timestamp with time zone, until timestamp with time zone, cpu_request_cores numeric, memory_request_bytes numeric, gpu_request numeric)
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE ROWS 1
AS $function$
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
$function$;
grant execute on function request_periods(jsonb,numeric,numeric,numeric) to public;
grant execute on function request_periods(jsonb,numeric,numeric,numeric) to jobledger_reader;

-- True for an instant from the horizon on; an earlier instant is an error with SQLSTATE JL001.
CREATE OR REPLACE FUNCTION jobledger.requires_horizon(at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
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
$function$;
grant execute on function requires_horizon(timestamp with time zone) to public;
grant execute on function requires_horizon(timestamp with time zone) to jobledger_reader;

-- Requests × seconds of one resource over a period: last_request, and before each resize the request that pods.request_steps has.
CREATE OR REPLACE FUNCTION jobledger.resource_seconds(steps jsonb, resource text, last_request numeric, since timestamp with time zone, until timestamp with time zone)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
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
$function$;
grant execute on function resource_seconds(jsonb,text,numeric,timestamp with time zone,timestamp with time zone) to public;
grant execute on function resource_seconds(jsonb,text,numeric,timestamp with time zone,timestamp with time zone) to jobledger_reader;

-- The team of a Job: the team that its label names, if it is one of the teams of its namespace; otherwise the first of these teams, or the namespace without teams.
CREATE OR REPLACE FUNCTION jobledger.team_of(teams text[], label text, labels jsonb, namespace text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (teams IS NULL) THEN namespace WHEN ((labels ->> label) = ANY (teams)) THEN (labels ->> label) ELSE (teams)[1] END;
grant execute on function team_of(text[],text,jsonb,text) to public;
grant execute on function team_of(text[],text,jsonb,text) to jobledger_reader;

-- The rows of ended_usage of the pods that ended in the hour that begins at an instant, counted from attempts.
CREATE OR REPLACE FUNCTION jobledger.usage_ended_in(hour timestamp with time zone)
 RETURNS SETOF ended_usage
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE SECURITY DEFINER ROWS 200
 SET search_path TO 'jobledger', 'pg_temp'
AS $function$
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
$function$;
grant execute on function usage_ended_in(timestamp with time zone) to public;
grant execute on function usage_ended_in(timestamp with time zone) to jobledger_reader;

alter default privileges in schema jobledger grant execute on functions to jobledger_reader;
alter default privileges in schema jobledger grant select on tables to jobledger_reader;

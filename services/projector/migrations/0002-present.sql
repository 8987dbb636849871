-- The present, one row a thing, folded from the events.

create table clusters (
  name text primary key,
  uid text,
  version text,
  first_connected_at timestamptz,
  last_connected_at timestamptz,
  gaps integer not null,
  last_gap_from timestamptz,
  last_gap_to timestamptz
);
comment on table clusters is 'Clusters that were ever connected.';
comment on column clusters.name is 'Our name of the cluster.';
comment on column clusters.uid is 'UID of its namespace kube-system: what makes it this cluster and no other.';
comment on column clusters.version is 'Version of its API server at the last connection.';
comment on column clusters.first_connected_at is 'When it was connected first.';
comment on column clusters.last_connected_at is 'When it was connected last.';
comment on column clusters.gaps is 'Number of periods in which something may have been missed; each is a row of gaps.';
comment on column clusters.last_gap_from is 'Begin of the last such period.';
comment on column clusters.last_gap_to is 'End of the last such period.';

create table gaps (
  id text primary key,
  cluster text not null,
  resource text not null,
  gap_from timestamptz not null,
  gap_to timestamptz not null,
  reason text,
  recorded_at timestamptz not null
);
comment on table gaps is 'Periods of a cluster in which something may have happened that nobody saw.';
comment on column gaps.id is 'Id of its event.';
comment on column gaps.cluster is 'Name of the cluster.';
comment on column gaps.resource is 'jobs or pods.';
comment on column gaps.gap_from is 'Begin of the period.';
comment on column gaps.gap_to is 'End of the period.';
comment on column gaps.reason is 'Why it could not be seen.';
comment on column gaps.recorded_at is 'When it was recorded.';

create table jobs (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  claimed boolean not null,
  managed_by text,
  status text not null,
  parallelism integer,
  completions integer,
  completion_mode text,
  backoff_limit integer,
  backoff_limit_per_index integer,
  active_deadline_seconds bigint,
  ttl_seconds_after_finished integer,
  suspend boolean not null,
  labels jsonb not null,
  generation bigint,
  resource_version numeric not null,
  active integer not null,
  ready integer not null,
  terminating integer not null,
  succeeded integer not null,
  failed integer not null,
  completed_indexes text,
  failed_indexes text,
  conditions jsonb not null,
  created_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  finished_at timestamptz,
  deletion_requested_at timestamptz,
  deleted_at timestamptz,
  deletion_seen boolean,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  first_pod_at timestamptz,
  first_ready_at timestamptz,
  attempts integer not null,
  decisions integer not null,
  commands integer not null,
  failed_commands integer not null,
  last_decision text,
  last_decided_at timestamptz,
  last_number integer not null,
  chain text,
  look_again_at timestamptz,
  waiting_rule text,
  waiting_words text,
  waiting_since timestamptz,
  primary key (cluster, uid)
);
create index jobs_by_name on jobs (cluster, namespace, name);
create index jobs_by_short_name on jobs (name);
create index jobs_not_finished on jobs (cluster, created_at) where finished_at is null and deleted_at is null;

comment on table jobs is 'One row a Job that was ever seen, with its present status. A Job recreated under its name is another row.';
comment on column jobs.cluster is 'Name of the cluster.';
comment on column jobs.uid is 'metadata.uid.';
comment on column jobs.namespace is 'metadata.namespace.';
comment on column jobs.name is 'metadata.name.';
comment on column jobs.claimed is 'Jobledger drives this Job: spec.managedBy names us, or a decision of ours is recorded.';
comment on column jobs.managed_by is 'spec.managedBy; null when absent.';
comment on column jobs.status is
  'One word, as kubectl shows it: Complete, Failed, Terminating, Suspended, FailureTarget, SuccessCriteriaMet, Running; Unknown while only its pods were seen.';
comment on column jobs.parallelism is 'spec.parallelism.';
comment on column jobs.completions is 'spec.completions; null when any one success completes the Job.';
comment on column jobs.completion_mode is 'spec.completionMode.';
comment on column jobs.backoff_limit is 'spec.backoffLimit.';
comment on column jobs.backoff_limit_per_index is 'spec.backoffLimitPerIndex.';
comment on column jobs.active_deadline_seconds is 'spec.activeDeadlineSeconds.';
comment on column jobs.ttl_seconds_after_finished is 'spec.ttlSecondsAfterFinished.';
comment on column jobs.suspend is 'spec.suspend.';
comment on column jobs.labels is 'metadata.labels.';
comment on column jobs.generation is 'metadata.generation.';
comment on column jobs.resource_version is 'Version of the newest observation; 0 before the first.';
comment on column jobs.active is 'status.active.';
comment on column jobs.ready is 'status.ready.';
comment on column jobs.terminating is 'status.terminating.';
comment on column jobs.succeeded is 'status.succeeded.';
comment on column jobs.failed is 'status.failed.';
comment on column jobs.completed_indexes is 'status.completedIndexes.';
comment on column jobs.failed_indexes is 'status.failedIndexes.';
comment on column jobs.conditions is 'status.conditions as they are now; the table conditions has their history.';
comment on column jobs.created_at is 'metadata.creationTimestamp.';
comment on column jobs.started_at is 'status.startTime.';
comment on column jobs.completed_at is 'status.completionTime.';
comment on column jobs.finished_at is 'When it became Complete or Failed, by the status.';
comment on column jobs.deletion_requested_at is 'metadata.deletionTimestamp.';
comment on column jobs.deleted_at is 'When its deletion was recorded; null while it exists.';
comment on column jobs.deletion_seen is 'False when it vanished between two instants while nobody watched.';
comment on column jobs.first_seen_at is 'Time of the first event of this Job.';
comment on column jobs.last_seen_at is 'Time of the newest observation of the Job or its deletion.';
comment on column jobs.first_pod_at is 'When the first of its pods was created, of those that were observed.';
comment on column jobs.first_ready_at is 'When a pod of it was ready first, as far as one was seen ready.';
comment on column jobs.attempts is 'Number of pods that it ever had: its rows in pods.';
comment on column jobs.decisions is 'Number of recorded decisions, superseded ones included.';
comment on column jobs.commands is 'Number of commands in these decisions.';
comment on column jobs.failed_commands is 'Number of outcomes that hold an error.';
comment on column jobs.last_decision is 'Id of the newest decision of the highest number.';
comment on column jobs.last_number is 'Its number; 0 before the first decision.';
comment on column jobs.last_decided_at is 'The instant that the newest decision took as now.';
comment on column jobs.chain is 'First run id of the Temporal workflow that made the newest decision.';
comment on column jobs.look_again_at is 'When time alone changes what is to be done.';
comment on column jobs.waiting_rule is 'Rule by which nothing more is done for now; null when nothing is waited for.';
comment on column jobs.waiting_words is 'The same in words.';
comment on column jobs.waiting_since is 'Since when that is the reason.';

create table pods (
  cluster text not null,
  job_uid text not null,
  uid text not null,
  namespace text,
  job_name text,
  name text not null,
  completion_index integer,
  phase text,
  exit_code integer,
  reason text,
  message text,
  node text,
  restarts integer not null,
  labels jsonb not null,
  resource_version numeric not null,
  created_at timestamptz,
  started_at timestamptz,
  first_ready_at timestamptz,
  finished_at timestamptz,
  deletion_requested_at timestamptz,
  deleted_at timestamptz,
  created_by text,
  created_rule text,
  why_created text,
  deleted_by text,
  deletion_rule text,
  deletion_words text,
  deletion_decided_at timestamptz,
  why_ended text,
  counted_as text,
  counted_by text,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (cluster, job_uid, uid)
);
create index pods_by_name on pods (name);
create index pods_by_job_name on pods (cluster, namespace, job_name);
create index pods_by_creation on pods (created_at);

comment on table pods is 'One row an attempt: every pod that ever belonged to a Job.';
comment on column pods.cluster is 'Name of the cluster.';
comment on column pods.job_uid is 'UID of the Job under which the pod is recorded.';
comment on column pods.uid is 'metadata.uid.';
comment on column pods.namespace is 'Namespace of Job and pod.';
comment on column pods.job_name is 'Name of the Job.';
comment on column pods.name is 'metadata.name.';
comment on column pods.completion_index is 'Completion index; null for NonIndexed Jobs.';
comment on column pods.phase is 'status.phase as last seen; null when the pod was created but never observed.';
comment on column pods.exit_code is
  'The first exit code other than 0 of its containers; 0 when all regular ones ended with 0; null while one runs.';
comment on column pods.reason is 'status.reason, else the reason of the container that failed or waits.';
comment on column pods.message is 'status.message, else the message of that container.';
comment on column pods.node is 'spec.nodeName.';
comment on column pods.restarts is 'Restarts of all its containers.';
comment on column pods.labels is 'metadata.labels.';
comment on column pods.resource_version is 'Version of the newest observation; 0 before the first.';
comment on column pods.created_at is 'metadata.creationTimestamp; by the clock of the worker until the pod is observed.';
comment on column pods.started_at is 'status.startTime: the node has taken it.';
comment on column pods.first_ready_at is 'Since when it was ready when it was first seen ready; null when it never was seen so.';
comment on column pods.finished_at is 'When it ended, by rule J-5.41.';
comment on column pods.deletion_requested_at is 'When its deletion was asked for: deletionTimestamp less the grace period.';
comment on column pods.deleted_at is 'When its deletion was recorded; null while it exists.';
comment on column pods.created_by is 'Id of the decision that asked for it; null when it was none of ours.';
comment on column pods.created_rule is 'Rule by which it was created.';
comment on column pods.why_created is 'The same in words.';
comment on column pods.deleted_by is 'Id of the first decision that asked to delete it.';
comment on column pods.deletion_rule is 'Rule by which that decision did.';
comment on column pods.deletion_words is 'The same in words.';
comment on column pods.deletion_decided_at is 'When it was decided.';
comment on column pods.why_ended is
  'Why it ended: Succeeded, exit code 3 (Error), deleted by Jobledger: …, deleted with its Job, deleted by somebody else, evicted: …, gone while nobody watched. Null while it lives.';
comment on column pods.counted_as is 'succeeded or failed, once a decision asked for a status that contains it.';
comment on column pods.counted_by is 'Id of the newest such decision.';
comment on column pods.first_seen_at is 'Time of the first event that names it.';
comment on column pods.last_seen_at is 'Time of the newest observation of it, or of its deletion.';

create table creations (
  cluster text not null,
  job_uid text not null,
  name text not null,
  ordinal integer not null,
  completion_index integer,
  decision text not null,
  rule text not null,
  words text not null,
  decided_at timestamptz not null,
  result text,
  pod_uid text,
  error text,
  answered_at timestamptz,
  primary key (cluster, job_uid, name)
);
comment on table creations is 'Every pod that a decision asked for, whether it came to be or not.';
comment on column creations.cluster is 'Name of the cluster.';
comment on column creations.job_uid is 'UID of the Job.';
comment on column creations.name is 'Name of the pod. One Job uses a name once.';
comment on column creations.ordinal is 'Number among all creations of the Job, from 0; it gives the name.';
comment on column creations.completion_index is 'Completion index; null for NonIndexed Jobs.';
comment on column creations.decision is 'Id of the newest decision that asked for it.';
comment on column creations.rule is 'Rule by which it did.';
comment on column creations.words is 'The same in words.';
comment on column creations.decided_at is 'When it was decided.';
comment on column creations.result is 'created, taken (the name belongs to another pod), failed or skipped; null until answered.';
comment on column creations.pod_uid is 'UID of the pod that was created.';
comment on column creations.error is 'Error of the API server.';
comment on column creations.answered_at is 'When the answer came.';

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
comment on table conditions is 'Every change of a condition of a Job, in the order of resource_version.';
comment on column conditions.cluster is 'Name of the cluster.';
comment on column conditions.job_uid is 'UID of the Job.';
comment on column conditions.namespace is 'Namespace of the Job.';
comment on column conditions.job_name is 'Name of the Job.';
comment on column conditions.type is 'Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet, or somebody else''s.';
comment on column conditions.status is 'True, False or Unknown; null when the condition was taken away.';
comment on column conditions.reason is 'The condition''s reason.';
comment on column conditions.message is 'The condition''s message.';
comment on column conditions.last_transition_time is 'The condition''s own lastTransitionTime.';
comment on column conditions.seen_at is 'When the observation that showed the change was recorded.';
comment on column conditions.resource_version is 'Version of the Job that showed it.';
comment on column conditions.event_id is 'Event that showed it.';

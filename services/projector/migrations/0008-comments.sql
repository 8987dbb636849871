-- Plainer comments. No structure changes.

comment on table events is 'The ledger: one row per event, in monthly partitions by time. Retention drops partitions.';
comment on column events.id is 'Identity of the event. A repeat, even with a later time, adds no row.';
comment on column events.namespace is 'Namespace of the Job; null for events of a whole cluster, and when it is not known.';
comment on column events.job_name is 'Name of the Job; null for events of a whole cluster, and when it is not known.';
comment on column events.resource_version is 'resourceVersion of the observed or deleted object; null for other events.';
comment on column events.time is 'When it was first recorded.';
comment on column events.digest is 'Digest of data, computed when the event was written; "jobledger verify" checks it.';

comment on table event_ids is
  'Id of every event that was ever applied, to recognise repeats. Stays when a partition of events is dropped.';
comment on column event_ids.id is 'Id of the event.';

comment on table positions is
  'How far each partition of the ledger is applied. Written in the same transaction as the rows.';
comment on column positions.applied_at is 'When the position last moved.';

comment on table dead_letters is
  'Records of the ledger that could not be read or projected. Their content is in the dead-letter topic.';
comment on column dead_letters.topic is 'Topic of the record.';
comment on column dead_letters.key is 'Key of the record, when it is text.';
comment on column dead_letters.found_at is 'When the projector read it.';
comment on column dead_letters.brought_back_at is
  'When the record was appended to the ledger again, because a later version can read it; null while it is set aside.';

comment on column clusters.name is 'Name of the cluster in Jobledger.';
comment on column clusters.uid is 'UID of its namespace kube-system, which identifies the cluster.';
comment on column clusters.first_connected_at is 'When it was first connected.';
comment on column clusters.last_connected_at is 'When it was last connected.';
comment on column clusters.gaps is 'Number of periods in which events may have been missed; each is a row of gaps.';
comment on column clusters.last_gap_from is 'Start of the last such period.';
comment on column clusters.last_gap_to is 'End of the last such period.';

comment on table gaps is 'Periods in which events of a cluster may have been missed.';
comment on column gaps.gap_from is 'Start of the period.';
comment on column gaps.reason is 'Why events may have been missed.';

comment on table jobs is
  'One row per Job that was ever observed, with its current status. A Job created again under its name has its own row.';
comment on column jobs.claimed is 'Jobledger controls this Job: spec.managedBy names Jobledger, or one of its decisions is recorded.';
comment on column jobs.status is
  'One word, as shown by kubectl: Complete, Failed, Terminating, Suspended, FailureTarget, SuccessCriteriaMet, Running; Unknown while only its pods were observed.';
comment on column jobs.completions is 'spec.completions; null when a single success completes the Job.';
comment on column jobs.resource_version is 'resourceVersion of the newest observation; 0 before the first.';
comment on column jobs.conditions is 'Current status.conditions; the table conditions has their history.';
comment on column jobs.finished_at is 'When it became Complete or Failed, from the status.';
comment on column jobs.deletion_seen is 'False when it was deleted at an unknown time while no watch was open.';
comment on column jobs.first_pod_at is 'When the first of its observed pods was created.';
comment on column jobs.first_ready_at is 'When one of its pods was first ready; null when none was observed ready.';
comment on column jobs.attempts is 'Number of its pods, deleted ones included: its rows in pods.';
comment on column jobs.failed_commands is 'Number of outcomes with an error.';
comment on column jobs.last_decision is 'Id of the newest decision with the highest number.';
comment on column jobs.last_decided_at is 'The instant that the newest decision used as now.';
comment on column jobs.look_again_at is 'When the next decision is due without new events; null when none is.';
comment on column jobs.waiting_rule is 'Rule of the current wait; null when the Job waits for nothing.';
comment on column jobs.waiting_words is 'Reason of the wait as text.';
comment on column jobs.waiting_since is 'When this wait began.';

comment on table pods is 'One row per attempt: every pod that ever belonged to a Job.';
comment on column pods.namespace is 'Namespace of the Job and the pod.';
comment on column pods.phase is 'Last observed status.phase; null when the pod was created but never observed.';
comment on column pods.exit_code is
  'First non-zero exit code of its containers; 0 when all regular ones ended with 0; null while one runs.';
comment on column pods.reason is 'status.reason, else the reason of the failed or waiting container.';
comment on column pods.resource_version is 'resourceVersion of the newest observation; 0 before the first.';
comment on column pods.created_at is 'metadata.creationTimestamp; until the pod is observed, the time of the worker''s clock.';
comment on column pods.started_at is 'status.startTime: when its node accepted it.';
comment on column pods.first_ready_at is
  'Since when it was ready in the first observation that showed it ready; null when none did.';
comment on column pods.finished_at is 'When it finished, by rule J-5.41.';
comment on column pods.deletion_requested_at is 'When its deletion was requested: deletionTimestamp minus the grace period.';
comment on column pods.created_by is 'Id of the decision that created it; null when Jobledger did not create it.';
comment on column pods.why_created is 'Reason of its creation as text.';
comment on column pods.deleted_by is 'Id of the first decision to delete it.';
comment on column pods.deletion_rule is 'Rule of that decision.';
comment on column pods.deletion_words is 'Reason of the deletion as text.';
comment on column pods.deletion_decided_at is 'When the deletion was decided.';
comment on column pods.counted_as is 'succeeded or failed, once a decision counts it in a status.';
comment on column pods.first_seen_at is 'Time of the first event about it.';
comment on column pods.last_seen_at is 'Time of its newest observation, or of its deletion.';

comment on table creations is 'Every pod that a decision was to create, whether it was created or not.';
comment on column creations.name is 'Name of the pod. A Job uses each name once.';
comment on column creations.ordinal is 'Number of the creation within the Job, from 0, or within the completion index; it determines the name.';
comment on column creations.decision is 'Id of the newest decision to create it.';
comment on column creations.rule is 'Rule of that decision.';
comment on column creations.words is 'Reason of the creation as text.';
comment on column creations.result is 'created, taken (the name belongs to another pod), failed or skipped; null before the outcome.';
comment on column creations.pod_uid is 'UID of the created pod.';
comment on column creations.answered_at is 'When the outcome was received.';

comment on table conditions is 'Every change of a condition of a Job, ordered by resource_version.';
comment on column conditions.type is 'Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet, or another controller''s type.';
comment on column conditions.status is 'True, False or Unknown; null when the condition was removed.';
comment on column conditions.seen_at is 'When the observation with the change was recorded.';
comment on column conditions.resource_version is 'resourceVersion of the Job with the change.';
comment on column conditions.event_id is 'Id of the event with the change.';

comment on table decisions is
  'Every recorded decision. The events that it folded and its settings are in the data of its event.';
comment on column decisions.namespace is 'Namespace of the Job; empty when it is not known.';
comment on column decisions.job_name is 'Name of the Job; empty when it is not known.';
comment on column decisions.predecessor is 'Id of the previous decision; null for the first.';
comment on column decisions.now is 'The instant used as now.';
comment on column decisions.commands is 'Number of its commands; the table commands has a row for each.';
comment on column decisions.look_again_at is 'When the result changes without new events; null when it never does.';
comment on column decisions.waiting_rule is 'Rule of the wait; null when there is nothing to wait for.';
comment on column decisions.waiting_words is 'Reason of the wait as text.';
comment on column decisions.superseded is
  'True when the workflow ran this step again (after a crash, or because a signal came as it ended) and another decision of the same number counts: the one that the next decision names, or the later one while none is named. The effects of this one are observed as facts.';

comment on table commands is
  'Every command of every decision, superseded ones included, with its last outcome. Its content is in the data of the decision''s event.';
comment on column commands.command is 'Position of the command in the decision, from 0.';
comment on column commands.namespace is 'Namespace of the Job; empty when it is not known.';
comment on column commands.job_name is 'Name of the Job; empty when it is not known.';
comment on column commands.kind is 'CreatePods, DeletePods, ReleasePods, WriteStatus, …: docs/events.md lists them.';
comment on column commands.rule is 'Rule of the Job semantics that the command follows.';
comment on column commands.words is 'Reason of the command as text.';
comment on column commands.pods is 'Number of its pods; null for commands without pods.';
comment on column commands.decided_at is 'The instant that the decision used as now.';
comment on column commands.attempts is 'Newest attempt with an outcome; 0 when there is none.';
comment on column commands.answered_at is 'Time of its outcome, by the worker''s clock; null when there is none.';
comment on column commands.result is
  'Outcome of the whole command, if it has one; skipped when an earlier command failed. The view outcomes has that of each pod.';

comment on view outcomes is 'Every outcome of a command, read from the events: fast for one Job or a short period.';
comment on column outcomes.command is 'Position of the command in the decision, from 0.';
comment on column outcomes.attempt is 'Number of the attempt, from 1.';
comment on column outcomes.kind is 'Kind of the command; skipped when an earlier command failed.';
comment on column outcomes.result is 'Result of the whole command, if it has one; those of pods are in answer.';
comment on column outcomes.answer is 'The whole outcome.';
comment on column outcomes.answered_at is 'When it was received, by the worker''s clock.';

comment on view job_phases is
  'How long each phase of each Job took: created, first pod, first ready pod, finished. A phase is null until it is over, and when its start or end was not observed.';
comment on column job_phases.first_ready_at is 'When one of its pods was first ready; null when none was observed ready.';
comment on column job_phases.attempts is 'Number of its pods, deleted ones included.';

comment on table job_statuses is
  'Every observed status of a Job: one row per version of the object, and one for its deletion. Stays when a partition of events is dropped.';
comment on column job_statuses.status is 'Status in one word, as in jobs.';
comment on column job_statuses.completions is 'spec.completions; null when a single success completes the Job.';
comment on column job_statuses.seen_at is 'When the event with this status was recorded.';
comment on column job_statuses.event_id is 'Id of that event; its data contains the whole object.';
comment on column job_statuses.deleted is 'The Job was deleted: this is its last observed status.';

comment on function job_seen(text, text, timestamptz) is
  'Status of the Job with this UID as observed by an instant; no row when it was not observed by then.';
comment on function job_as_of(text, text, text, timestamptz) is
  'Status of one Job as observed by an instant. Of several Jobs with the same name, the one that existed then, else the one created last. No row when none was observed by then.';
comment on function jobs_as_of(timestamptz) is
  'Status of every Job that existed at an instant, as observed by then.';

comment on table retention is 'One row: what "jobledger retention" has dropped.';
comment on column retention.events_from is
  'Events before this instant are not stored in events, whenever they are applied; the other tables include their effects. Null when nothing was dropped.';

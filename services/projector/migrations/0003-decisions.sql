-- What was decided about each Job, one row a thing. Content that a table does not repeat stands in events.

create table decisions (
  cluster text not null,
  job_uid text not null,
  id text not null,
  namespace text not null,
  job_name text not null,
  number integer not null,
  predecessor text,
  chain text not null,
  now timestamptz not null,
  recorded_at timestamptz not null,
  core text not null,
  commands integer not null,
  look_again_at timestamptz,
  waiting_rule text,
  waiting_words text,
  superseded boolean not null,
  primary key (cluster, job_uid, id)
);
create index decisions_by_time on decisions (now);

comment on table decisions is
  'Every recorded decision. What it had folded and the settings that it read stand in data of its event.';
comment on column decisions.cluster is 'Name of the cluster.';
comment on column decisions.job_uid is 'UID of the Job.';
comment on column decisions.id is 'Id of its event.';
comment on column decisions.namespace is 'Namespace of the Job; empty where it was not known any more.';
comment on column decisions.job_name is 'Name of the Job; empty where it was not known any more.';
comment on column decisions.number is '1 for the first decision of the Job.';
comment on column decisions.predecessor is 'Id of the decision before; null for the first.';
comment on column decisions.chain is 'First run id of the Temporal workflow that decided.';
comment on column decisions.now is 'The instant that it took as now.';
comment on column decisions.recorded_at is 'When it was recorded.';
comment on column decisions.core is 'Version of the core that decided.';
comment on column decisions.commands is 'Number of its commands; the table commands has one row each.';
comment on column decisions.look_again_at is 'When time alone would change the answer.';
comment on column decisions.waiting_rule is 'Rule by which nothing more is done for now.';
comment on column decisions.waiting_words is 'The same in words.';
comment on column decisions.superseded is
  'The workflow ran this step again (after a crash, or because a signal came as it ended), and that other decision of the same number counts: it is named by the next one, or is the later one of two that none names. What this one did is seen as facts all the same.';

create table commands (
  cluster text not null,
  job_uid text not null,
  decision text not null,
  command integer not null,
  namespace text not null,
  job_name text not null,
  number integer not null,
  kind text not null,
  rule text not null,
  words text not null,
  pods integer,
  decided_at timestamptz not null,
  attempts integer not null,
  answered_at timestamptz,
  result text,
  error text,
  primary key (cluster, job_uid, decision, command)
);
create index commands_by_time on commands (decided_at);

comment on table commands is
  'Every command of every decision, superseded ones included, with its last outcome. Its content stands in data of the decision''s event.';
comment on column commands.cluster is 'Name of the cluster.';
comment on column commands.job_uid is 'UID of the Job.';
comment on column commands.decision is 'Id of the decision.';
comment on column commands.command is 'Which of its commands, from 0.';
comment on column commands.namespace is 'Namespace of the Job; empty where it was not known any more.';
comment on column commands.job_name is 'Name of the Job; empty where it was not known any more.';
comment on column commands.number is 'Number of the decision.';
comment on column commands.kind is 'CreatePods, DeletePods, ReleasePods, WriteStatus and so on: docs/events.md lists them.';
comment on column commands.rule is 'Rule of the Job semantics that asked for it.';
comment on column commands.words is 'The same in words.';
comment on column commands.pods is 'Number of pods that it concerns; null when it concerns none.';
comment on column commands.decided_at is 'The instant that the decision took as now.';
comment on column commands.attempts is 'The newest attempt that was answered; 0 when none was.';
comment on column commands.answered_at is 'When its outcome came, by the clock of the worker; null when none did.';
comment on column commands.result is
  'Outcome of the whole command, where it has one; skipped when one before it failed. The view outcomes has that of each pod.';
comment on column commands.error is 'The first error in the outcome.';

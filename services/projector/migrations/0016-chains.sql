-- Chains of Jobs: what a Job waits for, and how that stands.

create table chains (
  cluster text not null,
  job_uid text not null,
  namespace text not null,
  job_name text not null,
  state text not null,
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
comment on column chains.namespace is 'Its namespace.';
comment on column chains.job_name is 'Its name.';
comment on column chains.state is 'waiting; resumed: by the chain or by hand, which ends the chain; deleted: the Job was deleted while it waited.';
comment on column chains.resumed_at is 'When it was first seen resumed.';
comment on column chains.conditions is 'The conditions in the order of the annotation, as they stood last while the Job waited.';
comment on column chains.cycle is 'The Jobs through which it waits for itself; null unless it does.';
comment on column chains.awaited is 'What is known of the Jobs that it waits for, directly or through others, by name.';

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
  each.condition ->> 'standing' = 'met' as met,
  each.condition ->> 'standing' as standing,
  (each.condition ->> 'since')::timestamptz as since,
  chains.cycle,
  chains.state,
  chains.resumed_at
from chains
cross join lateral jsonb_array_elements(chains.conditions) with ordinality as each (condition, position);

comment on view job_chains is 'What each Job in a chain waits for, or waited for when it was resumed: a row per condition.';
comment on column job_chains.cluster is 'Name of the cluster.';
comment on column job_chains.job_uid is 'UID of the Job that waits.';
comment on column job_chains.namespace is 'Namespace of both Jobs.';
comment on column job_chains.job_name is 'Name of the Job that waits.';
comment on column job_chains.position is 'Place in the annotation, from 1.';
comment on column job_chains.awaited_name is 'Name of the Job that is waited for.';
comment on column job_chains.awaited_uid is 'Its UID; null while no Job of that name was seen.';
comment on column job_chains.condition is 'How it must end: Succeeded, Failed or Finished.';
comment on column job_chains.met is 'Whether it has ended so.';
comment on column job_chains.standing is 'met; waiting: it has not ended; unmeetable: it ended otherwise; missing: no Job has the name; deleted: before it ended; unknown: not recorded yet.';
comment on column job_chains.since is 'When the Job that is waited for ended; for a missing one, since when it is waited for; else null.';
comment on column job_chains.cycle is 'The Jobs through which the Job waits for itself; null unless it does.';
comment on column job_chains.state is 'waiting; resumed: by the chain or by hand; deleted: the Job was deleted while it waited.';
comment on column job_chains.resumed_at is 'When it was first seen resumed.';

-- Placed Jobs: which cluster had which Job, from when until when, and why.

create table placements (
  cluster text not null,
  job_uid text not null,
  number integer not null,
  namespace text not null,
  job_name text not null,
  placed_in text not null,
  member_name text not null,
  member_uid text,
  given_at timestamptz not null,
  decision text not null,
  rule text not null,
  words text not null,
  stopping text,
  refused text,
  indexes text,
  succeeded integer not null,
  failed integer not null,
  ended_at timestamptz,
  basis text,
  end_decision text,
  end_words text,
  overlapped boolean not null,
  primary key (cluster, job_uid, number)
);

create index placements_of_cluster on placements (placed_in, given_at);
create index placements_of_member on placements (placed_in, member_uid);

comment on table placements is
  'Each time that a cluster got a placed Job (managedBy jobledger.dev/placement): a row per grant. Grants of one Job never overlap, unless basis says otherwise.';
comment on column placements.cluster is 'The home: the cluster of the placed Job.';
comment on column placements.job_uid is 'UID of the placed Job.';
comment on column placements.number is 'Number of the grant among those of the Job, from 1.';
comment on column placements.namespace is 'Namespace of the placed Job and of its members.';
comment on column placements.job_name is 'Name of the placed Job.';
comment on column placements.placed_in is 'The cluster that got the Job.';
comment on column placements.member_name is 'Name of the Job in that cluster.';
comment on column placements.member_uid is 'Its UID; null while it is not known that it was created.';
comment on column placements.given_at is 'When it was decided that the cluster gets the Job.';
comment on column placements.decision is 'Id of that decision.';
comment on column placements.rule is 'The rule that it followed.';
comment on column placements.words is 'Why, in words: the chosen cluster, and why each other one was refused.';
comment on column placements.stopping is 'Why the member is stopped although the Job goes on: drain, spill, lost, returned; null while it may run.';
comment on column placements.refused is 'Why the cluster refused the member; null if it did not.';
comment on column placements.indexes is 'Indexes that are complete, as the member last said: those of earlier members included.';
comment on column placements.succeeded is 'Pods that succeeded, in the same way.';
comment on column placements.failed is 'Pods that failed, in the same way.';
comment on column placements.ended_at is 'When the cluster no longer had the Job; null while it has.';
comment on column placements.basis is
  'Why nothing of the grant can run after ended_at: finished: the member has an end; stopped: its controller said so, and a list then showed no open pod; gone: neither member nor open pod existed; refused: no member was created; guarded: the cluster''s own controllers and the kubelet had ended every pod; lost: a person said so; time: the Job accepts that it may run twice; deleted: with the placed Job.';
comment on column placements.end_decision is 'Id of the decision that ended it; null when the member ended by itself.';
comment on column placements.end_words is 'Why it ended, in words.';
comment on column placements.overlapped is 'The cluster came back and still ran the member after another had got the Job: what it did since ended_at overlaps.';

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

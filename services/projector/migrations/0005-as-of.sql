-- The status of Jobs as it had been seen by an instant. Bodies are bound when they are defined, not looked up by name.

create table job_statuses (
  cluster text not null,
  uid text not null,
  namespace text not null,
  name text not null,
  status text not null,
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

comment on table job_statuses is
  'Every status that a Job was ever seen to have, one row a version of the object, and one of its deletion. It outlives dropped partitions of events.';
comment on column job_statuses.cluster is 'Name of the cluster.';
comment on column job_statuses.uid is 'UID of the Job.';
comment on column job_statuses.namespace is 'Its namespace.';
comment on column job_statuses.name is 'Its name.';
comment on column job_statuses.status is 'The status in one word, as in jobs.';
comment on column job_statuses.suspend is 'spec.suspend.';
comment on column job_statuses.parallelism is 'spec.parallelism.';
comment on column job_statuses.completions is 'spec.completions; null when any one success completes the Job.';
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
comment on column job_statuses.resource_version is 'metadata.resourceVersion.';
comment on column job_statuses.seen_at is 'When the event that showed it was recorded.';
comment on column job_statuses.event_id is 'That event; its data holds the whole object.';
comment on column job_statuses.deleted is 'The Job is gone: this is the last status that was seen of it.';

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
  'Status of the Job with this UID as it had been seen by an instant; no row when nothing had been seen of it.';

create function job_as_of(cluster text, namespace text, name text, at timestamptz) returns setof job_statuses
language sql stable parallel safe
begin atomic
  select seen.*
  from jobs
  cross join lateral job_seen(jobs.cluster, jobs.uid, $4) seen
  where jobs.cluster = $1 and jobs.namespace = $2 and jobs.name = $3
    and jobs.first_seen_at <= $4
  order by seen.deleted, jobs.created_at desc nulls last, seen.seen_at desc
  limit 1;
end;
comment on function job_as_of(text, text, text, timestamptz) is
  'Status of one Job as it had been seen by an instant. Of several Jobs of one name it is the one that then existed, else the one created last. No row when none had been seen.';

create function jobs_as_of(at timestamptz) returns setof job_statuses
language sql stable parallel safe
begin atomic
  select seen.*
  from jobs
  cross join lateral job_seen(jobs.cluster, jobs.uid, $1) seen
  where jobs.first_seen_at <= $1 and (jobs.deleted_at is null or jobs.deleted_at > $1)
    and not seen.deleted;
end;
comment on function jobs_as_of(timestamptz) is
  'Status of every Job that existed at an instant, as it had been seen by then.';

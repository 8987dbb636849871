-- The owner of a Job, to filter and group by.

alter table jobs add column owner_kind text, add column owner_name text;
comment on column jobs.owner_kind is
  'Kind of the object that controls the Job (ownerReferences), such as CronJob; null when none does, and when an earlier version applied the last observation.';
comment on column jobs.owner_name is 'Name of that object.';

-- What earlier versions recorded, as far as its events are still here.
update jobs set
  owner_kind = owners.owner ->> 'kind',
  owner_name = owners.owner ->> 'name'
from (
  select j.cluster, j.uid, latest.owner
  from jobs j
  cross join lateral (
    select jsonb_path_query_first(e.data, '$.object.metadata.ownerReferences[*] ? (@.controller == true)') as owner
    from events e
    where e.cluster = j.cluster and e.job_uid = j.uid and e.type in ('job.observed', 'job.deleted')
      and e.data ? 'object'
    order by e.kafka_offset desc
    limit 1
  ) latest
  where latest.owner is not null
) owners
where jobs.cluster = owners.cluster and jobs.uid = owners.uid;

-- Of decisions that were made again, the latest by its `now` stands, its predecessor, and so on. Earlier versions took the
-- greatest number instead. Both differ only where two decisions have one number.

-- Nothing is projected at the same time: a projector writes its position first in each transaction.
lock table positions in share row exclusive mode;

-- The decisions of these streams in ledger order. What `made` compares is the instant, then the number.
create temporary table made_again on commit drop as
with decided as (
  select 'job' as kind, cluster, job_uid as uid, id, number, now from decisions
  union all
  select 'cron job', cluster, cron_job_uid, id, number, now from cron_job_decisions
), streams as (
  select distinct kind, cluster, uid from decided group by kind, cluster, uid, number having count(*) > 1
), ordered as (
  select 'job' as kind, d.cluster, d.job_uid as uid, d.id, d.number, d.predecessor, d.chain, d.now, d.look_again_at,
    d.waiting_rule, d.waiting_words, d.recorded_at,
    (select e.kafka_offset from events e where e.cluster = d.cluster and e.job_uid = d.job_uid and e.id = d.id) as place
  from decisions d
  union all
  select 'cron job', d.cluster, d.cron_job_uid, d.id, d.number, d.predecessor, e.data ->> 'chain', d.now,
    to_timestamp((e.data ->> 'lookAgainAt')::numeric / 1000),
    d.waiting_rule, d.waiting_words, d.recorded_at, e.kafka_offset
  from cron_job_decisions d
  join cron_job_events e on e.cluster = d.cluster and e.cron_job_uid = d.cron_job_uid and e.id = d.id
)
select o.*,
  -- Events of months that retention removed come first.
  row_number() over (partition by kind, cluster, uid order by o.place nulls first, o.recorded_at) as at,
  round(extract(epoch from o.now) * 1000) * 1e10 + o.number as made
from ordered o
join streams using (kind, cluster, uid);

-- A row of a Job or CronJob follows a decision that no earlier one in the ledger outdates.
create temporary table followed on commit drop as
select *
from (
  select *, max(made) over (partition by kind, cluster, uid order by at) as latest from made_again
) each_decision
where made = latest;

create temporary table last_made on commit drop as
select distinct on (kind, cluster, uid) *, (
    select min(now)
    from followed
    where (followed.kind, followed.cluster, followed.uid) = (l.kind, l.cluster, l.uid)
      and l.waiting_rule is not null
      and not exists (
        select 1
        from followed other
        where (other.kind, other.cluster, other.uid) = (l.kind, l.cluster, l.uid)
          and other.at > followed.at
          and (other.waiting_rule, other.waiting_words) is distinct from (l.waiting_rule, l.waiting_words)
      )
      and (followed.waiting_rule, followed.waiting_words) is not distinct from (l.waiting_rule, l.waiting_words)
  ) as waiting_since
from followed l
order by kind, cluster, uid, at desc;

with recursive standing as (
  select kind, cluster, uid, id, predecessor from last_made
  union all
  select m.kind, m.cluster, m.uid, m.id, m.predecessor
  from standing s
  join made_again m on (m.kind, m.cluster, m.uid, m.id) = (s.kind, s.cluster, s.uid, s.predecessor)
)
update decisions d
set superseded = not d.superseded
from made_again m
where m.kind = 'job' and (m.cluster, m.uid, m.id) = (d.cluster, d.job_uid, d.id)
  and d.superseded = exists (
    select 1 from standing s where s.kind = 'job' and (s.cluster, s.uid, s.id) = (d.cluster, d.job_uid, d.id)
  );

update jobs
set last_decision = l.id, last_number = l.number, last_decided_at = l.now, chain = l.chain, look_again_at = l.look_again_at,
  waiting_rule = l.waiting_rule, waiting_words = l.waiting_words, waiting_since = l.waiting_since
from last_made l
where l.kind = 'job' and (l.cluster, l.uid) = (jobs.cluster, jobs.uid);

update cron_jobs
set last_decision = l.id, last_number = l.number, last_decided_at = l.now, chain = l.chain, look_again_at = l.look_again_at,
  waiting_rule = l.waiting_rule, waiting_words = l.waiting_words, waiting_since = l.waiting_since
from last_made l
where l.kind = 'cron job' and (l.cluster, l.uid) = (cron_jobs.cluster, cron_jobs.uid);

comment on column decisions.superseded is
  'True when the workflow ran the step again (after a crash, or because a signal came as it ended), and this decision does not stand. The latest by now stands, its predecessor, and so on. The effects of this one are observed as facts.';

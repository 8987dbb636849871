-- Spread Jobs: which indexes each cluster had, from when until when.

alter table placements add column held jsonb;

comment on column placements.held is
  'For a Job that is spread over several clusters: the indexes that this one had, as the view held_indexes shows them; null: it had all.';

comment on table placements is
  'Each time that a cluster got a placed Job (managedBy jobledger.dev/placement): a row per grant. Grants of one Job never overlap, unless basis says otherwise; those of a spread Job hold different indexes (held_indexes).';

create view held_indexes as
select
  placements.cluster,
  placements.job_uid,
  placements.number,
  placements.namespace,
  placements.job_name,
  placements.placed_in,
  placements.member_name,
  held.indexes,
  held.since,
  coalesce(held.until, placements.ended_at) as until,
  held.decision
from placements,
  jsonb_to_recordset(placements.held) as held(indexes text, since timestamptz, until timestamptz, decision text);

comment on view held_indexes is
  'The indexes of spread Jobs by cluster: a row for each set that a cluster was given. At any instant each index has at most one row, unless the basis of the grant says otherwise.';
comment on column held_indexes.cluster is 'The home: the cluster of the placed Job.';
comment on column held_indexes.job_uid is 'UID of the placed Job.';
comment on column held_indexes.number is 'Number of the grant (placements).';
comment on column held_indexes.namespace is 'Namespace of the placed Job and of its members.';
comment on column held_indexes.job_name is 'Name of the placed Job.';
comment on column held_indexes.placed_in is 'The cluster that had the indexes.';
comment on column held_indexes.member_name is 'Name of the Job in that cluster.';
comment on column held_indexes.indexes is 'The indexes, as in status.completedIndexes.';
comment on column held_indexes.since is 'When it was decided that the cluster gets them.';
comment on column held_indexes.until is 'When a list showed that no pod of them is left, or when the cluster no longer had the Job; null while it has them.';
comment on column held_indexes.decision is 'Id of the decision that gave them.';

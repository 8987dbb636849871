-- The ledger in SQL, and how far it has been read. Names are unqualified: the runner sets the search path.

create table events (
  id text not null,
  type text not null,
  source text not null,
  subject text not null,
  cluster text not null,
  job_uid text,
  namespace text,
  job_name text,
  resource_version numeric,
  time timestamptz not null,
  kafka_partition integer not null,
  kafka_offset bigint not null,
  digest text not null,
  data jsonb not null,
  primary key (id, time)
) partition by range (time);

create index events_of_job on events (cluster, job_uid, kafka_offset);
create index events_by_position on events (kafka_partition, kafka_offset);
create index events_of_type on events (type, time);

comment on table events is
  'The ledger: one row an event, in monthly partitions by time. Retention drops a partition.';
comment on column events.id is 'Identity of the happening. A repeat, even with a later time, adds no row.';
comment on column events.type is
  'What happened, without the prefix "dev.jobledger." and the version: job.observed, job.deleted, pod.observed, pod.deleted, command.received, cluster.connected, cluster.gap, job.decided, job.folded, command.answered.';
comment on column events.source is 'The cluster for facts, jobledger/<cluster> for decisions and outcomes.';
comment on column events.subject is '<namespace>/<job name>, or the cluster for events of a whole cluster.';
comment on column events.cluster is 'Name of the cluster.';
comment on column events.job_uid is 'UID of the Job; null for events of a whole cluster.';
comment on column events.namespace is 'Namespace of the Job; null for events of a whole cluster, and where it was not known any more.';
comment on column events.job_name is 'Name of the Job; null for events of a whole cluster, and where it was not known any more.';
comment on column events.resource_version is
  'Version of the observed or deleted object; null for what is no object of the cluster.';
comment on column events.time is 'When it was recorded first.';
comment on column events.kafka_partition is 'Partition of the ledger topic; all events of one Job share one.';
comment on column events.kafka_offset is 'Position within the partition; the order of events of one Job.';
comment on column events.digest is 'Digest of data when it was written; "jobledger verify" compares it.';
comment on column events.data is 'Content, as docs/events.md describes it for each type, in the newest version of the type.';

create table event_ids (
  id text primary key,
  time timestamptz not null
);
comment on table event_ids is
  'Every event id that was ever applied, so that a repeat is known whatever its time. Outlives dropped partitions of events.';
comment on column event_ids.id is 'Identity of the happening.';
comment on column event_ids.time is 'Time of its row in events.';

create table positions (
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  applied_at timestamptz not null,
  primary key (topic, partition)
);
comment on table positions is
  'How far the ledger is applied, by partition. Written in the transaction that writes the rows.';
comment on column positions.topic is 'Name of the ledger topic.';
comment on column positions.partition is 'Partition of the topic.';
comment on column positions.next_offset is 'Offset of the first record that is not applied yet.';
comment on column positions.applied_at is 'When the position moved last.';

create table dead_letters (
  topic text not null,
  partition integer not null,
  kafka_offset bigint not null,
  key text not null,
  reason text not null,
  bytes integer not null,
  found_at timestamptz not null,
  primary key (topic, partition, kafka_offset)
);
comment on table dead_letters is
  'Records of the ledger that could not be read or projected. Their content stands in the dead-letter topic.';
comment on column dead_letters.topic is 'Topic in which the record lies.';
comment on column dead_letters.partition is 'Its partition.';
comment on column dead_letters.kafka_offset is 'Its offset.';
comment on column dead_letters.key is 'Key of the record, as far as it is text.';
comment on column dead_letters.reason is 'What is wrong with it.';
comment on column dead_letters.bytes is 'Length of its value.';
comment on column dead_letters.found_at is 'When the projector met it.';

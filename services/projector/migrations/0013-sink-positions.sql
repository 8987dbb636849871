-- How far each sink has received the ends of Jobs (JOBLEDGER_SINK_URL).

create table sink_positions (
  sink text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  delivered_at timestamptz,
  primary key (sink, topic, partition)
);
comment on table sink_positions is
  'How far ends of Jobs were delivered to each sink: everything before next_offset, at least once. Not made from the ledger.';
comment on column sink_positions.sink is 'Name of the sink (JOBLEDGER_SINK_NAME).';
comment on column sink_positions.topic is 'Name of the ledger topic.';
comment on column sink_positions.partition is 'Partition of the topic.';
comment on column sink_positions.next_offset is 'Offset of the first record that was not looked at for the sink yet.';
comment on column sink_positions.delivered_at is 'When the last end of a Job was delivered; null when none was.';

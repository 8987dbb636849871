-- The ledger that the tables were made from: in another Kafka cluster an offset is that of another record.

alter table positions add column kafka_cluster text;
alter table positions add column begins_at bigint not null default 0;
comment on column positions.kafka_cluster is
  'Id of the Kafka cluster of the ledger; null before this version recorded it, or when Kafka does not say it.';
comment on column positions.begins_at is
  'Offset of the first record that was applied, with which the partition began; 0 before this version recorded it.';

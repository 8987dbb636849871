-- A record that was set aside can be brought back.

alter table dead_letters add column brought_back_at timestamptz;

comment on column dead_letters.brought_back_at is
  'When the record was appended to the ledger once more, because a later version can use it; null while it is set aside.';

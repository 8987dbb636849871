-- Which events were dropped: a projector that is behind them must neither fail at their months nor make these again.

create table retention (
  events_from timestamptz
);
create unique index retention_is_one_row on retention ((true));

comment on table retention is 'One row: what "jobledger retention" has dropped.';
comment on column retention.events_from is
  'Events before then are not kept in events, whenever they are applied; the other tables have what they led to. Null while nothing was dropped.';

-- What was dropped before this table was there: months before the first one, of which events were applied.
insert into retention (events_from)
select case when exists (select from event_ids where time < first.month) then first.month end
from (
  select min(to_date(substr(c.relname, length('events_') + 1), 'YYYY_MM')::timestamp at time zone 'UTC') as month
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'events'::regclass
) first;

-- Which Jobs are members of a placed Job, so that counts and lists show the placed Job once.

-- Nothing but mark-members.ts writes these two columns: the home and the member are streams of their own, which different
-- projectors apply in any order.
alter table jobs add column member boolean not null default false;
alter table placements add column member_marked boolean not null default false;

comment on column jobs.member is
  'It runs a placed Job, as placements.member_uid says: counts and lists have the placed Job instead.';
comment on column placements.member_marked is 'Its member is marked in jobs.member.';

create index placements_to_mark
  on placements (placed_in, member_uid) where member_uid is not null and not member_marked;

create index placements_open on placements (placed_in) where ended_at is null;

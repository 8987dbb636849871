-- The namespace of a gap, where given namespaces are watched: others must not see it.

alter table gaps add column namespace text;
comment on column gaps.namespace is
  'The namespace whose watch it was, where given namespaces are watched; null for a watch of the whole cluster, and when an earlier version applied it.';

update gaps set namespace = e.data ->> 'namespace'
from events e
where e.id = gaps.id and e.type = 'cluster.gap' and e.data ? 'namespace';

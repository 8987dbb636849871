import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Scope } from '../address/page-address.ts';
import { api, requireBody } from '../api/client.ts';
import { useClusters } from '../api/use-clusters.ts';
import { Picker } from '../components/picker.tsx';

/** The pickers for the cluster and the namespace of the lists. */
export function ScopePickers(props: { scope: Scope; onScope: (scope: Scope) => void }): ReactElement {
  const { scope, onScope } = props;
  const clusters = useClusters();
  const [isOpened, setOpened] = useState(false);
  const namespaces = useNamespaces(scope.cluster, isOpened);
  // Sets a field of the scope; null removes it.
  const set = (field: keyof Scope, value: string | null): void => {
    const { [field]: _, ...rest } = scope;
    onScope(value === null ? rest : { ...rest, [field]: value });
  };
  return (
    <div className="scope">
      <Picker
        label="Cluster"
        value={scope.cluster ?? null}
        options={clusters}
        onChange={(value) => set('cluster', value)}
      />
      <Picker
        label="Namespace"
        value={scope.namespace ?? null}
        options={namespaces}
        onOpen={() => setOpened(true)}
        onChange={(value) => set('namespace', value)}
      />
    </div>
  );
}

/** The namespaces with Jobs. They are read only when a user opens the list, because the API needs time to count a million Jobs. */
function useNamespaces(cluster: string | undefined, enabled: boolean): readonly string[] {
  const { data: names = [] } = useQuery({
    queryKey: ['namespaces', cluster],
    enabled,
    queryFn: async ({ signal }) => {
      const query = { by: 'namespace' as const, limit: 200, ...(cluster !== undefined && { cluster }) };
      const { items } = await requireBody(api.GET('/v1/groups', { params: { query }, signal }));
      return items.map(({ value }) => value);
    },
  });
  return names;
}

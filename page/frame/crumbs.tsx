import type { ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { PageAddress } from '../address/page-address.ts';
import { Name } from '../words/name.tsx';

/** The path of the shown object, in which each part is a link. */
export function Crumbs(props: {
  kind: 'Jobs' | 'CronJobs';
  of: { cluster: string; namespace: string; name: string };
  change: ChangeAddress;
}): ReactElement {
  const { kind, of, change } = props;
  const { cluster, namespace } = of;
  // The address of the list with this scope.
  const list = (scope: object): PageAddress =>
    kind === 'Jobs' ? { view: 'fleet', filters: scope } : { view: 'cron-jobs', ...scope };
  return (
    <nav aria-label="Way back" className="crumbs">
      <a {...linkTo(list({}), change)}>{kind}</a>
      <span aria-hidden="true">/</span>
      <a {...linkTo(list({ cluster }), change)}>
        <Name text={cluster} />
      </a>
      <span aria-hidden="true">/</span>
      <a {...linkTo(list({ cluster, namespace }), change)}>
        <Name text={namespace} />
      </a>
    </nav>
  );
}

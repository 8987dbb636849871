import type { ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { PageAddress, Scope } from '../address/page-address.ts';
import { Name } from '../components/name.tsx';
import { withScope } from '../address/scope.ts';
import { ScopePickers } from './scope-pickers.tsx';

/** The scope pickers of a list, or the path of the shown object. */
export function ScopeCrumbs(props: {
  address: PageAddress;
  scope: Scope;
  change: ChangeAddress;
}): ReactElement | null {
  const { address, scope, change } = props;
  switch (address.view) {
    case 'job':
      return <Crumbs kind="Jobs" of={address.job} change={change} />;
    case 'cron-job':
      return <Crumbs kind="CronJobs" of={address.cronJob} change={change} />;
    case 'submit':
    case 'clusters':
      return null;
    case 'fleet':
    case 'what-if':
    case 'cron-jobs':
      return <ScopePickers scope={scope} onScope={(next) => change(withScope(address, next), 'replace')} />;
  }
}

/** The path of the shown object, in which each part is a link. */
function Crumbs(props: {
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

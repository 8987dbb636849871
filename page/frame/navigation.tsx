import type { ReactElement } from 'react';
import type { PageAddress, Scope } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';

interface Place {
  message: string;
  address: PageAddress;
  views: readonly PageAddress['view'][];
}

/** Links to the parts of the page; each link keeps the scope. */
export function Navigation(props: {
  view: PageAddress['view'];
  scope: Scope;
  maySubmit: boolean;
  change: ChangeAddress;
}): ReactElement {
  const { view, scope, maySubmit, change } = props;
  const { cluster } = scope;
  const places: Place[] = [
    { message: 'Jobs', address: { view: 'fleet', filters: scope }, views: ['fleet', 'job'] },
    { message: 'CronJobs', address: { view: 'cron-jobs', ...scope }, views: ['cron-jobs', 'cron-job'] },
    { message: 'Clusters', address: { view: 'clusters' }, views: ['clusters'] },
    { message: 'What if', address: { view: 'what-if', filters: scope, set: [] }, views: ['what-if'] },
  ];
  const submit: Place = {
    message: 'Submit',
    address: { view: 'submit', ...(cluster !== undefined && { cluster }) },
    views: ['submit'],
  };
  return (
    <nav aria-label="Parts of the page">
      <ul>
        {[...places, ...(maySubmit ? [submit] : [])].map(({ message, address, views }) => (
          <li key={message}>
            <a {...linkTo(address, change)} aria-current={views.includes(view) ? 'page' : undefined}>
              {message}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

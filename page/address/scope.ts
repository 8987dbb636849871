import type { PageAddress, Scope } from './page-address.ts';

/** The cluster and namespace of an address. */
export function addressScope(address: PageAddress): Scope {
  switch (address.view) {
    case 'fleet':
    case 'what-if':
      return scopeFields(address.filters);
    case 'cron-jobs':
    case 'submit':
      return scopeFields(address);
    case 'job':
    case 'cron-job':
    case 'clusters':
      return {};
  }
}

/** The fields of the scope, without undefined fields. */
function scopeFields({ cluster, namespace }: Scope): Scope {
  return { ...(cluster !== undefined && { cluster }), ...(namespace !== undefined && { namespace }) };
}

/** The address of the present view with another scope. */
export function withScope(address: PageAddress, scope: Scope): PageAddress {
  switch (address.view) {
    case 'fleet':
    case 'what-if': {
      const { cluster: _cluster, namespace: _namespace, ...rest } = address.filters;
      return { ...address, filters: { ...rest, ...scope } };
    }
    case 'cron-jobs':
      return { view: 'cron-jobs', ...scope };
    case 'submit':
    case 'job':
    case 'cron-job':
    case 'clusters':
      return address;
  }
}

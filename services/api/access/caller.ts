import type { ClusterUser } from '../../adapters/kubernetes/access-review.ts';
import type { Places } from '../../adapters/places.ts';

/**
 * The scopes: `read` allows queries, `submit` the creation of Jobs, `operate` the suspension and resumption of Jobs,
 * `audit` the delivery of the audit log of a cluster, and `prices` the application of price lists.
 */
export const SCOPES = ['read', 'submit', 'operate', 'audit', 'prices'] as const;
export type AccessScope = (typeof SCOPES)[number];

/** Scopes, and the places where they apply. */
export interface Grant {
  readonly scopes: readonly AccessScope[];
  readonly places: Places;
}

/**
 * The caller of a route: its name, which is recorded with its requests, its scopes, and the places where it has the scope of the
 * route.
 */
export interface Caller extends Grant {
  readonly name: string;
  /** The person who makes the request; null for a token of the file, or a program of this machine. */
  readonly person: Person | null;
  /** The separate grants of a person, whose places may differ; absent when the caller has only this grant. */
  readonly grants?: readonly Grant[];
}

/** A person identified by an identity provider or a cluster. */
export interface Person extends ClusterUser {
  /**
   * The cluster that identified the user, which is the only cluster where the name means this user; null for an
   * identity provider.
   */
  readonly cluster: string | null;
}

/**
 * The key for the limits of a caller: requests, connections, folds, streams. The key distinguishes a token of the file
 * from a person with the same name. The ServiceAccounts of a namespace share one key, because its tenants create any
 * number of them.
 */
export function whoIs({ name, person }: Caller): string {
  if (person === null) return `token ${name}`;
  const isAccount = name.startsWith('system:serviceaccount:');
  return isAccount ? `ServiceAccounts of ${name.split(':')[2] ?? ''}` : `person ${name}`;
}

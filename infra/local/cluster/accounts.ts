/** The namespace and the release's name with which the chart's manifests are rendered (infra/deploy/manifests). */
const NAMESPACE = 'jobledger';

/** The services that have an account, as in infra/deploy/chart. */
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector', 'api'] as const;

/** An account of Jobledger, with the name of its ServiceAccount and the user name that the API server sees. */
export interface Account {
  readonly name: string;
  readonly user: string;
  readonly groups: readonly string[];
}

/** The account with the rights of all services. */
export const SHARED_ACCOUNT = serviceAccount(NAMESPACE);

/** The account of each service, by its name. */
export const SERVICE_ACCOUNTS: Readonly<Record<string, Account>> = Object.fromEntries(
  SERVICES.map((service) => [service, serviceAccount(`${NAMESPACE}-${service}`)]),
);

/** The user names of all accounts of Jobledger. */
export const OUR_USERS: readonly string[] = [SHARED_ACCOUNT, ...Object.values(SERVICE_ACCOUNTS)].map(
  ({ user }) => user,
);

function serviceAccount(name: string): Account {
  return {
    name,
    user: `system:serviceaccount:${NAMESPACE}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`],
  };
}

import path from 'node:path';
import { rmSync } from 'node:fs';
import { textIn, writePrivately } from './files.ts';
import { isOwnerRunning, type StateOwner } from './state-directory.ts';

/** Where the parts are. What is absent is not run from this state directory. */
export interface Addresses {
  /** With its password. */
  readonly databaseUrl?: string;
  readonly kafkaBrokers?: string;
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  /** Temporal's own figures, in Prometheus' text format. */
  readonly temporalMetrics?: string;
  /** Where each of our services shows its own. */
  readonly metrics?: Readonly<Record<string, string>>;
  /** Where the HTTP API is, `http://host:port`. */
  readonly api?: string;
  /** The file that holds a token for it. */
  readonly apiToken?: string;
  /** For our services: the identity under the shipped RBAC. */
  readonly kubeconfig?: string;
  /** For kubectl. */
  readonly adminKubeconfig?: string;
  readonly contexts?: readonly string[];
  readonly kubectl?: string;
}

export function publishAddresses(stateDir: string, owner: StateOwner, addresses: Addresses): void {
  writePrivately(fileOf(stateDir, owner), `${JSON.stringify(addresses, undefined, 2)}\n`);
}

export function withdrawAddresses(stateDir: string, owner: StateOwner): void {
  rmSync(fileOf(stateDir, owner), { force: true });
}

/** What runs from a state directory now: `up`'s addresses before those of `servers`. Undefined when nothing does. */
export function publishedAddresses(stateDir: string): Addresses | undefined {
  const owners: StateOwner[] = ['up', 'servers'];
  const owner = owners.find(
    (candidate) => isOwnerRunning(stateDir, candidate) && textIn(fileOf(stateDir, candidate)) !== undefined,
  );
  if (owner === undefined) return undefined;
  return JSON.parse(textIn(fileOf(stateDir, owner)) ?? '{}') as Addresses;
}

function fileOf(stateDir: string, owner: StateOwner): string {
  return path.join(stateDir, 'addresses', `${owner}.json`);
}

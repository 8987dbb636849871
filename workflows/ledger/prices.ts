import type { RecordedEvent } from './recorded-event.ts';

/** The price of one resource in a period, in one cluster or in every cluster, and on some nodes or on every node. */
export interface Price {
  /** `cpu` (a core), `memory` (a GiB) or the name of an extended resource (one of it), such as `nvidia.com/gpu`. */
  resource: string;
  /** The name of the cluster; `*` for every cluster without a price of its own for the resource. */
  cluster: string;
  /** The class of the nodes; absent for every node without a price of its class. */
  nodeClass?: string;
  /** The capacity type of the nodes, such as `spot`; absent for every node without a price of its capacity type. */
  capacityType?: string;
  /** The price of an hour as a decimal number, which is a text because JSON numbers are not exact. */
  perHour: string;
  /** The beginning of the period in RFC 3339, on a whole hour in UTC. */
  validFrom: string;
  /** The end of the period, which is not part of it; absent for a period without end. */
  validUntil?: string;
}

/**
 * A person applied a price list, which replaces the list before. The list has one currency, as an ISO 4217 code.
 * `correction` means that the person agreed to other prices for past hours. The event concerns every cluster, so its
 * `cluster` is `*`.
 */
export type PricesApplied = RecordedEvent<
  'prices.applied',
  { cluster: string; by: string; currency: string; prices: Price[]; correction?: true }
>;

/** A part of the product whose names are public. */
export type Place =
  | 'events'
  | 'SQL'
  | 'API'
  | 'command line'
  | 'metrics'
  | 'settings'
  | 'Kubernetes'
  | 'Kafka';

/** A line of docs/contract.txt. */
export interface Entry {
  place: Place;
  line: string;
  /** The public names that the line is about, each as it is spelled there. */
  names: readonly string[];
  /** What the first of them means, where the code says it. */
  meaning?: string;
}

/** The fields of an Event of events.k8s.io/v1 that are read. Any user of the namespace can write them. */
export interface EventObject {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp?: string;
  };
  regarding?: EventReference;
  related?: EventReference;
  reason?: string;
  type?: string;
  note?: string;
  reportingController?: string;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string };
  deprecatedSource?: { component?: string };
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
}

export interface EventReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

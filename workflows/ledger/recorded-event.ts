/**
 * A record of the ledger, which is a CloudEvents 1.0 event. `type` has neither the prefix `dev.jobledger.` nor the
 * version suffix. `digest` is the digest of the recorded data.
 */
export interface RecordedEvent<T extends string, D> {
  /** The id is equal for every record of the same occurrence, so that repeats are recognised. */
  id: string;
  type: T;
  /** The name of the cluster for facts, `jobledger/<cluster>` for decisions and outcomes. */
  source: string;
  /**
   * `<namespace>/<name>` of the object whose stream it is in; the name of the cluster for events of a whole cluster.
   */
  subject: string;
  /** The time when the event was recorded, in RFC 3339 and UTC with milliseconds. */
  time: string;
  digest: string;
  data: D;
  /** The recorded data when they had an earlier form of the type; `data` has the newest form. */
  recorded?: unknown;
}

/**
 * The number of times that the versions of the cluster have started over, because its API server was restored from an
 * older copy. The field is absent before the first restore. Versions are compared only within one epoch.
 */
export interface InEpoch {
  epoch?: number;
}

/** A version of an object; `cut` means that the long annotations of a large object were left out. */
export interface ObservedContent<Object> extends InEpoch {
  object: Object;
  cut?: true;
}

/**
 * The deletion of an object. `seen: false` means that no watch reported the deletion; `object` is then absent, as it is
 * for an object that was too large.
 */
export interface DeletedContent<Object> extends InEpoch {
  resourceVersion: string;
  seen: boolean;
  object?: Object;
}

/** An event before it is recorded; the recorder sets `time`. */
export type Unstamped<E extends { time: string }> = Omit<E, 'time'>;

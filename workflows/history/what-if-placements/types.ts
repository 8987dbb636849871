import type { SpreadBy } from '../../placement/facts.ts';

/** Clusters that are left out of each recorded choice. */
export interface PlacementChange {
  /** The clusters that could not have taken the Job under the change. */
  without: readonly string[];
  /** Other prices of a pod per hour, by the name of the cluster. */
  prices: Readonly<Record<string, number>>;
  /**
   * The order that the shares of a spread Job follow; the field is absent when the value of the Job's annotation
   * applies.
   */
  spread?: SpreadBy;
}

/** The result of a choice. */
export interface PlacementChoice {
  /**
   * `given`: the cluster got the Job; `left`: the cluster lost the Job, because the pods found no node there;
   * `shared`: several clusters got shares of it; `waited`: no cluster changed.
   */
  kind: 'given' | 'left' | 'shared' | 'waited';
  /**
   * `given` means that the cluster got the Job; `left`, that the cluster lost the Job, because its pods found no
   * node; `shared`, that several clusters got shares of the Job; `waited`, that no cluster changed.
   */
  cluster: string | null;
  /** The number of pods of the Job that may run at once in each cluster; null unless the Job was shared out. */
  shares: Record<string, number> | null;
  /** The indexes of the new member in each cluster; null unless the Job was shared out. */
  begun: Record<string, string> | null;
  /** The reason. */
  message: string;
}

/** A recorded choice of a cluster, and the choice under the change. */
export interface ComparedChoice {
  /** RFC 3339 UTC. */
  at: string;
  decisionNumber: number;
  result: 'same' | 'different' | 'unknown';
  actual: PlacementChoice;
  /** The value is null when the result is unknown. */
  counterfactual: PlacementChoice | null;
}

/**
 * The clusters to which a placed Job went, and the clusters to which it would have gone under the change. Plain JSON.
 */
export interface WhatIfPlacements {
  /** `<cluster>/<namespace>/<name>`. */
  job: string;
  uid: string;
  /** The versions of the cores that made the decisions again; each decision is made by its own core. */
  cores: string[];
  comparison: 'same' | 'different';
  choices: ComparedChoice[];
  /**
   * The instant after which nothing is known, in RFC 3339 and UTC, and the reason; null when every choice is the
   * same.
   */
  unknown: { since: string; message: string } | null;
}

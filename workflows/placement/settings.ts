import type { UnixMs } from '../ledger/instants.ts';
import type { ContinuedFailures } from '../batch/facts.ts';
import type { SeenMember } from './definitions/seen.ts';

/**
 * The input of `decide` besides state and time. Each decision records the settings, so that a replay uses the same
 * values.
 */
export interface PlacementSettings {
  /** True when Jobledger enforces the TTL of finished Jobs. */
  ttl?: true;
  /** The clusters with an override, or without an answer, by name; all other clusters are in use and answer. */
  clusters?: Record<string, ClusterAvailability>;
  /** The candidates that were read for a decision that chooses a cluster; absent in all other decisions. */
  candidates?: Candidates;
}

/** The availability of a cluster. Instants are milliseconds since 1970. */
export interface ClusterAvailability {
  /** No new Jobs are placed in the cluster; with `drain`, the placed Jobs in the cluster move away. */
  cordoned?: { by: string; at: UnixMs; drain?: true };
  /** A person has declared that nothing runs in the cluster any more. */
  lost?: { by: string; at: UnixMs };
  /** The instant since which the API server of the cluster has not answered the ingester. */
  silentSince?: UnixMs;
}

/** The clusters that could run the Job, as they were read at an instant (milliseconds). */
export interface Candidates {
  readAt: UnixMs;
  clusters: Candidate[];
  /**
   * The reason why the candidates could not be read: no cluster is chosen, and a move that has begun does not change.
   */
  unread?: string;
  /**
   * The failures of the last member, which the next member continues; absent without failures, and before the first
   * move.
   */
  left?: LeftFailures;
  /**
   * The failures of the members of a spread Job whose grants have ended since the candidates were last read, by the
   * number of the grant.
   */
  leftBy?: Record<number, LeftFailures>;
  /** Members of ended grants whose own streams show newer versions than the home knows; absent without such members. */
  seen?: SeenMember[];
}

/**
 * The failures of a member as its own stream shows them (J-16.23). `uncountedPodCount` is the number of failed pods
 * that the status of the member does not count.
 */
export interface LeftFailures {
  failures: ContinuedFailures;
  uncountedPodCount: number;
}

export interface Candidate {
  cluster: string;
  labels?: Record<string, string>;
  /** The price of a pod per hour, in the operator's currency; an absent price counts as 0. */
  price?: number;
  /** The number of pods of the Job that now fit into the cluster; absent when unknown. */
  room?: number;
  /** The reason why the cluster cannot run the Job; the other fields may then be missing. */
  refused?: string;
}

/** The time for which candidates are used after they were read, in milliseconds. */
const FRESH_MS = 5000;

/** The settings; the candidates are left out unless they are fresh. */
export function withFreshCandidates(settings: PlacementSettings, now: number): PlacementSettings {
  const { candidates, ...others } = settings;
  return candidates !== undefined && now - candidates.readAt < FRESH_MS ? settings : others;
}

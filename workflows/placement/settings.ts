import type { UnixMs } from '../job/definitions/instants.ts';
import type { ContinuedFailures } from '../job/facts.ts';
import type { SeenMember } from './definitions/seen.ts';

/** Input of `decide` besides state and time. Recorded with each decision, so that a replay uses the same values. */
export interface PlacementSettings {
  /** The TTL of finished Jobs is ours to enforce. */
  ttl?: true;
  /** By name: the clusters with an override or a silence; the others are in use and answer. */
  clusters?: Record<string, ClusterAvailability>;
  /** Read for a decision that chooses a cluster; absent in all others. */
  candidates?: Candidates;
}

/** The availability of a cluster. Instants are milliseconds since 1970. */
export interface ClusterAvailability {
  /** No new Jobs are placed there; with `drain`, those that are move away. */
  cordoned?: { by: string; at: UnixMs; drain?: true };
  /** A person's word: nothing runs there any more. */
  lost?: { by: string; at: UnixMs };
  /** Since when its API server has not answered the ingester. */
  silentSince?: UnixMs;
}

/** The clusters that could run the Job, as read at an instant (milliseconds). */
export interface Candidates {
  readAt: UnixMs;
  clusters: Candidate[];
  /** Why they could not be read: nothing is chosen, and nothing that was begun changes. */
  unread?: string;
  /** What the last member leaves for the next one to continue; absent when it has failed nothing, and before the first move. */
  left?: LeftFailures;
  /** The failures of the members of a spread Job whose grants have ended since the candidates were read last, by the number of the grant. */
  leftBy?: Record<number, LeftFailures>;
  /** Members of ended grants in newer versions than the home knows, by their own streams; absent without any. */
  seen?: SeenMember[];
}

/** The failures of a member as its own stream shows them (J-16.23). `uncountedPodCount`: failed pods that its status does not count. */
export interface LeftFailures {
  failures: ContinuedFailures;
  uncountedPodCount: number;
}

export interface Candidate {
  cluster: string;
  labels?: Record<string, string>;
  /** Per pod and hour, in the operator's currency; absent: no price is known, which counts as 0. */
  price?: number;
  /** How many of the Job's pods fit now; absent when that is not known. */
  room?: number;
  /** Why it cannot run the Job; the other fields may be missing then. */
  refused?: string;
}

/** For how long candidates are used after they were read, in milliseconds. */
const FRESH_MS = 5000;

/** The settings with candidates that are fresh, or without any. */
export function fresh(settings: PlacementSettings, now: number): PlacementSettings {
  const { candidates, ...others } = settings;
  return candidates !== undefined && now - candidates.readAt < FRESH_MS ? settings : others;
}

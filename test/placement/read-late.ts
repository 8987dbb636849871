import type { ClusterAvailability } from '../../workflows/placement/settings.ts';

type Availability = Readonly<Record<string, ClusterAvailability>>;

/** As the worker does (POLL_MS of services/installation/feature-level.ts). */
const READ_EVERY_MS = 5000;

/** The availability that a worker has for its candidates: it reads that of the clusters every five seconds, on its own clock. */
export function readLate(present: () => Availability, now: () => number): () => Availability {
  let last = { at: now(), availability: present() };
  return () => {
    if (now() - last.at >= READ_EVERY_MS) last = { at: now(), availability: present() };
    return last.availability;
  };
}

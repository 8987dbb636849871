/**
 * Stages and grace periods of a graceful stop. Services stop first, while the servers to which they write still run.
 * The servers stop next; the API server and etcd stop after their clients. Together the periods are less than the 5 s
 * in which `up` must exit.
 */
export const STOP = {
  service: { stage: 3, stopWithinMs: 2500 },
  server: { stage: 2, stopWithinMs: 1400 },
  apiServer: { stage: 1, stopWithinMs: 400 },
  etcd: { stage: 0, stopWithinMs: 200 },
} as const;

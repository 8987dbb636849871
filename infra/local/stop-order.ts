/**
 * Stages and grace of an orderly stop. Together they stay below the five seconds in which `up` is gone: services
 * first, while what they write to still answers, then servers, and the API server and etcd after their clients.
 */
export const STOP = {
  service: { stage: 3, stopWithinMs: 2500 },
  server: { stage: 2, stopWithinMs: 1400 },
  apiServer: { stage: 1, stopWithinMs: 400 },
  etcd: { stage: 0, stopWithinMs: 200 },
} as const;

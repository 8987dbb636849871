import type { UsageView } from '../../services/read-model/views/usage.ts';

/** The usage of no pod. */
export const NO_USAGE: Omit<UsageView, 'value'> = {
  pod_hours: 0,
  cpu_core_hours: 0,
  memory_gib_hours: 0,
  gpu_hours: 0,
  wasted_pod_hours: 0,
  uncertain_pod_hours: 0,
  watched: 1,
  cost: null,
  wasted_cost: null,
};

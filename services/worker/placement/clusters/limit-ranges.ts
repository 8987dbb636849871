import type { PodSpecOfRoom } from './room.ts';

/** The parts of a LimitRange that room depends on. */
export interface LimitRangeObject {
  spec?: {
    limits?: { type?: string; default?: Record<string, string>; defaultRequest?: Record<string, string> }[];
  };
}

/** Adds the defaults that the namespace gives to containers without requests to the spec of a pod. */
export function addDefaults<Spec extends PodSpecOfRoom>(
  spec: Spec,
  ranges: readonly LimitRangeObject[],
): Spec {
  const ofContainers = ranges.flatMap(({ spec: { limits = [] } = {} }) =>
    limits.filter(({ type }) => type === 'Container'),
  );
  if (ofContainers.length === 0) return spec;
  const limits = Object.assign({}, ...ofContainers.map((each) => each.default ?? {})) as Record<
    string,
    string
  >;
  const requests = Object.assign(
    {},
    ...ofContainers.map((each) => each.defaultRequest ?? {}),
  ) as typeof limits;
  const addContainerDefaults = ({ resources = {}, ...container }: PodSpecOfRoom['containers'][number]) => ({
    ...container,
    resources: {
      limits: { ...limits, ...resources.limits },
      // A missing request is equal to the container's own limit.
      requests: { ...requests, ...resources.limits, ...resources.requests },
    },
  });
  return {
    ...spec,
    containers: spec.containers.map(addContainerDefaults),
    ...(spec.initContainers !== undefined && {
      initContainers: spec.initContainers.map(addContainerDefaults),
    }),
  };
}

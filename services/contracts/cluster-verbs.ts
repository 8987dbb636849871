/** What a person can say of a cluster. */
export const CLUSTER_VERBS = ['cordon', 'drain', 'uncordon', 'lost', 'found'] as const;
export type ClusterVerb = (typeof CLUSTER_VERBS)[number];

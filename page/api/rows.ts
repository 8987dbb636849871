import type { components } from '../../build/api-types.ts';

// The rows of the API, with the names of its OpenAPI document.

type Schemas = components['schemas'];

export type ListedJob = Schemas['Job'];
export type JobDetails = Schemas['JobWithConditions'];
export type JobThen = Schemas['JobAsOf'];
export type ListedPlacement = Schemas['Placement'];
export type ListedPod = Schemas['Pod'];
export type ListedDecision = Schemas['Decision'];
export type ListedKubernetesEvent = Schemas['KubernetesEvent'];
export type ListedCondition = Schemas['ConditionChange'];
export type ListedGap = Schemas['Gap'];
export type SignedIn = Schemas['Whoami'];
export type WhatIfResponse = Schemas['WhatIf'];
export type WhatIfOfJob = Schemas['WhatIfOfJob'];
export type SubmittedJob = Schemas['CreatedJob'];
export type SubmittedManifest = Schemas['JobManifestInput'];
export type JobGroup = Schemas['Group'];
export type ApiReadiness = Schemas['Readiness'];
export type WhyResponse = Schemas['Why'];
export type JobHistogram = Schemas['Histogram'];
export type StateCount = Schemas['Count'];
export type ListedCluster = Schemas['Cluster'];
export type ListedCronJob = Schemas['CronJob'];
export type CronJobDetails = Schemas['CronJobWithStarts'];
export type CronJobStart = Schemas['Start'];
export type SkippedStart = Schemas['SkippedStart'];
export type ApiInstallation = Schemas['Installation'];
export type JobChain = Schemas['Chain'];
export type ListedAwaitedJob = Schemas['AwaitedJob'];
export type WhatIfOfStarts = Schemas['WhatIfStarts'];

/** A recorded user request or submission, which the API serves as an event. */
export interface RequestEvent {
  id: string;
  time: string;
  data: { by: string; action?: string; retryOf?: string };
}

import type { components } from './api-types.ts';

// The rows of the API, by the names that its document gives them.

type Schemas = components['schemas'];

export type JobRow = Schemas['Job'];
export type JobDetails = Schemas['JobWithConditions'];
export type JobThen = Schemas['JobAsOf'];
export type PodRow = Schemas['Pod'];
export type DecisionRow = Schemas['Decision'];
export type ConditionRow = Schemas['ConditionChange'];
export type GapRow = Schemas['Gap'];
export type WhyAnswer = Schemas['Why'];

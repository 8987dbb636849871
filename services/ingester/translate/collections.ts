import type { CronJob, Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { LiveSet } from '../live-set/live-set.ts';
import { controllingJob, mayConcernJobs } from './jobs-of-pod.ts';
import { addAwaitedJobs } from './translate-awaited.ts';
import {
  addChildDeleted,
  addChildObserved,
  translateCronJob,
  translateCronJobDeletion,
} from './translate-cron-job.ts';
import { addMemberDeleted, addMemberObserved } from './translate-placed.ts';
import {
  translateJob,
  translateJobDeletion,
  translatePod,
  translatePodDeletion,
  type AnyTranslated,
  type TranslationScope,
} from './translate.ts';

/** The translation of the objects of one collection, which makes events for all streams that an object concerns. */
export interface Translation<T> {
  /** False if the object is never recorded, whatever Jobs exist. */
  mayConcern(object: T): boolean;
  /** True if every version of the object is recorded, whatever Jobs exist. */
  isAlwaysRecorded(object: T): boolean;
  /** `listedAt` is the resourceVersion of the list that contained the object; absent for a watch event. */
  observed(scope: TranslationScope, object: T, time: string, listedAt?: string): AnyTranslated;
  deleted(scope: TranslationScope, object: T, time: string): AnyTranslated;
  vanished(scope: TranslationScope, uid: string, resourceVersion: string, time: string): AnyTranslated;
}

export function translationOfJobs(live: LiveSet): Translation<Job> {
  const translateDeletion = (
    scope: TranslationScope,
    uid: string,
    at: { job?: Job; resourceVersion: string; time: string },
  ): AnyTranslated => {
    const translated = addChildDeleted(scope, live, uid, translateJobDeletion(scope, live, uid, at), at);
    return addAwaitedJobs(scope, live, addMemberDeleted(scope, live, uid, translated, at), at);
  };
  return {
    mayConcern: () => true,
    isAlwaysRecorded: () => true,
    observed: (scope, job, time, listedAt) =>
      addAwaitedJobs(
        scope,
        live,
        addMemberObserved(
          scope,
          live,
          job,
          addChildObserved(scope, live, job, translateJob(scope, job, time), { time, listedAt }),
          time,
        ),
        { time, resourceVersion: job.metadata.resourceVersion },
      ),
    deleted: (scope, job, time) => {
      const { uid, resourceVersion } = job.metadata;
      return translateDeletion(scope, uid, { job, resourceVersion, time });
    },
    vanished: (scope, uid, resourceVersion, time) => translateDeletion(scope, uid, { resourceVersion, time }),
  };
}

export function translationOfCronJobs(live: LiveSet): Translation<CronJob> {
  return {
    mayConcern: () => true,
    isAlwaysRecorded: () => true,
    observed: (scope, cronJob, time) => translateCronJob(scope, cronJob, time),
    deleted: (scope, cronJob, time) => {
      const { uid, resourceVersion } = cronJob.metadata;
      return translateCronJobDeletion(scope, live, uid, { cronJob, resourceVersion, time });
    },
    vanished: (scope, uid, resourceVersion, time) =>
      translateCronJobDeletion(scope, live, uid, { resourceVersion, time }),
  };
}

export function translationOfPods(live: LiveSet): Translation<Pod> {
  return {
    mayConcern: (pod) => mayConcernJobs(live, pod),
    isAlwaysRecorded: (pod) => live.pods.has(pod.metadata.uid) || controllingJob(live, pod) !== undefined,
    observed: (scope, pod, time, listedAt) => translatePod(scope, live, pod, time, listedAt),
    deleted: (scope, pod, time) =>
      translatePodDeletion(scope, live, pod.metadata.uid, {
        pod,
        resourceVersion: pod.metadata.resourceVersion,
        time,
      }),
    vanished: (scope, uid, resourceVersion, time) =>
      translatePodDeletion(scope, live, uid, { resourceVersion, time }),
  };
}

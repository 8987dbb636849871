// Made from the API's OpenAPI document by `npm run page-types`.

export interface paths {
  '/v1/jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Jobs with their present status, newest first unless sorted */
    get: operations['listJobs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A Job: its present status, its reason to wait, and its conditions over time */
    get: operations['getJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/pods': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Every pod that the Job ever had, with the reasons for its creation and its end */
    get: operations['listPods'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/pods/{pod}/job': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The Job of a pod, even if the pod was only requested and never seen */
    get: operations['getJobOfPod'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/histogram': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The numbers of Jobs that were created, completed and failed over time */
    get: operations['getHistogram'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/groups': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The numbers of Jobs by cluster, namespace, status, reason to wait or reason of failure, the largest groups first */
    get: operations['listGroups'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/cronjobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** CronJobs as they are now, by cluster, namespace and name */
    get: operations['listCronJobs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/cronjobs/{cronjob}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A CronJob as it is now, with its reason to wait */
    get: operations['getCronJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/cronjobs/{cronjob}/starts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The starts of a CronJob with the fate of their Jobs, the latest first */
    get: operations['listStarts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/cronjobs/{cronjob}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The CronJob's stream, in the order of the ledger */
    get: operations['listEventsOfCronJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The Job's stream, in the order of the ledger */
    get: operations['listEventsOfJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/decisions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The decisions about the Job, with their rules and outcomes */
    get: operations['listDecisions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/why': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Why the Job is in its present state, or why each command of a decision was issued, and the waits */
    get: operations['whyJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/pods/{pod}/why': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Why the pod was created and how it ended */
    get: operations['whyPod'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/what-if': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How and when the Job would have ended under another policy */
    get: operations['whatIf'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/what-if': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How and when Jobs would have ended under another policy, the newest Jobs first
     * @description A page may have fewer Jobs than its limit, because it is bounded by their events; `next` is null only on the last page.
     */
    get: operations['whatIfOfJobs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/cronjobs/{cronjob}/what-if': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Which starts of the CronJob would have been skipped, added, earlier or later with another spec */
    get: operations['whatIfOfCronJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The state of the Job, rebuilt from its stream up to the end or a given point, with the next decision */
    get: operations['replayJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/replay/steps': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Each folded event in words, with its changes */
    get: operations['replayJobByStep'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/as-of': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The status of a Job as seen by an instant */
    get: operations['getJobAsOf'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/as-of': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Every Job that existed at an instant, with its status as seen by then */
    get: operations['listJobsAsOf'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/clusters': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The clusters that were ever connected */
    get: operations['listClusters'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/gaps': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Periods in which events of a cluster may have been missed, newest first */
    get: operations['listGaps'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * New events of the ledger: a page, or with Accept: text/event-stream a stream
     * @description Positions mark how far a reader has read: the `next` of a page, or the id of an event in a stream. Passed as `from` or as the header Last-Event-ID, they continue with the next event, without omissions or repeats.
     */
    get: operations['readEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/suspend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Request to stop the pods of a Job until it is resumed
     * @description Responds once the request is in the ledger; the events of the Job show the result.
     */
    post: operations['suspendJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Request to let a suspended Job run again
     * @description Responds once the request is in the ledger; the events of the Job show the result.
     */
    post: operations['resumeJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/clusters/{cluster}/jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a Job in a cluster
     * @description The manifest is sent to the API server with strict validation; its message is returned if it refuses. Unless the manifest names a controller, Jobledger controls the Job. An existing name is a conflict, so a repeated request creates no second Job, except with generateName.
     */
    post: operations['submitJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/jobs/{job}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a Job that does the work of an ended one again
     * @description The new Job has the labels, annotations and spec of the earlier one, from the cluster while it has the Job, otherwise from the ledger if that contains the whole spec. Its annotation jobledger.dev/retry-of names the earlier Job by its uid. With a name, a repeated request is a conflict and creates no second Job.
     */
    post: operations['retryJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/whoami': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The caller as this API knows it, with its scopes */
    get: operations['whoami'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether this process is running */
    get: operations['isAlive'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Which of the parts are up
     * @description 503 when Postgres does not answer or no token is valid, because every query needs both. Other parts that are down are listed.
     */
    get: operations['isReady'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    JobManifestInput: {
      /** @constant */
      apiVersion: 'batch/v1';
      /** @constant */
      kind: 'Job';
      metadata: ({
        name?: string;
        generateName?: string;
        /** @description Default: default */
        namespace?: string;
        annotations?: {
          [key: string]: string;
        };
      } & {
        [key: string]: unknown;
      }) &
        (unknown | unknown);
      spec: {
        managedBy?: string;
        template: {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    Problem: {
      /** @description URN of the problem kind; the same for every occurrence */
      type: string;
      /** @description The kind of problem in words */
      title: string;
      /** @description The HTTP status of the response */
      status: number;
      /** @description The error, and what to do about it */
      detail: string;
      /** @description The id of this request in the log of the API */
      request_id: string;
      /** @description Each invalid value */
      errors?: {
        where: string;
        message: string;
      }[];
      /** @description The Jobs or CronJobs that match */
      choices?: {
        cluster: string;
        namespace: string;
        name: string;
      }[];
    } & {
      [key: string]: unknown;
    };
    Job: {
      cluster: string;
      uid: string;
      namespace: string;
      name: string;
      /** @description Jobledger drives this Job */
      claimed: boolean;
      managed_by: string | null;
      /** @description One word, as kubectl shows it */
      status: string;
      parallelism: number | null;
      completions: number | null;
      completion_mode: string | null;
      backoff_limit: number | null;
      active_deadline_seconds: number | null;
      suspend: boolean;
      labels: {
        [key: string]: string;
      };
      /** @description Kind of the object that controls the Job, such as CronJob */
      owner_kind: string | null;
      owner_name: string | null;
      active: number;
      ready: number;
      terminating: number;
      succeeded: number;
      failed: number;
      completed_indexes: string | null;
      failed_indexes: string | null;
      created_at: string | null;
      started_at: string | null;
      finished_at: string | null;
      deletion_requested_at: string | null;
      deleted_at: string | null;
      /** @description False: the deletion itself was not observed */
      deletion_seen: boolean | null;
      /** Format: date-time */
      first_seen_at: string;
      /** Format: date-time */
      last_seen_at: string;
      decisions: number;
      commands: number;
      failed_commands: number;
      last_decided_at: string | null;
      /** @description When the next decision is due without new events */
      look_again_at: string | null;
      waiting_rule: string | null;
      /** @description Why the Job is waiting */
      waiting_words: string | null;
      waiting_since: string | null;
    };
    AwaitedJob: {
      awaited_name: string;
      /** @description Null: no Job of that name was seen yet */
      awaited_uid: string | null;
      /** @description Succeeded, Failed or Finished */
      condition: string;
      met: boolean;
      /** @description met, waiting, unmeetable, missing, deleted or unknown */
      standing: string;
      /** @description When the awaited Job ended; for a missing one, since when it is waited for */
      since: string | null;
      /** @description The Jobs through which the Job waits for itself */
      cycle: string | null;
      /** @description waiting, resumed or deleted */
      state: string;
      resumed_at: string | null;
    };
    ConditionChange: {
      type: string;
      /** @description Null: the condition was removed */
      status: string | null;
      reason: string | null;
      message: string | null;
      last_transition_time: string | null;
      /** Format: date-time */
      seen_at: string;
    };
    JobWithConditions: {
      cluster: string;
      uid: string;
      namespace: string;
      name: string;
      /** @description Jobledger drives this Job */
      claimed: boolean;
      managed_by: string | null;
      /** @description One word, as kubectl shows it */
      status: string;
      parallelism: number | null;
      completions: number | null;
      completion_mode: string | null;
      backoff_limit: number | null;
      active_deadline_seconds: number | null;
      suspend: boolean;
      labels: {
        [key: string]: string;
      };
      /** @description Kind of the object that controls the Job, such as CronJob */
      owner_kind: string | null;
      owner_name: string | null;
      active: number;
      ready: number;
      terminating: number;
      succeeded: number;
      failed: number;
      completed_indexes: string | null;
      failed_indexes: string | null;
      created_at: string | null;
      started_at: string | null;
      finished_at: string | null;
      deletion_requested_at: string | null;
      deleted_at: string | null;
      /** @description False: the deletion itself was not observed */
      deletion_seen: boolean | null;
      /** Format: date-time */
      first_seen_at: string;
      /** Format: date-time */
      last_seen_at: string;
      decisions: number;
      commands: number;
      failed_commands: number;
      last_decided_at: string | null;
      /** @description When the next decision is due without new events */
      look_again_at: string | null;
      waiting_rule: string | null;
      /** @description Why the Job is waiting */
      waiting_words: string | null;
      waiting_since: string | null;
      /** @description Every change of a condition, in order */
      conditions: components['schemas']['ConditionChange'][];
      /** @description The Jobs that it waits for, or waited for, and their state */
      chain: components['schemas']['AwaitedJob'][];
    };
    JobAsOf: {
      cluster: string;
      uid: string;
      namespace: string;
      name: string;
      status: string;
      suspend: boolean;
      parallelism: number | null;
      completions: number | null;
      active: number;
      ready: number;
      terminating: number;
      succeeded: number;
      failed: number;
      completed_indexes: string | null;
      failed_indexes: string | null;
      started_at: string | null;
      completed_at: string | null;
      conditions: ({
        type: string;
        status: string;
      } & {
        [key: string]: unknown;
      })[];
      /** @description resourceVersion of the Job with this status */
      resource_version: string;
      /** Format: date-time */
      seen_at: string;
      /** @description The event that shows this status */
      event_id: string;
      deleted: boolean;
    };
    Pod: {
      uid: string;
      name: string;
      completion_index: number | null;
      phase: string | null;
      exit_code: number | null;
      reason: string | null;
      message: string | null;
      node: string | null;
      restarts: number;
      created_at: string | null;
      started_at: string | null;
      first_ready_at: string | null;
      finished_at: string | null;
      deleted_at: string | null;
      created_rule: string | null;
      why_created: string | null;
      why_ended: string | null;
      counted_as: string | null;
    };
    Event: {
      /** @constant */
      specversion: '1.0';
      /** @description Identifies the event; a repeat has the same id */
      id: string;
      source: string;
      type: string;
      subject: string;
      /** Format: date-time */
      time: string;
      /** @constant */
      datacontenttype: 'application/json';
      digest: string;
      data: {
        cluster: string;
      } & {
        [key: string]: unknown;
      };
    };
    Command: {
      /** @description CreatePods, WriteStatus and so on */
      kind: string;
      /** @description Rule of the Job semantics behind the command */
      rule: string;
      /** @description The reason in words */
      words: string;
      /** @description Number of affected pods */
      pods: number | null;
      /** @description 0 until there is an outcome */
      attempts: number;
      answered_at: string | null;
      result: string | null;
      error: string | null;
    };
    Decision: {
      id: string;
      /** @description 1 for the first decision of the Job */
      number: number;
      predecessor: string | null;
      chain: string;
      /**
       * Format: date-time
       * @description The time at which it was made, as used by the core
       */
      now: string;
      /** Format: date-time */
      recorded_at: string;
      /** @description Version of the core that decided */
      core: string;
      commands: components['schemas']['Command'][];
      look_again_at: string | null;
      waiting_rule: string | null;
      waiting_words: string | null;
      /** @description Made again after a crash: this decision no longer stands */
      superseded: boolean;
    };
    Cluster: {
      name: string;
      uid: string | null;
      version: string | null;
      first_connected_at: string | null;
      last_connected_at: string | null;
      jobs: number;
      unfinished: number;
      gaps: number;
      last_gap_from: string | null;
      last_gap_to: string | null;
    };
    Gap: {
      id: string;
      cluster: string;
      /** @description The namespace of the watch; null: the whole cluster */
      namespace: string | null;
      resource: string;
      /** Format: date-time */
      gap_from: string;
      /** Format: date-time */
      gap_to: string;
      reason: string | null;
      /** Format: date-time */
      recorded_at: string;
    };
    CronJob: {
      cluster: string;
      uid: string;
      namespace: string;
      name: string;
      /** @description Null: the CronJob was never observed */
      schedule: string | null;
      time_zone: string | null;
      suspend: boolean;
      concurrency_policy: string | null;
      starting_deadline_seconds: number | null;
      successful_jobs_history_limit: number | null;
      failed_jobs_history_limit: number | null;
      active: number;
      active_jobs: string[];
      last_schedule_time: string | null;
      last_successful_time: string | null;
      labels: {
        [key: string]: string;
      };
      created_at: string | null;
      deletion_requested_at: string | null;
      deleted_at: string | null;
      /** @description False: the deletion itself was not observed */
      deletion_seen: boolean | null;
      /** Format: date-time */
      first_seen_at: string;
      /** Format: date-time */
      last_seen_at: string;
      decisions: number;
      commands: number;
      failed_commands: number;
      last_decided_at: string | null;
      /** @description When the next decision is due without new events */
      look_again_at: string | null;
      waiting_rule: string | null;
      /** @description What the CronJob is waiting for */
      waiting_words: string | null;
      waiting_since: string | null;
    };
    Start: {
      scheduled_at: string | null;
      words: string;
      result: string | null;
      error: string | null;
      job_name: string;
      /** @description Of the Job, in one word */
      status: string | null;
      started_at: string | null;
      finished_at: string | null;
      deleted_at: string | null;
    };
    Readiness: {
      /**
       * @description ready: everything responds; degraded: queries work; unavailable: queries fail
       * @enum {string}
       */
      status: 'ready' | 'degraded' | 'unavailable';
      parts: {
        [key: string]: {
          /** @enum {string} */
          status: 'ok' | 'behind' | 'down';
          detail?: string;
        };
      };
    };
    Histogram: {
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      before: string;
      /** @description Length of a bucket in milliseconds */
      step_ms: number;
      buckets: {
        /** Format: date-time */
        from: string;
        /** @description Jobs created in the bucket */
        created: number;
        /** @description Jobs that became complete in it */
        completed: number;
        /** @description Jobs that failed in it */
        failed: number;
      }[];
    };
    Group: {
      value: string;
      /** @description Number of Jobs */
      jobs: number;
      /** @description Number of their active pods */
      active: number;
      /** @description With by=waiting: what one of the Jobs waits for */
      words: string | null;
    };
    Replay: {
      /** @description The last folded event */
      event: string;
      /**
       * Format: date-time
       * @description When it was recorded
       */
      at: string;
      events: number;
      /** @description Decisions that are not superseded */
      decisions: number;
      /** @description Version of the core that folded the events: that of the last decision */
      core: string;
      /** @description The core's state of the Job; its status is state.job.status */
      state: {
        [key: string]: unknown;
      };
      /** @description The decision that was recorded next, and the status that it wrote */
      followed: {
        decision: string;
        number: number;
        /** Format: date-time */
        at: string;
        commands: {
          [key: string]: unknown;
        }[];
        waiting:
          | ({
              rule: string;
              words: string;
            } & {
              [key: string]: unknown;
            })
          | null;
        status: {
          [key: string]: unknown;
        } | null;
      } | null;
      /** @description Decisions that differ when the same core repeats them */
      different: {
        [key: string]: unknown;
      }[];
      /**
       * @deprecated
       * @description The former name of different
       */
      otherwise: {
        [key: string]: unknown;
      }[];
    };
    ReplayStep: {
      event: string;
      /** Format: date-time */
      time: string;
      about: string;
      words: string;
      below?: string[];
      changes: {
        path: string[];
        from?: unknown;
        to?: unknown;
      }[];
    };
    CreatedJob: {
      cluster: string;
      namespace: string;
      name: string;
      uid: string;
      managed_by: string | null;
      /** Format: date-time */
      created_at: string;
      dry_run: boolean;
    };
    JobEnd: {
      type: string;
      reason: string;
      message: string;
      /** Format: date-time */
      at: string;
    };
    WhatIf: {
      /** @description cluster/namespace/name */
      job: string;
      uid: string;
      /** @description The version of the core that made the decisions */
      core: string;
      /**
       * @description Whether the Job would have ended as it did; unknown: the facts run out
       * @enum {string}
       */
      comparison: 'same' | 'different' | 'unknown';
      words: string;
      /** @description null: it had not ended by the last recorded event */
      actual: components['schemas']['JobEnd'] | null;
      /** @description null: it would not have ended, or this is unknown */
      counterfactual: components['schemas']['JobEnd'] | null;
      unknown_since: string | null;
      pod_hours: {
        actual: number;
        /** @description null: unknown */
        saved: number | null;
      };
    };
    WhatIfOfJob: {
      cluster: string;
      namespace: string;
      name: string;
      uid: string;
      /** @description null: there is no result */
      what_if: components['schemas']['WhatIf'] | null;
      /** @description Why there is no result */
      refused: string | null;
    };
    StartFate: {
      /** @description null: no Job was created */
      started_at: string | null;
      /** @description null: no later start replaced its Job */
      replaced_at: string | null;
    };
    ComparedStart: {
      /** Format: date-time */
      scheduled_at: string;
      job: string;
      /** @enum {string} */
      result: 'same' | 'skipped' | 'added' | 'earlier' | 'later' | 'replaced' | 'kept' | 'unknown';
      words: string;
      actual: components['schemas']['StartFate'];
      /** @description null: unknown */
      counterfactual: components['schemas']['StartFate'] | null;
    };
    WhatIfStarts: {
      /** @description cluster/namespace/name */
      cron_job: string;
      uid: string;
      /** @description The version of the core that made the decisions */
      core: string;
      starts: components['schemas']['ComparedStart'][];
      /** @description The number of starts with each result */
      totals: {
        [key: string]: number;
      };
      /** @description Since when the result is unknown, and why; null: it is known up to the end of the record */
      unknown: {
        /** Format: date-time */
        since: string;
        words: string;
      } | null;
    };
    Whoami: {
      /** @description As recorded with requests and submitted Jobs */
      name: string;
      /** @description From the identity provider or the cluster; none for a token of the file */
      groups: string[];
      /** @description The scopes that the caller has in at least some places */
      scopes: ('read' | 'submit' | 'operate')[];
    };
    Why: {
      /** @description cluster/namespace/name */
      job: string;
      about: string;
      answers: {
        question: string;
        words: string;
        /** @description Ids of causes */
        because: string[];
      }[];
      /** @description The causes of answers and waits, each once, from the latest to the roots */
      causes: {
        /** @description Id of an event; for a command or a wait, with its place in the decision behind it */
        id: string;
        /** Format: date-time */
        at: string;
        about: string;
        words: string;
        rule: string | null;
        /** @description Ids of causes */
        because: string[];
      }[];
      /** @description The waits and gaps, with their reasons */
      waits: {
        /** Format: date-time */
        since: string;
        until: string | null;
        words: string;
        rule: string | null;
        /** @description Ids of causes */
        because: string[];
      }[];
    };
    Asked: {
      /** @enum {string} */
      asked: 'suspend' | 'resume';
      /** @description As recorded in the ledger */
      by: string;
      cluster: string;
      namespace: string;
      name: string;
      uid: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listJobs: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Name of the Job */
        name?: string;
        /** @description Part of the name, case-insensitive */
        text?: string;
        /** @description Status words, separated by commas: Unknown, Running, Suspended, FailureTarget, SuccessCriteriaMet, Terminating, Complete, Failed */
        status?: string;
        /** @description key=value; may be repeated: all labels must match */
        label?: string | string[];
        /** @description The object that controls the Job: its name, or its kind and name, such as CronJob/nightly */
        owner?: string;
        /** @description An instant with its time zone, RFC 3339 */
        created_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        created_before?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_before?: string & (unknown & unknown);
        /** @description Include deleted Jobs */
        deleted?: 'true' | 'false';
        /** @description The order; a minus sign reverses it. By end, Jobs that have not ended come last */
        sort?: '-created' | 'created' | '-finished' | 'finished' | '-name' | 'name';
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Job'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JobWithConditions'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listPods: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Pod'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getJobOfPod: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
      };
      header?: never;
      path: {
        /** @description Name of the pod */
        pod: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getHistogram: {
    parameters: {
      query: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Name of the Job */
        name?: string;
        /** @description Part of the name, case-insensitive */
        text?: string;
        /** @description Status words, separated by commas: Unknown, Running, Suspended, FailureTarget, SuccessCriteriaMet, Terminating, Complete, Failed */
        status?: string;
        /** @description key=value; may be repeated: all labels must match */
        label?: string | string[];
        /** @description The object that controls the Job: its name, or its kind and name, such as CronJob/nightly */
        owner?: string;
        /** @description An instant with its time zone, RFC 3339 */
        created_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        created_before?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_before?: string & (unknown & unknown);
        /** @description Include deleted Jobs */
        deleted?: 'true' | 'false';
        /** @description The start of the histogram */
        from: string & (unknown & unknown);
        /** @description Where it ends */
        before: string & (unknown & unknown);
        /** @description The most buckets to divide it into */
        buckets?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Histogram'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listGroups: {
    parameters: {
      query: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Name of the Job */
        name?: string;
        /** @description Part of the name, case-insensitive */
        text?: string;
        /** @description Status words, separated by commas: Unknown, Running, Suspended, FailureTarget, SuccessCriteriaMet, Terminating, Complete, Failed */
        status?: string;
        /** @description key=value; may be repeated: all labels must match */
        label?: string | string[];
        /** @description The object that controls the Job: its name, or its kind and name, such as CronJob/nightly */
        owner?: string;
        /** @description An instant with its time zone, RFC 3339 */
        created_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        created_before?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_before?: string & (unknown & unknown);
        /** @description Include deleted Jobs */
        deleted?: 'true' | 'false';
        /** @description The common property of the Jobs of a group; waiting: the rule under which an open Job waits; failure: the reason of a failed Job */
        by: 'cluster' | 'namespace' | 'status' | 'owner' | 'waiting' | 'failure';
        /** @description The most groups */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Group'][];
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listCronJobs: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Name of the CronJob */
        name?: string;
        /** @description Include deleted CronJobs */
        deleted?: 'true' | 'false';
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['CronJob'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getCronJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
      };
      header?: never;
      path: {
        /** @description Name of the CronJob */
        cronjob: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such CronJob was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one CronJob matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listStarts: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Name of the CronJob */
        cronjob: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Start'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such CronJob was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one CronJob matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listEventsOfCronJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Name of the CronJob */
        cronjob: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Event'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such CronJob was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one CronJob matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listEventsOfJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Types of events, separated by commas: job.observed, job.deleted, pod.observed, pod.deleted, command.received, submission.received, job.submitted, awaited-job.observed, cluster.connected, cluster.gap, cluster.restored, cluster.released, job.released, watch.passed, job.decided, job.folded, command.answered, job.snapshotted, cronjob.observed, cronjob.deleted, cronjob.decided, cronjob.folded, cronjob.snapshotted */
        type?: string;
        /** @description An instant with its time zone, RFC 3339 */
        since?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        until?: string & (unknown & unknown);
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Event'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listDecisions: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Decision'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  whyJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Number of a decision */
        decision?: number;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Why'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response; The ledger of this Job is incomplete; A newer version decided about this Job */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  whyPod: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
      };
      header?: never;
      path: {
        /** @description Name of the pod */
        pod: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Why'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response; The ledger of this Job is incomplete; A newer version decided about this Job */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  whatIf: {
    parameters: {
      query: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        set: string | string[];
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIf'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response; The ledger of this Job is incomplete; A newer version decided about this Job */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  whatIfOfJobs: {
    parameters: {
      query: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Name of the Job */
        name?: string;
        /** @description Part of the name, case-insensitive */
        text?: string;
        /** @description Status words, separated by commas: Unknown, Running, Suspended, FailureTarget, SuccessCriteriaMet, Terminating, Complete, Failed */
        status?: string;
        /** @description key=value; may be repeated: all labels must match */
        label?: string | string[];
        /** @description The object that controls the Job: its name, or its kind and name, such as CronJob/nightly */
        owner?: string;
        /** @description An instant with its time zone, RFC 3339 */
        created_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        created_before?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_from?: string & (unknown & unknown);
        /** @description An instant with its time zone, RFC 3339 */
        finished_before?: string & (unknown & unknown);
        /** @description Include deleted Jobs */
        deleted?: 'true' | 'false';
        set: string | string[];
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['WhatIfOfJob'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  whatIfOfCronJob: {
    parameters: {
      query: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        set: string | string[];
      };
      header?: never;
      path: {
        /** @description Name of the CronJob */
        cronjob: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WhatIfStarts'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such CronJob was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one CronJob matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response; The ledger of this Job is incomplete; A newer version decided about this Job */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  replayJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Replay events recorded up to this instant; give either at or until */
        at?: string & (unknown & unknown);
        /** @description Replay up to this event: its id, or the number of a decision */
        until?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Replay'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response; The ledger of this Job is incomplete; A newer version decided about this Job */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  replayJobByStep: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Replay events recorded up to this instant; give either at or until */
        at?: string & (unknown & unknown);
        /** @description Replay up to this event: its id, or the number of a decision */
        until?: string;
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ReplayStep'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too much for one response; The ledger of this Job is incomplete; A newer version decided about this Job */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getJobAsOf: {
    parameters: {
      query: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description An instant with its time zone, RFC 3339 */
        at: string & (unknown & unknown);
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JobAsOf'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen; Nothing was seen by then */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Jobs that ended by then were removed */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listJobsAsOf: {
    parameters: {
      query: {
        /** @description An instant with its time zone, RFC 3339 */
        at: string & (unknown & unknown);
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['JobAsOf'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Nothing was seen by then */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Jobs that ended by then were removed */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listClusters: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Cluster'][];
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listGaps: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Gaps that end at or after this instant */
        since?: string & (unknown & unknown);
        /** @description Gaps that begin at or before this instant */
        until?: string & (unknown & unknown);
        /** @description Rows per page */
        limit?: number;
        /** @description `next` of the previous page */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Gap'][];
            /** @description Pass it as `cursor` for the next page; null: this is the last page */
            next: string | null;
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readEvents: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description Name of the Job */
        job?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description Types of events, separated by commas: job.observed, job.deleted, pod.observed, pod.deleted, command.received, submission.received, job.submitted, awaited-job.observed, cluster.connected, cluster.gap, cluster.restored, cluster.released, job.released, watch.passed, job.decided, job.folded, command.answered, job.snapshotted, cronjob.observed, cronjob.deleted, cronjob.decided, cronjob.folded, cronjob.snapshotted */
        type?: string;
        /** @description start, now, or positions from an earlier response (PARTITION:OFFSET,…). Default: start; for a stream: now */
        from?: string;
        /** @description Events per page; ignored for a stream */
        limit?: number;
      };
      header?: {
        'last-event-id'?: string;
        accept?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Events, in the order of each partition */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Event'][];
            /** @description Pass it as `from` to read the following events, which may not exist yet */
            next: string;
          };
          'text/event-stream': string;
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable; Too many streams are open */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  suspendJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description The user that makes the request; the name of the token is recorded too */
        by?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Asked'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches; The present state forbids this */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The body is too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  resumeJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description The user that makes the request; the name of the token is recorded too */
        by?: string;
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Asked'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches; The present state forbids this */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The body is too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  submitJob: {
    parameters: {
      query?: {
        /** @description Only validate; create nothing */
        dry_run?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @description Name of the cluster in the ledger */
        cluster: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['JobManifestInput'];
      };
    };
    responses: {
      /** @description The Job would be created */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedJob'];
        };
      };
      /** @description The Job was created */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedJob'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The present state forbids this */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The body is too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The cluster refuses this */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  retryJob: {
    parameters: {
      query?: {
        /** @description Name of the cluster in the ledger */
        cluster?: string;
        /** @description Namespace of the Job */
        namespace?: string;
        /** @description metadata.uid of the Job, if a name was used more than once (default: the newest) */
        uid?: string;
        /** @description The name of the new Job. Default: the earlier name and five characters */
        new_name?: string;
        /** @description Only validate; create nothing */
        dry_run?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @description Name of the Job */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The Job would be created */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedJob'];
        };
      };
      /** @description The Job was created */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedJob'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description No such Job was ever seen; Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description More than one Job matches; The present state forbids this */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The body is too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The cluster refuses this */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  whoami: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Whoami'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A token is needed */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description This token lacks the right */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  isAlive: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok';
          };
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  isReady: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Default Response */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Readiness'];
        };
      };
      /** @description The request cannot be understood */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Too many requests */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Default Response */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Readiness'];
        };
      };
      /** @description Timed out */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
}

// Compiled from workflows/job by "npm run freeze-core". Never edited.

// workflows/kubernetes/names.ts
var RESERVED_FINALIZER = "batch.kubernetes.io/job-tracking";
var OWN_FINALIZER = "jobledger.dev/job-tracking";
var BUILT_IN_MANAGER = "kubernetes.io/job-controller";
var OWN_MANAGER = "jobledger.dev/job-controller";
var CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid";
var COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
var INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
var INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";
var BACKOFF_SECONDS = "jobledger.dev/backoff-seconds";
var FAILED_PODS_LIMIT = "jobledger.dev/failed-pods-limit";
var START_AND_FINISH_EVENTS = "jobledger.dev/start-and-finish-events";
function isClaimed(claim, managedBy) {
  if (managedBy === OWN_MANAGER) return true;
  return claim === "all" && (managedBy === void 0 || managedBy === BUILT_IN_MANAGER);
}
function trackingFinalizer(claim) {
  return claim === "all" ? RESERVED_FINALIZER : OWN_FINALIZER;
}

// workflows/kubernetes/controller.ts
function controllerOf({ ownerReferences }) {
  return ownerReferences?.find(({ controller }) => controller === true);
}

// workflows/job/definitions/pod-phase.ts
function isTerminal(phase) {
  return phase === "Succeeded" || phase === "Failed";
}
function isLive({ claim, gone, phase }) {
  return claim === void 0 && gone !== true && !isTerminal(phase);
}
function isActive(pod) {
  return isLive(pod) && pod.deleting !== true;
}
function isTerminating(pod) {
  return isLive(pod) && pod.deleting === true;
}

// workflows/job/observe/job-annotations.ts
var SECONDS = wholeNumber(BACKOFF_SECONDS, 2147483647);
var KEPT_PODS = wholeNumber(FAILED_PODS_LIMIT, 1e3);
var EVENTS = {
  name: START_AND_FINISH_EVENTS,
  allowed: '"true" or "false"',
  read: (text) => text === "true" ? true : text === "false" ? false : null
};
var ALL = [SECONDS, KEPT_PODS, EVENTS];
var LONGEST_REPORTED = 100;
function jobAnnotations(texts = {}) {
  const backoffSeconds = valueIn(texts, SECONDS);
  const failedPodsLimit = valueIn(texts, KEPT_PODS);
  const invalid = ALL.flatMap((annotation) => complaintAbout(texts, annotation));
  const read = {
    ...backoffSeconds !== null && { backoffSeconds },
    ...failedPodsLimit !== null && { failedPodsLimit },
    ...valueIn(texts, EVENTS) === true && { startAndFinishEvents: true },
    ...invalid.length > 0 && { invalid }
  };
  return Object.keys(read).length === 0 ? void 0 : read;
}
function valueIn(texts, { name, read }) {
  const text = texts[name];
  return text === void 0 ? null : read(text);
}
function complaintAbout(texts, { name, allowed, read }) {
  const text = texts[name];
  if (text === void 0 || read(text) !== null) return [];
  return [`${name} is ignored: "${text.slice(0, LONGEST_REPORTED)}" is not ${allowed}`];
}
function wholeNumber(name, max) {
  return {
    name,
    allowed: `a whole number from 0 to ${max}`,
    read: (text) => /^\d+$/.test(text) && Number(text) <= max ? Number(text) : null
  };
}

// workflows/job/observe/plain-numbers.ts
function plainNumbers(value) {
  return plain(value);
}
function plain(value) {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

// workflows/job/definitions/instants.ts
var LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");
function apiTime(milliseconds) {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
function isoTime(milliseconds) {
  return new Date(Math.min(milliseconds, LAST_INSTANT)).toISOString();
}
function instantOf(text) {
  if (text === void 0 || text === null) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}

// workflows/job/observe/sidecars.ts
function sidecarsOf({ initContainers = [] }, statuses) {
  const names = new Set(initContainers.filter(isSidecar).map((each) => each.name));
  return statuses.filter((each) => names.has(each.name));
}
function isSidecar({ restartPolicy }) {
  return restartPolicy === "Always";
}

// workflows/job/observe/finish-time.ts
function finishedAtOf(pod) {
  return lastContainerEnd(pod) ?? unreadySince(pod) ?? deletionAsked(pod) ?? Date.parse(pod.metadata.creationTimestamp);
}
function lastContainerEnd({ spec, status }) {
  const restartable = sidecarsOf(spec, status?.initContainerStatuses ?? []);
  return endOf([...status?.containerStatuses ?? [], ...restartable]) ?? endOf(restartable);
}
function endOf(statuses) {
  const ends = statuses.flatMap((each) => instantOf(each.state?.terminated?.finishedAt) ?? []);
  return ends.length === 0 || ends.length < statuses.length ? null : Math.max(...ends);
}
function unreadySince({ status }) {
  const unready = status?.conditions?.find(
    (condition) => condition.type === "Ready" && condition.status === "False"
  );
  return instantOf(unready?.lastTransitionTime);
}
function deletionAsked({ metadata }) {
  const deletion = instantOf(metadata.deletionTimestamp);
  return deletion === null ? null : deletion - plainNumbers(metadata.deletionGracePeriodSeconds ?? 0) * 1e3;
}

// workflows/job/observe/compact.ts
function compact(event) {
  const { id, digest } = event;
  switch (event.type) {
    case "job.observed":
      return { id, digest, type: event.type, job: jobFacts(event.data.object) };
    case "job.deleted":
      return { id, digest, type: event.type, resourceVersion: event.data.resourceVersion };
    case "pod.observed":
      return { id, digest, type: event.type, pod: podFactsFor(event.data) };
    case "pod.deleted": {
      const { podUid: uid, podName: name, resourceVersion } = event.data;
      return { id, digest, type: event.type, uid, name, resourceVersion };
    }
    case "command.received":
      return { id, digest, type: event.type, command: event.data.command, by: event.data.by };
    case "job.decided":
    case "command.answered":
      return event;
    case "job.folded":
    case "job.snapshotted":
    case "cluster.connected":
    case "cluster.gap":
      return null;
  }
}
function jobFacts(job) {
  const { metadata, spec } = job;
  const { template, selector, ...rest } = spec;
  const annotations = jobAnnotations(metadata.annotations);
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== void 0,
    spec: { ...plainNumbers(rest), selector: selector ?? {} },
    restartPolicy: template?.spec.restartPolicy ?? "Never",
    status: job.status ?? {},
    ...annotations !== void 0 && { annotations }
  };
}
function podFactsFor({ jobUid, object, listedAt }) {
  const facts = podFacts(object);
  if (listedAt !== void 0) facts.listedAt = listedAt;
  if (facts.controller !== void 0 && facts.controller !== jobUid) facts.elsewhere = true;
  return facts;
}
function podFacts(pod) {
  const { metadata, status } = pod;
  const phase = status?.phase ?? "Pending";
  const controller = controllerOf(metadata)?.uid;
  const deleting = metadata.deletionTimestamp !== void 0;
  const ready = status?.conditions?.find(
    (condition) => condition.type === "Ready" && condition.status === "True"
  );
  const { uid, name, resourceVersion, creationTimestamp } = metadata;
  const facts = { uid, name, resourceVersion, phase, createdAt: Date.parse(creationTimestamp) };
  if (metadata.finalizers?.some(isTracking) === true) facts.tracked = true;
  if (metadata.finalizers?.includes(OWN_FINALIZER) === true) facts.trackedByUs = true;
  if (controller !== void 0) facts.controller = controller;
  if (controller === void 0 || metadata.labels?.[CONTROLLER_UID_LABEL] !== controller)
    facts.labels = metadata.labels ?? {};
  if (deleting) facts.deleting = true;
  if ((pod.spec.nodeName ?? "") !== "") facts.scheduled = true;
  if (ready !== void 0) {
    facts.ready = true;
    facts.readySince = Date.parse(ready.lastTransitionTime ?? "") || 0;
  }
  if (deleting || isTerminal(phase)) facts.finishedAt = finishedAtOf(pod);
  const failure = phase === "Failed" ? failureFacts(pod) : earlyFailureFacts(pod);
  return Object.assign(facts, restartFacts(pod), indexFacts(metadata.annotations ?? {}), failure);
}
function isTracking(finalizer) {
  return finalizer === OWN_FINALIZER || finalizer === RESERVED_FINALIZER;
}
function restartFacts({
  spec,
  status
}) {
  const regular = status?.containerStatuses ?? [];
  const init = status?.initContainerStatuses ?? [];
  const restarts = [...regular, ...init].reduce((total, { restartCount = 0 }) => total + restartCount, 0);
  const [most, mostOfSidecars] = [regular, sidecarsOf(spec, init)].map(
    (statuses) => Math.max(0, ...statuses.map(({ restartCount = 0 }) => restartCount))
  );
  return {
    ...restarts > 0 && { restarts },
    ...most !== void 0 && most > 0 && { maxRestarts: most },
    ...mostOfSidecars !== void 0 && mostOfSidecars > 0 && { maxSidecarRestarts: mostOfSidecars }
  };
}
function indexFacts(annotations) {
  const index = countOf(annotations[COMPLETION_INDEX]);
  const failureCount = countOf(annotations[INDEX_FAILURE_COUNT]) ?? 0;
  const ignoredFailureCount = countOf(annotations[INDEX_IGNORED_FAILURE_COUNT]) ?? 0;
  return {
    ...index !== void 0 && { index },
    ...failureCount > 0 && { failureCount },
    ...ignoredFailureCount > 0 && { ignoredFailureCount }
  };
}
function countOf(text) {
  if (text === void 0 || !/^\+?\d+$/.test(text)) return void 0;
  const number = Number(text);
  return number <= 2147483647 ? number : void 0;
}
function failureFacts({ status }) {
  const containers = [...status?.containerStatuses ?? [], ...status?.initContainerStatuses ?? []];
  const exits = containers.map(exitOf).filter((exit) => exit.code !== 0);
  const conditions = (status?.conditions ?? []).map(({ type, status: value }) => ({ type, status: value }));
  return { exits, conditions };
}
function earlyFailureFacts(pod) {
  if (pod.status?.phase === "Succeeded") return {};
  const { exits = [], conditions = [] } = failureFacts(pod);
  const unusual = conditions.filter(({ type }) => !USUAL_CONDITIONS.has(type));
  return { ...exits.length > 0 && { exits }, ...unusual.length > 0 && { conditions: unusual } };
}
var USUAL_CONDITIONS = /* @__PURE__ */ new Set([
  "PodScheduled",
  "PodReadyToStartContainers",
  "Initialized",
  "ContainersReady",
  "Ready"
]);
function exitOf(container) {
  return { container: container.name, code: container.state?.terminated?.exitCode ?? 0 };
}

// workflows/job/decide/api-retry.ts
function apiErrorDelay(state, now, kinds) {
  const [last] = kinds.flatMap((kind2) => withKind(kind2, state.retries[kind2])).filter(({ until: until2 }) => until2 > now).toSorted((a, b) => b.until - a.until);
  if (last === void 0) return null;
  const { kind, errors, until, message } = last;
  const count2 = errors === 1 ? "1 error" : `${errors} errors`;
  const words = `no ${kind} before ${isoTime(until)}: ${count2} of the API, the last: ${message}`;
  return { lookAgainAt: until, waiting: { rule: "J-3.2", words } };
}
function withKind(kind, retry) {
  return retry === void 0 ? [] : [{ kind, ...retry }];
}

// workflows/job/decide/verdict.ts
var nothing = { commands: [], lookAgainAt: null, waiting: null };
function only(...commands) {
  return { commands, lookAgainAt: null, waiting: null };
}
function earlier(a, b) {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

// workflows/job/decide/policies/failed-pods-limit.ts
function trimFailedPods(state, job, now, settings, verdict) {
  const { failedPodsLimit } = job.annotations ?? {};
  if (failedPodsLimit === void 0 || job.restartPolicy === "OnFailure" || job.deleting) return verdict;
  const pods = oldestBeyond(failedPodsLimit, state).slice(0, settings.maxPodsPerSync);
  if (pods.length === 0) return verdict;
  const held = apiErrorDelay(state, now, ["DeletePods"]);
  if (held !== null) {
    const lookAgainAt = earlier(verdict.lookAgainAt, held.lookAgainAt);
    return { ...verdict, lookAgainAt, waiting: verdict.waiting ?? held.waiting };
  }
  const words = `failed pods: ${Object.keys(state.keptPods).length}, kept by ${FAILED_PODS_LIMIT}: ${failedPodsLimit}`;
  const why = { rule: "J-12.5", words };
  return { ...verdict, commands: [...verdict.commands, { kind: "DeletePods", untrack: false, pods, why }] };
}
function oldestBeyond(limit, { keptPods }) {
  return Object.entries(keptPods).toSorted(([a, one], [b, other]) => one.finished - other.finished || (a < b ? -1 : 1)).slice(0, Math.max(0, Object.keys(keptPods).length - limit)).map(([uid, { name }]) => ({ uid, name }));
}

// workflows/job/definitions/conditions.ts
var INTERIM_CONDITION = {
  Complete: "SuccessCriteriaMet",
  Failed: "FailureTarget"
};
function isFinished(status) {
  return terminalCondition(status) !== void 0;
}
function terminalCondition(status) {
  return status.conditions?.find(({ type, status: value }) => isEndType(type) && value === "True");
}
function trueCondition(status, type) {
  return status.conditions?.find((condition) => condition.type === type && condition.status === "True");
}
function conditionAt(at, condition) {
  return {
    type: condition.type,
    status: condition.status,
    lastProbeTime: at,
    lastTransitionTime: at,
    reason: condition.reason,
    message: condition.message
  };
}
function withCondition(conditions, condition) {
  const at = conditions.findIndex((each) => each.type === condition.type);
  return at < 0 ? [...conditions, condition] : conditions.with(at, condition);
}
function isEndType(type) {
  return type === "Complete" || type === "Failed";
}

// workflows/job/definitions/ending-writes.ts
function endedBy({ from, to }) {
  return terminalCondition(from) === void 0 ? terminalCondition(to) : void 0;
}

// workflows/job/decide/policies/start-and-finish-events.ts
function startAndFinishEvents({ annotations }, commands) {
  if (annotations?.startAndFinishEvents !== true) return [];
  const events = commands.flatMap(eventsOf);
  if (events.length === 0) return [];
  return [{ kind: "EmitEvents", events, why: { rule: "J-12.6", words: "an annotation asks for it" } }];
}
function eventsOf(command) {
  if (command.kind !== "WriteStatus") return [];
  const isStart = command.from.startTime === void 0 && command.to.startTime !== void 0;
  const end = endedBy(command);
  return [
    ...isStart ? [{ type: "Normal", reason: "JobStart", message: "Job started" }] : [],
    ...end === void 0 ? [] : [{ type: "Normal", reason: "JobFinish", message: `Job finished: ${end.type}` }]
  ];
}

// workflows/job/decide/annotations.ts
function heedAnnotations(state, job, now, settings, verdict) {
  if (job.annotations === void 0) return verdict;
  const { commands } = verdict;
  const more = [...warnings(state, job), ...commands, ...startAndFinishEvents(job, commands)];
  return trimFailedPods(state, job, now, settings, { ...verdict, commands: more });
}
function warnings({ warned }, { annotations }) {
  const invalid = annotations?.invalid ?? [];
  const unreported = invalid.filter((message) => !warned.includes(message));
  if (unreported.length === 0) return [];
  const events = unreported.map((message) => ({
    type: "Warning",
    reason: "InvalidAnnotation",
    message
  }));
  const why = { rule: "J-12.8", words: "an invalid annotation is ignored" };
  return [{ kind: "EmitEvents", events, invalid, why }];
}

// workflows/job/commands.ts
var MAX_PODS_IN_COMMAND = 5e3;

// workflows/job/definitions/pod-names.ts
var ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
var LENGTH = 5;
var SUFFIXES = ALPHABET.length ** LENGTH;
var MAX_BASE = 58;
var MAX_NAME = 253;
function generateName(jobName, index) {
  if (index === void 0) return jobName.length < MAX_NAME ? `${jobName}-` : jobName;
  const ending3 = `-${index}-`;
  return `${jobName.slice(0, MAX_BASE - ending3.length)}${ending3}`;
}
function baseOf(jobName, index) {
  return generateName(jobName, index).slice(0, MAX_BASE);
}
function podName(job, ordinal, index) {
  return baseOf(job.name, index) + lettersOf(permute(ordinal % SUFFIXES, job.uid));
}
function ordinalOf(job, name, index) {
  const base = baseOf(job.name, index);
  if (!name.startsWith(base) || name.length !== base.length + LENGTH) return null;
  const place = placeOf(name.slice(base.length));
  return place === null ? null : unpermute(place, job.uid);
}
function permute(ordinal, uid) {
  const { factor, offset } = keyOf(uid);
  return (factor * ordinal + offset) % SUFFIXES;
}
function unpermute(place, uid) {
  const { factor, offset } = keyOf(uid);
  return inverse(factor) * ((place - offset + SUFFIXES) % SUFFIXES) % SUFFIXES;
}
function keyOf(uid) {
  const seed = hash(uid);
  const factor = hash(`${uid}/factor`) % (SUFFIXES - 2) + 1;
  return { factor: factor % 3 === 0 ? factor + 1 : factor, offset: seed % SUFFIXES };
}
function hash(text) {
  let value = 2166136261;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return value;
}
function inverse(factor) {
  let [rest, next] = [SUFFIXES, factor];
  let [a, b] = [0, 1];
  while (next !== 0) {
    const quotient = Math.floor(rest / next);
    [rest, next] = [next, rest - quotient * next];
    [a, b] = [b, a - quotient * b];
  }
  return a < 0 ? a + SUFFIXES : a;
}
function lettersOf(place) {
  let rest = place;
  let letters = "";
  for (let at = 0; at < LENGTH; at += 1) {
    letters = ALPHABET.charAt(rest % ALPHABET.length) + letters;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return letters;
}
function placeOf(letters) {
  let place = 0;
  for (const letter of letters) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return null;
    place = place * ALPHABET.length + digit;
  }
  return place;
}

// workflows/job/definitions/pod-refs.ts
function refOf(job, uid, pod) {
  if (pod.name !== void 0 || job === null || pod.ordinal === void 0)
    return { uid, name: pod.name ?? "" };
  return { uid, name: podName(job, pod.ordinal, pod.index) };
}

// workflows/job/settings.ts
function isOurs({ controllers, claim }, managedBy) {
  return controllers.includes("job") && isClaimed(claim, managedBy);
}

// workflows/job/decide/policies/ttl-after-finished.ts
function expiryOf({ deleting, spec, status }) {
  const { ttlSecondsAfterFinished } = spec;
  if (deleting || ttlSecondsAfterFinished === void 0) return null;
  const finished = finishTimeOf(status);
  return finished === null ? null : finished + ttlSecondsAfterFinished * 1e3;
}
function ttlAfterFinished(state, job, now, { controllers }) {
  const expiredAt = controllers.includes("ttl") ? expiryOf(job) : null;
  if (expiredAt === null) return nothing;
  const words = `${job.spec.ttlSecondsAfterFinished} s after the Job finished`;
  if (expiredAt > now) {
    const waiting = { rule: "J-10.2", words: `deleted at ${isoTime(expiredAt)}, ${words}` };
    return { commands: [], lookAgainAt: expiredAt, waiting };
  }
  const held = apiErrorDelay(state, now, ["DeleteJob"]);
  if (held !== null) return { commands: [], ...held };
  return only({ kind: "DeleteJob", expiredAt, why: { rule: "J-10.3", words } });
}
function finishTimeOf(status) {
  return instantOf(terminalCondition(status)?.lastTransitionTime);
}

// workflows/job/decide/after-the-end.ts
function withoutJob(state, now) {
  if (!state.jobGone) {
    return only({
      kind: "LookUpJob",
      why: { rule: "J-3.46", words: "the Job was never seen" }
    });
  }
  return freeAll(state, now, "the Job does not exist any more");
}
function afterTheEnd(state, job, now, settings) {
  if (!isFinished(job.status)) return null;
  const free = freeAll(state, now, "the Job has finished");
  if (free.commands.length > 0) return free;
  const ttl = ttlAfterFinished(state, job, now, settings);
  const verdict = {
    commands: ttl.commands,
    lookAgainAt: earlier(free.lookAgainAt, ttl.lookAgainAt),
    waiting: free.waiting ?? ttl.waiting
  };
  return ttl.commands.length > 0 ? verdict : trimFailedPods(state, job, now, settings, verdict);
}
function ofAnother(state, job, now, settings) {
  return state.jobGone ? nothing : ttlAfterFinished(state, job, now, settings);
}
function freeAll(state, now, words) {
  const pods = tracked(state).slice(0, MAX_PODS_IN_COMMAND);
  if (pods.length === 0) return nothing;
  const held = apiErrorDelay(state, now, ["ReleasePods"]);
  if (held !== null) return { commands: [], ...held };
  return only({ kind: "ReleasePods", unlessAdopted: true, pods, why: { rule: "J-3.46", words } });
}
function tracked(state) {
  return Object.entries(state.pods).filter(([, pod]) => pod.untracked !== true).map(([uid, pod]) => refOf(state.job, uid, pod));
}

// workflows/job/decide/pods/claiming.ts
function claimPods(state, job, now, settings) {
  const pods = Object.entries(state.pods);
  const adopt = withClaim(pods, job, "adopt");
  const disown = withClaim(pods, job, "disown");
  const free = withClaim(pods, job, "free");
  const commands = [];
  if (adopt.length > 0 && !job.deleting) {
    const why = { rule: "J-3.32", words: `${count(adopt)} without controller matching the selector` };
    commands.push({ kind: "AdoptPods", finalizer: trackingFinalizer(settings.claim), pods: adopt, why });
  }
  if (disown.length > 0)
    commands.push({
      kind: "DisownPods",
      pods: disown,
      why: { rule: "J-3.33", words: `${count(disown)} no longer matching the selector` }
    });
  if (free.length > 0)
    commands.push({
      kind: "ReleasePods",
      unlessAdopted: true,
      pods: free,
      why: { rule: "J-4.32", words: `${count(free)} that lost the owner reference` }
    });
  if (commands.length === 0) return null;
  const held = apiErrorDelay(state, now, ["AdoptPods", "DisownPods", "ReleasePods"]);
  if (held !== null) return { commands: [], ...held };
  return { commands, lookAgainAt: null, waiting: null };
}
function withClaim(pods, job, claim) {
  return pods.filter(([, pod]) => pod.claim === claim && (claim !== "free" || pod.untracked !== true)).slice(0, MAX_PODS_IN_COMMAND).map(([uid, pod]) => refOf(job, uid, pod));
}
function count(pods) {
  return pods.length === 1 ? "1 pod" : `${pods.length} pods`;
}

// workflows/job/decide/policies/completion-mode.ts
function refuseUnknownMode({ waiting }, { spec }) {
  const { completionMode = "NonIndexed" } = spec;
  if (completionMode === "NonIndexed" || completionMode === "Indexed") return null;
  const why = { rule: "J-3.50", words: `the completion mode ${completionMode} is unknown` };
  const isReported = waiting?.rule === why.rule && waiting.words === why.words;
  const message = "Skipped Job sync because completion mode is unknown";
  const events = [{ type: "Warning", reason: "UnknownCompletionMode", message }];
  return {
    commands: isReported ? [] : [{ kind: "EmitEvents", events, why }],
    lookAgainAt: null,
    waiting: why
  };
}

// workflows/job/decide/policies/completion.ts
function manageCompletion(tally, plan) {
  if (plan.ending !== null || !isComplete(tally, plan)) return plan;
  return { ...plan, ending: completed(tally) };
}
function isComplete({ job, succeeded }, { active }) {
  const { completions } = job.spec;
  return active === 0 && (completions === void 0 ? succeeded > 0 : succeeded >= completions);
}
function completed({ job, succeeded }) {
  return {
    type: "Complete",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
    isStored: false,
    why: {
      rule: "J-6.30",
      words: `${succeeded} succeeded of ${job.spec.completions ?? "any number"}, none active`
    }
  };
}

// workflows/job/decide/pods/backoff.ts
function failuresInARow({ failures, lastSuccess }) {
  return failures.filter((finished) => finished > lastSuccess);
}
function backoffEnd(record, settings) {
  const failures = failuresInARow(record);
  const last = failures[0];
  if (last === void 0) return null;
  return Math.min(last + delayAfter(failures.length, settings), LAST_INSTANT);
}
function delayAfter(failures, settings) {
  return Math.min(settings.podFailureBackoffMs * 2 ** (failures - 1), settings.maxPodFailureBackoffMs);
}

// workflows/job/definitions/completion-indexes.ts
function isIndexed({ completionMode }) {
  return completionMode === "Indexed";
}
function hasPlace(spec, index) {
  return !isIndexed(spec) || index !== void 0 && index < (spec.completions ?? 0);
}
function completedOn(job) {
  return parseIndexes(job.status.completedIndexes ?? "", job.spec.completions ?? 0);
}
function failedOn(job) {
  return parseIndexes(job.status.failedIndexes ?? "", job.spec.completions ?? 0);
}
function parseIndexes(text, completions) {
  const indexes = [];
  for (const fragment of text.split(",")) {
    const [first = Number.NaN, last = first] = fragment.split("-", 2).map(numberOf);
    if (Number.isNaN(first) || Number.isNaN(last)) continue;
    if (first >= completions) break;
    append(indexes, first, Math.min(last, completions - 1));
  }
  return indexes;
}
function formatIndexes(indexes) {
  return indexes.map(
    ([first, last]) => last === first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`
  ).join(",");
}
function indexesOf(numbers) {
  const indexes = [];
  for (const number of numbers.toSorted((a, b) => a - b)) append(indexes, number, number);
  return indexes;
}
function union(a, b) {
  if (b.length === 0) return a;
  const indexes = [];
  for (const [first, last] of [...a, ...b].toSorted((one, other) => one[0] - other[0]))
    append(indexes, first, last);
  return indexes;
}
function sizeOf(indexes) {
  return indexes.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
function contains(indexes, index) {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((indexes[middle]?.[1] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const found = indexes[low];
  return found !== void 0 && found[0] <= index;
}
function overlapOf(a, b) {
  return sizeOf(a) + sizeOf(b) - sizeOf(union(a, b));
}
function lowestOutside(indexes, completions, count2, isExcluded) {
  const chosen = [];
  let index = 0;
  for (const [first, last] of [...indexes, [completions, completions]]) {
    for (; index < first && chosen.length < count2; index += 1) if (!isExcluded(index)) chosen.push(index);
    index = Math.max(index, last + 1);
  }
  return chosen;
}
function append(indexes, first, last) {
  const before = indexes.at(-1);
  if (before !== void 0 && first <= before[1] + 1) before[1] = Math.max(before[1], last);
  else if (last >= first) indexes.push([first, last]);
}
function numberOf(text) {
  return /^\+?\d+$/.test(text) ? Number(text) : Number.NaN;
}

// workflows/job/decide/policies/pod-failure-policy.ts
var ACTIONS = /* @__PURE__ */ new Set(["Count", "FailIndex", "FailJob", "Ignore"]);
function failureMatchOf({ podFailurePolicy }, pod) {
  for (const [at, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const match = ACTIONS.has(rule.action) ? matchOf(rule, pod) : null;
    if (match !== null) return { action: rule.action, rule: at, ...match };
  }
  return null;
}
function isIgnored(spec, pod) {
  return failureMatchOf(spec, pod)?.action === "Ignore";
}
function failJobMessage(spec, pod, name) {
  const match = failureMatchOf(spec, pod);
  if (match?.action !== "FailJob") return null;
  const rule = `matching FailJob rule at index ${match.rule}`;
  if ("condition" in match) return `Pod ${name} has condition ${match.condition} ${rule}`;
  const { container, code } = match.exit;
  return `Container ${container} for pod ${name} failed with exit code ${code} ${rule}`;
}
function podFailurePolicyViolated({ state: { failJob } }) {
  if (failJob === null) return null;
  const { message } = failJob;
  const why = { rule: "J-6.10", words: message };
  return { type: "Failed", reason: "PodFailurePolicy", message, isStored: false, why };
}
function matchOf({ onExitCodes, onPodConditions }, pod) {
  if (onExitCodes !== void 0) {
    const exit = pod.exits?.find(
      ({ container, code }) => (onExitCodes.containerName === void 0 || onExitCodes.containerName === container) && isAmong(onExitCodes, code)
    );
    return exit === void 0 ? null : { exit };
  }
  const condition = pod.conditions?.find(
    ({ type, status }) => onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? "True") === status)
  );
  return condition === void 0 ? null : { condition: condition.type };
}
function isAmong({ operator, values }, code) {
  if (operator === "In") return values.includes(code);
  return operator === "NotIn" && !values.includes(code);
}

// workflows/job/decide/policies/backoff-limit-per-index.ts
function isPerIndex({ backoffLimitPerIndex }) {
  return backoffLimitPerIndex !== void 0;
}
function failsIndex(spec, pod) {
  const action = failureMatchOf(spec, pod)?.action;
  if (action === "Ignore") return false;
  return action === "FailIndex" || (pod.failureCount ?? 0) >= (spec.backoffLimitPerIndex ?? Infinity);
}
function retryOfIndexAt(pod, settings) {
  const failures = (pod.failureCount ?? 0) + (pod.ignoredFailureCount ?? 0) + 1;
  return (pod.finished ?? 0) * 1e3 + delayAfter(failures, settings);
}
function failureAnnotations(spec, replaced) {
  const isCounted = replaced !== void 0 && !isIgnored(spec, replaced);
  const failures = (replaced?.failureCount ?? 0) + (isCounted ? 1 : 0);
  const ignored = (replaced?.ignoredFailureCount ?? 0) + (replaced === void 0 || isCounted ? 0 : 1);
  return {
    [INDEX_FAILURE_COUNT]: String(failures),
    ...ignored > 0 && { [INDEX_IGNORED_FAILURE_COUNT]: String(ignored) }
  };
}
function outlasts(later, chosen) {
  return failuresBefore(later) >= failuresBefore(chosen) && (later.finished ?? 0) >= (chosen.finished ?? 0);
}
function failedIndexesLimitReached({
  job,
  indexes
}) {
  if (indexes === null || indexes.failed === null || indexes.failed.length === 0) return null;
  const failed = sizeOf(indexes.failed);
  const { maxFailedIndexes = Infinity, completions = 0 } = job.spec;
  if (failed > maxFailedIndexes) {
    const words2 = `${failed} failed indexes, the limit is ${maxFailedIndexes}`;
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return ending("MaxFailedIndexesExceeded", message, words2);
  }
  const succeeded = sizeOf(indexes.completed);
  if (failed + succeeded < completions) return null;
  const words = `${failed} indexes failed, ${succeeded} succeeded of ${completions}`;
  return ending("FailedIndexes", "Job has failed indexes", words);
}
function failuresBefore({ failureCount = 0, ignoredFailureCount = 0 }) {
  return failureCount + ignoredFailureCount;
}
function ending(reason, message, words) {
  return { type: "Failed", reason, message, isStored: false, why: { rule: "J-6.20", words } };
}

// workflows/job/decide/policies/backoff-limit.ts
var DEFAULT_LIMIT = 6;
function backoffLimitReached(tally) {
  const limit = tally.job.spec.backoffLimit ?? DEFAULT_LIMIT;
  if (tally.failed > limit) return ending2("J-6.1", `${tally.failed} failed pods, the limit is ${limit}`);
  const restarts = restartsOf(tally);
  if (tally.job.restartPolicy === "OnFailure" && restarts > 0 && restarts >= limit) {
    return ending2("J-6.4", `${restarts} container restarts, the limit is ${limit}`);
  }
  return null;
}
function restartsOf({ active, terminating }) {
  return [...active, ...terminating].filter(({ pod }) => pod.phase === void 0 || pod.phase === "Pending").reduce((sum, { pod }) => sum + (pod.restarts ?? 0), 0);
}
function ending2(rule, words) {
  return {
    type: "Failed",
    reason: "BackoffLimitExceeded",
    message: "Job has reached the specified backoff limit",
    isStored: false,
    why: { rule, words }
  };
}

// workflows/job/decide/policies/deadline.ts
function deadlineOf({ job, activeSince }) {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === void 0 || activeSince === null) return null;
  const end = Date.parse(activeSince) + activeDeadlineSeconds * 1e3;
  return end > LAST_INSTANT ? null : end;
}
function deadlinePassed(tally) {
  const deadline = deadlineOf(tally);
  if (deadline === null || tally.now < deadline) return null;
  return {
    type: "Failed",
    reason: "DeadlineExceeded",
    message: "Job was active longer than specified deadline",
    isStored: false,
    why: { rule: "J-6.5", words: `the deadline passed at ${isoTime(deadline)}` }
  };
}

// workflows/job/decide/policies/failing-with-job.ts
function failingWith(state, job, ending3) {
  const { succeeded, failed } = state.owed;
  const owed = /* @__PURE__ */ new Set([...succeeded, ...failed]);
  const delayed2 = new Set(Object.values(state.delayed));
  return Object.entries(state.pods).map(([uid, pod]) => ({ uid, pod })).filter(({ uid, pod }) => pod.counted !== true && pod.untracked !== true && !owed.has(uid)).filter(({ pod }) => pod.claim === void 0 && hasPlace(job.spec, pod.index)).filter(({ uid, pod }) => delayed2.has(uid) || ending3 === "Failed" && !isTerminal(pod.phase)).filter(({ pod }) => !isIgnored(job.spec, pod));
}

// workflows/job/decide/plan.ts
function unchangedPlan({ active, ready, terminating }) {
  return {
    action: "tracking",
    commands: [],
    active: active.length,
    ready,
    terminating: terminating.length,
    failing: [],
    letGo: [],
    ending: null,
    isManaged: false,
    lookAgainAt: null,
    waiting: null
  };
}

// workflows/job/decide/policies/success-policy.ts
function successPolicyMet({ job, indexes }) {
  const { successPolicy, completions = 0 } = job.spec;
  if (indexes === null || successPolicy === void 0 || indexes.completed.length === 0) return null;
  const met = successPolicy.rules.findIndex((rule) => isMet(rule, indexes.completed, completions));
  if (met < 0) return null;
  const message = `Matched rules at index ${met}`;
  const words = `rule ${met} of the success policy is met, ${sizeOf(indexes.completed)} indexes succeeded`;
  const why = { rule: "J-6.31", words };
  return { type: "Complete", reason: "SuccessPolicy", message, isStored: false, why };
}
function isMet({ succeededIndexes, succeededCount }, completed2, completions) {
  const enough = succeededCount ?? Infinity;
  if (succeededIndexes === void 0) return sizeOf(completed2) >= enough;
  const listed = parseIndexes(succeededIndexes, completions);
  return listed.length > 0 && overlapOf(listed, completed2) >= Math.min(enough, sizeOf(listed));
}

// workflows/job/decide/ending.ts
function endingOf(tally) {
  return storedEnding(tally) ?? podFailurePolicyViolated(tally) ?? backoffLimitReached(tally) ?? deadlinePassed(tally) ?? failedIndexesLimitReached(tally) ?? successPolicyMet(tally);
}
function storedEnding({ job }) {
  const success = trueCondition(job.status, INTERIM_CONDITION.Complete);
  const stored = success ?? trueCondition(job.status, INTERIM_CONDITION.Failed);
  if (stored === void 0) return null;
  const { type, reason = "", message = "" } = stored;
  return {
    type: success === void 0 ? "Failed" : "Complete",
    reason,
    message,
    isStored: true,
    why: { rule: "J-3.52", words: `${type} stands: ${message}` }
  };
}
function stopPods(tally, ending3) {
  const { state, job, now, active, terminating } = tally;
  const held = active.length > 0 ? apiErrorDelay(state, now, ["DeletePods"]) : null;
  if (held !== null) return { ...unchangedPlan(tally), action: "reconciling", ...held };
  const refs = (pods) => pods.map(({ uid, pod }) => refOf(job, uid, pod));
  const stopped = active.slice(0, MAX_PODS_IN_COMMAND);
  const left = new Set(active.slice(stopped.length).map(({ uid }) => uid));
  const failing = failingWith(state, job, ending3.type).filter(({ uid }) => !left.has(uid));
  const later = /* @__PURE__ */ new Set([...failing.map(({ uid }) => uid), ...state.owed.failed]);
  const letGo = tally.live.filter(
    ({ uid, pod }) => !later.has(uid) && !left.has(uid) && pod.untracked !== true
  );
  const deletion = {
    kind: "DeletePods",
    untrack: false,
    ...ending3.type === "Complete" && { letGo: true },
    pods: refs(stopped),
    why: ending3.why
  };
  return {
    ...unchangedPlan(tally),
    action: "reconciling",
    commands: stopped.length === 0 ? [] : [deletion],
    active: left.size,
    ready: active.filter(({ uid, pod }) => left.has(uid) && pod.ready !== void 0).length,
    terminating: terminating.length + stopped.length,
    failing: refs(failing),
    letGo: refs(letGo),
    ending: ending3
  };
}

// workflows/job/decide/pods/lost-pods.ts
var UNSEEN_LIMIT = 60;
function findLostPods(state, job, now) {
  const lost = Object.entries(state.pods).filter(([, pod]) => dueAt(pod) <= now).slice(0, MAX_PODS_IN_COMMAND);
  if (lost.length === 0) return null;
  const pods = lost.map(([uid, pod]) => refOf(job, uid, pod));
  return only({
    kind: "LookUpPods",
    pods,
    why: { rule: "J-3.21", words: "created a minute ago and not observed since" }
  });
}
function nextLookUp(state) {
  const next = Object.values(state.pods).reduce((soonest, pod) => Math.min(soonest, dueAt(pod)), Infinity);
  return next === Infinity ? null : next;
}
function dueAt({ unseen, readAt, created, gone }) {
  if (gone === true) return Infinity;
  if (unseen === true) return (created + UNSEEN_LIMIT) * 1e3;
  if (readAt === void 0) return Infinity;
  return (readAt + Math.max(UNSEEN_LIMIT, readAt - created)) * 1e3;
}

// workflows/job/decide/pods/deletion-order.ts
function inDeletionOrder(pods) {
  return pods.toSorted((a, b) => comesBefore(a, b) ? -1 : 1);
}
function comesBefore(a, b) {
  for (const rank of RANKS) {
    const [first, second] = [rank(a), rank(b)];
    if (first < second) return true;
    if (first > second) return false;
  }
  return a.uid < b.uid;
}
var PHASES = ["Unknown", "Running"];
var RANKS = [
  ({ pod }) => pod.unscheduled === true ? 0 : 1,
  ({ pod }) => PHASES.indexOf(pod.phase ?? "Running"),
  ({ pod }) => pod.ready === void 0 ? 0 : 1,
  ({ pod }) => youngerFirst(pod.ready ?? 0),
  ({ pod }) => -(pod.maxRestarts ?? 0),
  ({ pod }) => -(pod.maxSidecarRestarts ?? 0),
  ({ pod }) => youngerFirst(pod.created)
];
function youngerFirst(since) {
  return since === 0 ? -Infinity : -since;
}

// workflows/job/decide/policies/backoff-seconds.ts
function backoffSecondsOf({ annotations, restartPolicy }) {
  return restartPolicy === "OnFailure" ? null : annotations?.backoffSeconds ?? null;
}
function withBackoffSeconds(settings, job) {
  const seconds = backoffSecondsOf(job);
  return seconds === null ? settings : { ...settings, podFailureBackoffMs: seconds * 1e3 };
}

// workflows/job/definitions/pod-replacement.ts
function replacesFailedOnly(spec) {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== void 0;
}
function isConsideredFailed(spec, { phase, deleting }) {
  if (phase === "Failed") return true;
  return deleting === true && phase !== "Succeeded" && !replacesFailedOnly(spec);
}

// workflows/job/decide/pods/index-choice.ts
function chooseIndexes(tally, indexes, count2) {
  const { job, now, settings } = tally;
  const chosen = openIndexes(tally, indexes, count2).map((index) => {
    const replaced = delayedPodOf(tally, index);
    const at = replaced === void 0 ? 0 : retryOfIndexAt(replaced, settings);
    return { index, replaced, at };
  });
  const [first] = chosen.toSorted((a, b) => a.at - b.at);
  return {
    now: chosen.filter(({ at }) => at <= now).map(({ index, replaced }) => ({
      ...nameFor(tally, index),
      index,
      ...isPerIndex(job.spec) && { annotations: failureAnnotations(job.spec, replaced) }
    })),
    later: first === void 0 ? null : { at: first.at, index: first.index }
  };
}
function misplacedPods({ job, active }) {
  if (!isIndexed(job.spec)) return [];
  const best = /* @__PURE__ */ new Map();
  for (const held of active) {
    const index = held.pod.index ?? -1;
    const other = best.get(index);
    if (other === void 0 || comesBefore(other, held)) best.set(index, held);
  }
  const misplaced = active.filter(
    (held) => held.pod.index === void 0 || !hasPlace(job.spec, held.pod.index) || best.get(held.pod.index) !== held
  );
  return inDeletionOrder(misplaced);
}
function openIndexes({ job, active, terminating }, indexes, count2) {
  const holders = replacesFailedOnly(job.spec) ? [...active, ...terminating] : active;
  const held = new Set(holders.map(({ pod }) => pod.index));
  const closed = union(indexes.completed, indexes.failed ?? []);
  return lowestOutside(closed, job.spec.completions ?? 0, count2, (index) => held.has(index));
}
function delayedPodOf({ state }, index) {
  const uid = state.delayed[index];
  return uid === void 0 ? void 0 : state.pods[uid];
}
function nameFor({ job, state }, index) {
  const { next, first } = state.indexOrdinals;
  const ordinal = next[index] ?? first;
  return { ordinal, name: podName(job, ordinal, index) };
}

// workflows/job/decide/pods/manage-pods.ts
function managePods(tally) {
  if (tally.job.deleting) return { ...unchangedPlan(tally), action: "reconciling" };
  const action = tally.suspended ? "pods_deleted" : "tracking";
  const plan = { ...unchangedPlan(tally), action, isManaged: true };
  const held = apiErrorDelay(tally.state, tally.now, ["CreatePods", "DeletePods"]);
  const misplaced = misplacedPods(tally);
  const surplus = surplusOf(tally, misplaced);
  const missing = missingOf(tally);
  if (surplus.length === 0 && missing <= 0) return plan;
  if (held !== null) return { ...plan, action: "reconciling", ...held };
  if (surplus.length > 0) return removing(tally, plan, surplus, misplaced.length);
  const free = backoffEnd(tally.state.backoff, tally.settings);
  if (free !== null && free > tally.now) return delayed(plan, backingOff(tally, free));
  const count2 = Math.min(missing, tally.settings.maxPodsPerSync);
  if (tally.indexes === null) return creating(tally, plan, nextPods(tally, count2));
  const { now, later } = chooseIndexes(tally, tally.indexes, count2);
  if (now.length > 0) return creating(tally, plan, now);
  return later === null ? plan : delayed(plan, delaying(tally, later));
}
function wanted({ job, succeeded, active, suspended }) {
  const { parallelism = 1, completions } = job.spec;
  if (suspended) return 0;
  if (completions === void 0) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}
function surplusOf(tally, misplaced) {
  if (tally.suspended) return tally.active.slice(0, MAX_PODS_IN_COMMAND);
  const others = tally.active.length - wanted(tally) - misplaced.length;
  return [...misplaced, ...firstOf(tally, others, misplaced)].slice(0, tally.settings.maxPodsPerSync);
}
function firstOf(tally, count2, misplaced) {
  if (count2 <= 0) return [];
  const isMisplaced = new Set(misplaced.map(({ uid }) => uid));
  return inDeletionOrder(tally.active.filter(({ uid }) => !isMisplaced.has(uid))).slice(0, count2);
}
function missingOf(tally) {
  const kept = replacesFailedOnly(tally.job.spec) ? tally.terminating.length : 0;
  return wanted(tally) - kept - tally.active.length;
}
function nextPods({ job, state }, count2) {
  return freeOrdinals(state, count2).map((ordinal) => ({ ordinal, name: podName(job, ordinal) }));
}
function creating(tally, plan, pods) {
  const { settings } = tally;
  return {
    ...plan,
    action: "pods_created",
    commands: [
      {
        kind: "CreatePods",
        finalizer: trackingFinalizer(settings.claim),
        pods,
        why: creationReason(tally, pods)
      }
    ],
    active: plan.active + pods.length
  };
}
function freeOrdinals({ nextOrdinal, spentOrdinals }, count2) {
  const spent = new Set(spentOrdinals);
  const free = [];
  for (let ordinal = nextOrdinal; free.length < count2; ordinal += 1)
    if (!spent.has(ordinal)) free.push(ordinal);
  return free;
}
function creationReason(tally, pods) {
  const count2 = pods.length;
  const failures = failuresInARow(tally.state.backoff).length;
  const wish = `${wanted(tally)} wanted, ${tally.active.length} active, ${tally.succeeded} succeeded`;
  const words = `${count2} missing${indexWords(pods)}: ${wish}`;
  if (failures === 0) return { rule: "J-5.13", words };
  return { rule: "J-5.40", words: `${words}; the back-off after ${inWords(failures)} is over` };
}
function indexWords(pods) {
  const indexes = formatIndexes(indexesOf(pods.flatMap(({ index }) => index ?? [])));
  return indexes === "" ? "" : ` (index ${indexes})`;
}
function removing(tally, plan, surplus, misplaced) {
  const why = tally.suspended ? { rule: "J-6.41", words: "the Job is suspended" } : removalReason(tally, misplaced);
  const pods = surplus.map(({ uid, pod }) => refOf(tally.job, uid, pod));
  const deletion = { kind: "DeletePods", untrack: true, pods, why };
  return {
    ...plan,
    action: "pods_deleted",
    commands: [deletion],
    active: plan.active - surplus.length,
    ready: plan.ready - surplus.filter(({ pod }) => pod.ready !== void 0).length,
    terminating: plan.terminating + surplus.length
  };
}
function removalReason(tally, misplaced) {
  const words = `${tally.active.length} active, ${wanted(tally)} wanted`;
  if (misplaced === 0) return { rule: "J-5.12", words };
  return { rule: "J-5.30", words: `${words}, ${misplaced} of no index that is missing` };
}
function delayed(plan, wait) {
  return { ...plan, action: "pods_created", ...wait };
}
function delaying({ job }, { at, index }) {
  const words = `no pod before ${isoTime(at)}: back-off of index ${index}${baseWords(job)}`;
  return { lookAgainAt: at, waiting: { rule: "J-5.44", words } };
}
function backingOff({ state, job }, until) {
  const failures = inWords(failuresInARow(state.backoff).length);
  const words = `no pod before ${isoTime(until)}: back-off after ${failures} in a row${baseWords(job)}`;
  return { lookAgainAt: until, waiting: { rule: "J-5.40", words } };
}
function baseWords(job) {
  const seconds = backoffSecondsOf(job);
  return seconds === null ? "" : `, the first delay is ${seconds} s (${BACKOFF_SECONDS})`;
}
function inWords(failures) {
  return failures === 1 ? "1 failure" : `${failures} failures`;
}

// workflows/job/decide/pods/orphans.ts
function findOrphans(state, job, now) {
  if (job.spec.manualSelector !== true || job.deleting || state.orphansFound) return null;
  const held = apiErrorDelay(state, now, ["LookUpOrphans"]);
  if (held !== null) return { commands: [], ...held };
  const why = {
    rule: "J-3.30",
    words: "the selector is the author\u2019s own: pods may be older than the Job"
  };
  return only({ kind: "LookUpOrphans", selector: job.spec.selector, why });
}

// workflows/job/decide/requests.ts
function answerRequests(state, job, now) {
  const request = state.requests[0];
  if (request === void 0) return null;
  const suspend = request.command === "suspend";
  const refusal = refusalOf(job, suspend);
  if (refusal !== null) {
    return only({
      kind: "RefuseRequest",
      request: request.id,
      why: { rule: "J-6.37", words: `${request.command} by ${request.by} refused: ${refusal}` }
    });
  }
  if (requestHeldUntil(state, now) !== null) return null;
  const why = {
    rule: suspend ? "J-6.41" : "J-6.42",
    words: `${request.command} asked for by ${request.by}`
  };
  return only({ kind: "SetSuspend", suspend, request: request.id, why });
}
function requestHeldUntil(state, now) {
  return state.requests.length === 0 ? null : apiErrorDelay(state, now, ["SetSuspend"])?.lookAgainAt ?? null;
}
function refusalOf(job, suspend) {
  if (job === null) return "the Job does not exist any more";
  if (isFinished(job.status)) return "the Job has finished";
  if (job.deleting) return "the Job is being deleted";
  if ((job.spec.suspend ?? false) === suspend)
    return suspend ? "it is suspended already" : "it is not suspended";
  return null;
}

// ../wt-people/node_modules/@noble/hashes/_u64.js
var fromNumH = (n) => n / 2 ** 32 | 0;
var fromNumL = (n) => n >>> 0;
function setU64FromNum(view, byteOffset, n, isLE) {
  const h = fromNumH(n);
  const l = fromNumL(n);
  view.setUint32(byteOffset, isLE ? l : h, isLE);
  view.setUint32(byteOffset + 4, isLE ? h : l, isLE);
}

// ../wt-people/node_modules/@noble/hashes/utils.js
function isBytes(a) {
  return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
var atitle = (title) => title ? `"${title}" ` : "";
function anumber(n, title = "") {
  if (typeof n !== "number")
    throw new TypeError(atitle(title) + "expected number, got " + typeof n);
  if (!Number.isSafeInteger(n) || n < 0)
    throw new RangeError(atitle(title) + "expected integer >= 0, got " + n);
  return n;
}
function abytes(value, length, title = "") {
  if (isBytes(value) && (length === void 0 || value.length === length))
    return value;
  if (length !== void 0)
    anumber(length, "length");
  const bytes = isBytes(value);
  const ofLen = length !== void 0 ? ` of length ${length}` : "";
  const got = bytes ? `length=${value.length}` : `type=${typeof value}`;
  const message = atitle(title) + "expected Uint8Array" + ofLen + ", got " + got;
  if (!bytes)
    throw new TypeError(message);
  throw new RangeError(message);
}
var aobject = (value, label) => {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new TypeError((label === "object" ? "" : `"${label}" `) + "expected object, got type=" + typeof value);
};
var aopts = (value, label) => {
  aobject(value, label);
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null)
    throw new TypeError(`"${label}" expected plain object`);
  if (Object.hasOwn(value, "__proto__"))
    throw new TypeError(`"${label}.__proto__" is not allowed`);
};
function aexists(instance, checkFinished = true) {
  if (instance.destroyed)
    throw new Error("hash was destroyed");
  if (checkFinished && instance.finished)
    throw new Error("digest() was already called");
}
function aoutput(out, instance) {
  abytes(out, void 0, "output");
  const min = instance.outputLen;
  if (!(out.length >= min)) {
    throw new RangeError('"output" expected length >= ' + min);
  }
}
function clean(...arrays) {
  for (let i = 0; i < arrays.length; i++) {
    arrays[i].fill(0);
  }
}
function createView(arr) {
  return new DataView(arr.buffer, arr.byteOffset, arr.byteLength);
}
function rotr(word, shift) {
  return word << 32 - shift | word >>> shift;
}
var hasHexBuiltin = /* @__PURE__ */ (() => (
  // @ts-ignore
  typeof Uint8Array.from([]).toHex === "function" && typeof Uint8Array.fromHex === "function"
))();
var hexes = /* @__PURE__ */ Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
function bytesToHex(bytes) {
  abytes(bytes);
  if (hasHexBuiltin)
    return bytes.toHex();
  let hex = "";
  for (let i = 0; i < bytes.length; i++) {
    hex += hexes[bytes[i]];
  }
  return hex;
}
function utf8ToBytes(str) {
  if (typeof str !== "string")
    throw new TypeError("string expected");
  const encoded = new TextEncoder().encode(str);
  try {
    return new Uint8Array(encoded);
  } finally {
    clean(encoded);
  }
}
function checkOpts(defaults, opts, title = "opts") {
  aopts(defaults, "defaults");
  if (opts !== void 0)
    aopts(opts, title);
  const merged = Object.assign(/* @__PURE__ */ Object.create(null), defaults, opts);
  return merged;
}
function createHasher(hashCons, info = {}) {
  if (typeof hashCons !== "function")
    throw new TypeError('"hashCons" expected function, got type=' + typeof hashCons);
  info = checkOpts({}, info, "info");
  const hashC = (msg, opts) => hashCons(opts).update(msg).digest();
  const tmp = hashCons(void 0);
  hashC.outputLen = tmp.outputLen;
  hashC.blockLen = tmp.blockLen;
  hashC.canXOF = tmp.canXOF;
  hashC.create = (opts) => hashCons(opts);
  Object.assign(hashC, info);
  return Object.freeze(hashC);
}
var oidNist = (suffix) => ({
  // Current NIST hashAlgs suffixes used here fit in one DER subidentifier octet.
  // Larger suffix values would need base-128 OID encoding and a different length byte.
  oid: Uint8Array.from([6, 9, 96, 134, 72, 1, 101, 3, 4, 2, suffix])
});

// ../wt-people/node_modules/@noble/hashes/_md.js
function Chi(a, b, c) {
  return a & b ^ ~a & c;
}
function Maj(a, b, c) {
  return a & b ^ a & c ^ b & c;
}
var HashMD = class {
  blockLen;
  outputLen;
  canXOF = false;
  padOffset;
  isLE;
  // For partial updates less than block size
  buffer;
  view;
  finished = false;
  length = 0;
  pos = 0;
  destroyed = false;
  constructor(blockLen, outputLen, padOffset, isLE) {
    this.blockLen = blockLen;
    this.outputLen = outputLen;
    this.padOffset = padOffset;
    this.isLE = isLE;
    this.buffer = new Uint8Array(blockLen);
    this.view = createView(this.buffer);
  }
  update(data) {
    aexists(this);
    abytes(data);
    const { view, buffer, blockLen } = this;
    const len = data.length;
    let processed = false;
    for (let pos = 0; pos < len; ) {
      const take = Math.min(blockLen - this.pos, len - pos);
      if (take === blockLen) {
        const dataView = createView(data);
        for (; blockLen <= len - pos; pos += blockLen)
          this.process(dataView, pos);
        processed = true;
        continue;
      }
      buffer.set(pos === 0 && take === len ? data : data.subarray(pos, pos + take), this.pos);
      this.pos += take;
      pos += take;
      if (this.pos === blockLen) {
        this.process(view, 0);
        this.pos = 0;
        processed = true;
      }
    }
    this.length += data.length;
    if (processed)
      this.roundClean();
    return this;
  }
  digestInto(out) {
    aexists(this);
    aoutput(out, this);
    this.finished = true;
    const { buffer, view, blockLen, isLE } = this;
    let { pos } = this;
    buffer[pos++] = 128;
    buffer.fill(0, pos);
    if (this.padOffset > blockLen - pos) {
      this.process(view, 0);
      buffer.fill(0);
    }
    setU64FromNum(view, blockLen - 8, this.length * 8, isLE);
    this.process(view, 0);
    this.roundClean();
    const oview = out === buffer ? view : createView(out);
    const len = this.outputLen;
    const outLen = len / 4;
    const state = this.get();
    if (len % 4 || outLen > state.length)
      throw new Error("invalid outputLen");
    for (let i = 0; i < outLen; i++)
      oview.setUint32(4 * i, state[i], isLE);
  }
  digest() {
    const { buffer, outputLen } = this;
    this.digestInto(buffer);
    const res = buffer.slice(0, outputLen);
    this.destroy();
    return res;
  }
  _cloneIntoMeta(to) {
    const { buffer, length, finished, destroyed, pos } = this;
    to.destroyed = destroyed;
    to.finished = finished;
    to.length = length;
    to.pos = pos;
    if (pos)
      to.buffer.set(buffer);
    return to;
  }
  clone() {
    return this._cloneInto();
  }
};
var SHA256_IV = /* @__PURE__ */ Uint32Array.from([
  1779033703,
  3144134277,
  1013904242,
  2773480762,
  1359893119,
  2600822924,
  528734635,
  1541459225
]);

// ../wt-people/node_modules/@noble/hashes/sha2.js
var SHA256_K = /* @__PURE__ */ Uint32Array.from([
  1116352408,
  1899447441,
  3049323471,
  3921009573,
  961987163,
  1508970993,
  2453635748,
  2870763221,
  3624381080,
  310598401,
  607225278,
  1426881987,
  1925078388,
  2162078206,
  2614888103,
  3248222580,
  3835390401,
  4022224774,
  264347078,
  604807628,
  770255983,
  1249150122,
  1555081692,
  1996064986,
  2554220882,
  2821834349,
  2952996808,
  3210313671,
  3336571891,
  3584528711,
  113926993,
  338241895,
  666307205,
  773529912,
  1294757372,
  1396182291,
  1695183700,
  1986661051,
  2177026350,
  2456956037,
  2730485921,
  2820302411,
  3259730800,
  3345764771,
  3516065817,
  3600352804,
  4094571909,
  275423344,
  430227734,
  506948616,
  659060556,
  883997877,
  958139571,
  1322822218,
  1537002063,
  1747873779,
  1955562222,
  2024104815,
  2227730452,
  2361852424,
  2428436474,
  2756734187,
  3204031479,
  3329325298
]);
var SHA256_W = /* @__PURE__ */ new Uint32Array(64);
var SHA2_32B = class extends HashMD {
  // We cannot use array here since array allows indexing by variable
  // which means optimizer/compiler cannot use registers.
  // Numeric initializers matter: starting the fields as `undefined` changes
  // V8's field representation and makes sha256 3x slower (measured).
  A = 0;
  B = 0;
  C = 0;
  D = 0;
  E = 0;
  F = 0;
  G = 0;
  H = 0;
  constructor(outputLen, IV) {
    super(64, outputLen, 8, false);
    this.A = IV[0] | 0;
    this.B = IV[1] | 0;
    this.C = IV[2] | 0;
    this.D = IV[3] | 0;
    this.E = IV[4] | 0;
    this.F = IV[5] | 0;
    this.G = IV[6] | 0;
    this.H = IV[7] | 0;
  }
  get() {
    const { A, B, C, D, E, F, G, H } = this;
    return [A, B, C, D, E, F, G, H];
  }
  // prettier-ignore
  set(A, B, C, D, E, F, G, H) {
    this.A = A | 0;
    this.B = B | 0;
    this.C = C | 0;
    this.D = D | 0;
    this.E = E | 0;
    this.F = F | 0;
    this.G = G | 0;
    this.H = H | 0;
  }
  _cloneInto(to) {
    (to ||= new this.constructor()).set(...this.get());
    return this._cloneIntoMeta(to);
  }
  process(view, offset) {
    for (let i = 0; i < 16; i++, offset += 4)
      SHA256_W[i] = view.getUint32(offset, false);
    for (let i = 16; i < 64; i++) {
      const W15 = SHA256_W[i - 15];
      const W2 = SHA256_W[i - 2];
      const s0 = rotr(W15, 7) ^ rotr(W15, 18) ^ W15 >>> 3;
      const s1 = rotr(W2, 17) ^ rotr(W2, 19) ^ W2 >>> 10;
      SHA256_W[i] = s1 + SHA256_W[i - 7] + s0 + SHA256_W[i - 16] | 0;
    }
    let { A, B, C, D, E, F, G, H } = this;
    for (let i = 0; i < 64; i++) {
      const sigma1 = rotr(E, 6) ^ rotr(E, 11) ^ rotr(E, 25);
      const T1 = H + sigma1 + Chi(E, F, G) + SHA256_K[i] + SHA256_W[i] | 0;
      const sigma0 = rotr(A, 2) ^ rotr(A, 13) ^ rotr(A, 22);
      const T2 = sigma0 + Maj(A, B, C) | 0;
      H = G;
      G = F;
      F = E;
      E = D + T1 | 0;
      D = C;
      C = B;
      B = A;
      A = T1 + T2 | 0;
    }
    A = A + this.A | 0;
    B = B + this.B | 0;
    C = C + this.C | 0;
    D = D + this.D | 0;
    E = E + this.E | 0;
    F = F + this.F | 0;
    G = G + this.G | 0;
    H = H + this.H | 0;
    this.set(A, B, C, D, E, F, G, H);
  }
  roundClean() {
    clean(SHA256_W);
  }
  destroy() {
    this.destroyed = true;
    this.set(0, 0, 0, 0, 0, 0, 0, 0);
    clean(this.buffer);
  }
};
var _SHA256 = class extends SHA2_32B {
  constructor() {
    super(32, SHA256_IV);
  }
};
var sha256 = /* @__PURE__ */ createHasher(
  () => new _SHA256(),
  /* @__PURE__ */ oidNist(1)
);

// workflows/job/record/digest.ts
var DIGITS = 16;
function canonicalJson(value) {
  const ordered = inKeyOrder(value);
  try {
    return JSON.stringify(ordered);
  } catch {
    return textOf(ordered);
  }
}
function textOf(value) {
  if (typeof value === "bigint") return String(value);
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  const members = Object.entries(value).filter(([, part]) => part !== void 0);
  return `{${members.map(([key, part]) => `${JSON.stringify(key)}:${textOf(part)}`).join(",")}}`;
}
function isSameJson(a, b) {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return Object.keys(a).every((key) => isSameJson(a[key], b[key])) && Object.keys(b).every((key) => b[key] === void 0 || a[key] !== void 0);
}
function digestOf(value) {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value)))).slice(0, DIGITS);
}
function inKeyOrder(value) {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(inKeyOrder);
  return Object.fromEntries(
    Object.keys(value).sort().map((key) => [key, inKeyOrder(value[key])])
  );
}
function isObject(value) {
  return typeof value === "object" && value !== null;
}

// workflows/job/decide/policies/suspension.ts
function keepUpSuspended({ suspended, now }, draft) {
  const stored = draft.conditions.find((condition) => condition.type === "Suspended");
  const wanted2 = suspended ? { status: "True", reason: "JobSuspended", message: "Job suspended" } : { status: "False", reason: "JobResumed", message: "Job resumed" };
  if (!suspended && stored === void 0) return null;
  if (stored?.status === wanted2.status && stored.reason === wanted2.reason && stored.message === wanted2.message)
    return null;
  const at = apiTime(now);
  draft.conditions = withCondition(draft.conditions, conditionAt(at, { type: "Suspended", ...wanted2 }));
  draft.startTime = suspended ? void 0 : at;
  return { type: "Normal", reason: suspended ? "Suspended" : "Resumed", message: wanted2.message };
}

// workflows/job/decide/tally.ts
function tallyOf(state, job, now, settings) {
  const suspended = job.spec.suspend ?? false;
  const pods = Object.entries(state.pods).map(([uid, pod]) => ({ uid, pod })).filter(({ pod }) => isLive(pod));
  const active = pods.filter(({ pod }) => isActive(pod));
  const uncounted = uncountedOf(job);
  const indexes = isIndexed(job.spec) ? indexesIn(state, job) : null;
  const newSucceeded = state.owed.succeeded.slice(0, settings.maxUncountedPods);
  const newFailed = state.owed.failed.slice(0, settings.maxUncountedPods - newSucceeded.length);
  return {
    state,
    job,
    now,
    settings: withBackoffSeconds(settings, job),
    suspended,
    activeSince: suspended ? null : job.status.startTime ?? apiTime(now),
    live: pods,
    active,
    terminating: pods.filter(({ pod }) => isTerminating(pod)),
    ready: active.filter(({ pod }) => pod.ready !== void 0).length,
    newSucceeded,
    newFailed,
    isCapped: newSucceeded.length + newFailed.length < state.owed.succeeded.length + state.owed.failed.length,
    succeeded: indexes === null ? (job.status.succeeded ?? 0) + uncounted.succeeded + state.owed.succeeded.length : sizeOf(indexes.completed),
    failed: (job.status.failed ?? 0) + uncounted.failed + state.owed.failed.length + delayedIn(state, job),
    indexes
  };
}
function indexesIn({ owed, pods }, job) {
  const known = failedOn(job);
  const succeeded = owed.succeeded.flatMap((uid) => pods[uid]?.index ?? []).filter((index) => hasPlace(job.spec, index) && !contains(known, index));
  const completed2 = union(completedOn(job), indexesOf(succeeded));
  if (!isPerIndex(job.spec)) return { completed: completed2, failed: null };
  const failed = owed.failed.flatMap((uid) => pods[uid] ?? []).filter((pod) => hasPlace(job.spec, pod.index) && failsIndex(job.spec, pod)).flatMap(({ index }) => index ?? []).filter((index) => !contains(completed2, index));
  return { completed: completed2, failed: union(known, indexesOf(failed)) };
}
function delayedIn({ delayed: delayed2, pods }, { spec }) {
  return Object.values(delayed2).filter((uid) => {
    const pod = pods[uid];
    return pod !== void 0 && !isIgnored(spec, pod);
  }).length;
}
function uncountedOf(job) {
  const lists = job.status.uncountedTerminatedPods;
  return { succeeded: lists?.succeeded?.length ?? 0, failed: lists?.failed?.length ?? 0 };
}

// workflows/job/decide/status.ts
function conclude(tally, plan) {
  const counted = countedBy(tally, plan);
  const draft = draftOf(tally);
  const events = finishOrGoOn(tally, plan, counted, draft);
  const to = nextStatus(tally, plan, counted, draft);
  const release = releasesBefore(tally, counted);
  const isDue = !isSame(tally.job.status, to);
  const held = isDue || release.length > 0 ? apiErrorDelay(tally.state, tally.now, ["WriteStatus", "ReleasePods"]) : null;
  const commands = [...plan.commands];
  if (held === null) {
    const isReleased = new Set(release.map(({ uid }) => uid));
    const isCounted = new Set(counted.failed);
    const failing = plan.failing.filter(({ uid }) => isCounted.has(uid));
    const after = [...failing, ...plan.letGo].filter(({ uid }) => !isReleased.has(uid)).slice(0, Math.max(failing.length, MAX_PODS_IN_COMMAND));
    commands.push(...released(release, countingReason(counted)));
    if (isDue) commands.push(writeOf(tally, plan, counted, to));
    commands.push(...released(after, { rule: "J-4.5", words: "the Job ends" }));
    if (events.length > 0)
      commands.push({ kind: "EmitEvents", events, why: { rule: "J-7.2", words: "told on the Job" } });
  }
  return { commands, ...outlook(tally, plan, held), action: held === null ? plan.action : "reconciling" };
}
function countedBy({ newSucceeded, newFailed, settings }, plan) {
  const room = settings.maxUncountedPods - newSucceeded.length - newFailed.length;
  const failing = plan.failing.slice(0, room).map(({ uid }) => uid);
  return { succeeded: newSucceeded, failed: [...newFailed, ...failing] };
}
function draftOf({ job: { status }, activeSince }) {
  const { conditions = [], startTime = activeSince ?? void 0, completionTime } = status;
  return { conditions, startTime, completionTime };
}
function finishOrGoOn(tally, plan, counted, draft) {
  const { ending: ending3 } = plan;
  if (ending3 === null) {
    const event = plan.isManaged ? keepUpSuspended(tally, draft) : null;
    return event === null ? [] : [event];
  }
  const interim = INTERIM_CONDITION[ending3.type];
  const at = apiTime(tally.now);
  if (!ending3.isStored) draft.conditions = withCondition(draft.conditions, conditionOf(interim, ending3, at));
  if (!isTerminalNow(tally, plan, counted)) return [];
  draft.conditions = withCondition(draft.conditions, conditionOf(ending3.type, ending3, at));
  closeTimes(tally, ending3, draft);
  return endingEvents(tally, ending3);
}
function conditionOf(type, { reason, message }, at) {
  return conditionAt(at, { type, status: "True", reason, message });
}
function isTerminalNow(tally, plan, counted) {
  const isAllCounted = !tally.isCapped && plan.failing.every(({ uid }) => counted.failed.includes(uid));
  return isAllCounted && plan.active === 0 && plan.terminating === 0;
}
function closeTimes({ job, suspended, now }, ending3, draft) {
  const needsNone = suspended && job.spec.completions === 0;
  if (!needsNone) draft.startTime ??= apiTime(now);
  if (ending3.type === "Complete")
    draft.completionTime = apiTime(Math.max(now, Date.parse(draft.startTime ?? apiTime(now))));
}
function endingEvents({ job, succeeded }, ending3) {
  if (ending3.type === "Failed") return [{ type: "Warning", reason: ending3.reason, message: ending3.message }];
  const completed2 = { type: "Normal", reason: "Completed", message: "Job completed" };
  if (job.spec.completions === void 0 || succeeded <= job.spec.completions) return [completed2];
  const message = "Too many succeeded pods running after completion count reached";
  return [{ type: "Warning", reason: "TooManySucceededPods", message }, completed2];
}
function nextStatus(tally, plan, counted, draft) {
  const { job, indexes } = tally;
  const uncounted = uncountedOf(job);
  const succeeded = indexes === null ? (job.status.succeeded ?? 0) + uncounted.succeeded + counted.succeeded.length : tally.succeeded;
  const completed2 = formatIndexes(indexes?.completed ?? []);
  const failed = (job.status.failed ?? 0) + uncounted.failed + counted.failed.length;
  return {
    ...draft.conditions.length > 0 && { conditions: draft.conditions },
    ...draft.startTime !== void 0 && { startTime: draft.startTime },
    ...draft.completionTime !== void 0 && { completionTime: draft.completionTime },
    ...plan.active > 0 && { active: plan.active },
    ready: plan.ready,
    terminating: plan.terminating,
    ...succeeded > 0 && { succeeded },
    ...failed > 0 && { failed },
    ...completed2 !== "" && { completedIndexes: completed2 },
    ...indexes !== null && indexes.failed !== null && { failedIndexes: formatIndexes(indexes.failed) },
    uncountedTerminatedPods: {}
  };
}
function isSame(from, to) {
  return isSameJson(comparable(from), comparable(to));
}
function comparable({ startTime: _startTime, uncountedTerminatedPods, ...status }) {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return { ...status, uncounted: [...succeeded, ...failed] };
}
function releasesBefore({ state, job }, counted) {
  let room = MAX_PODS_IN_COMMAND;
  const owed = /* @__PURE__ */ new Set([...state.owed.succeeded, ...state.owed.failed]);
  const now = /* @__PURE__ */ new Set([...counted.succeeded, ...counted.failed]);
  return Object.entries(state.pods).filter(([, pod]) => pod.untracked !== true && pod.claim === void 0).filter(([uid, pod]) => {
    if (owed.has(uid)) return now.has(uid);
    if (now.has(uid) && isTerminal(pod.phase)) return true;
    const isNotCounted = pod.counted === true || pod.letGo === true || job.deleting || isOutside(job, pod);
    if (isNotCounted) room -= 1;
    return isNotCounted && room >= 0;
  }).map(([uid, pod]) => refOf(job, uid, pod));
}
function isOutside({ spec }, pod) {
  return !hasPlace(spec, pod.index) && (pod.phase === "Succeeded" || isConsideredFailed(spec, pod));
}
function released(pods, why) {
  return pods.length === 0 ? [] : [{ kind: "ReleasePods", pods, why }];
}
function countingReason({ succeeded, failed }) {
  return { rule: "J-4.11", words: `counted now: ${succeeded.length} succeeded, ${failed.length} failed` };
}
function writeOf({ job }, { ending: ending3 }, counted, to) {
  const why = ending3?.why ?? (counted.succeeded.length + counted.failed.length > 0 ? countingReason(counted) : STATUS_REASON);
  return { kind: "WriteStatus", resourceVersion: job.resourceVersion, from: job.status, to, counted, why };
}
var STATUS_REASON = { rule: "J-3.50", words: "active, ready, terminating or a condition changed" };
function outlook(tally, plan, held) {
  const deadline = plan.ending === null ? deadlineOf(tally) : null;
  const request = requestHeldUntil(tally.state, tally.now);
  const times = [plan.lookAgainAt, held?.lookAgainAt ?? null, deadline, request, nextLookUp(tally.state)];
  const isEnding = plan.ending !== null && plan.terminating > 0;
  const waiting = held === null ? plan.waiting : held.waiting;
  return {
    lookAgainAt: times.reduce(earlier, null),
    waiting: waiting ?? (isEnding ? { rule: "J-6.39", words: "the Job ends when its terminating pods are gone" } : null)
  };
}

// workflows/job/decide/decide.ts
function decide(state, now, settings) {
  const { job } = state;
  if (job !== null && !isOurs(settings, job.spec.managedBy)) return ofAnother(state, job, now, settings);
  if (job === null || state.jobGone) return answerRequests(state, null, now) ?? withoutJob(state, now);
  return answerRequests(state, job, now) ?? afterTheEnd(state, job, now, settings) ?? refuseUnknownMode(state, job) ?? claimPods(state, job, now, settings) ?? findOrphans(state, job, now) ?? findLostPods(state, job, now) ?? heedAnnotations(state, job, now, settings, sync(tallyOf(state, job, now, settings)));
}
function sync(tally) {
  const ending3 = endingOf(tally);
  const plan = ending3 === null ? managePods(tally) : stopPods(tally, ending3);
  return conclude(tally, manageCompletion(tally, plan));
}

// workflows/job/record/decision-id.ts
var CORE_VERSION = "4";
function decisionId(content) {
  return `${content.cluster}/${content.jobUid}/decision/${content.number}/${content.chain.slice(0, 8)}/${digestOf(content)}`;
}
function foldedId(decision, part) {
  return `${decision}/folded/${part}`;
}

// workflows/job/record/decision-records.ts
var FOLDED_IN_ONE = 500;
function isNewsBy(core, state, verdict) {
  return verdict.commands.length > 0 || !isSameJson(verdict.waiting, state.waiting) || state.last !== null && state.last.core !== core;
}
function decisionRecords({ type, of, subject, chain, core }, { last, folded }, { commands, lookAgainAt, waiting }, now, settings, idOf) {
  const number = (last?.number ?? 0) + 1;
  const parts = partsOf(folded);
  const before = parts.slice(0, -1).map((each, part) => {
    const data2 = { ...of, chain, number, part, folded: each };
    return { digest: digestOf(data2), data: data2 };
  });
  const data = {
    ...of,
    number,
    predecessor: last?.id ?? null,
    chain,
    now,
    core,
    settings,
    folded: parts.at(-1) ?? [],
    foldedBefore: before.map(({ digest }) => digest),
    commands,
    lookAgainAt,
    waiting
  };
  const id = idOf(data);
  const envelope = { source: `jobledger/${of.cluster}`, subject };
  return {
    folded: before.map((part, at) => ({
      ...envelope,
      id: foldedId(id, at),
      type: `${type}.folded`,
      ...part
    })),
    decided: { ...envelope, id, type: `${type}.decided`, digest: digestOf(data), data }
  };
}
function partsOf(folded) {
  const parts = [];
  for (let at = 0; at < folded.length; at += FOLDED_IN_ONE) parts.push(folded.slice(at, at + FOLDED_IN_ONE));
  return parts;
}

// workflows/job/record/decision-record.ts
function isNews(state, verdict) {
  return isNewsBy(CORE_VERSION, state, verdict);
}
function decisionRecord({ cluster, jobUid, subject, chain }, state, verdict, now, settings) {
  const origin = { type: "job", of: { cluster, jobUid }, subject, chain, core: CORE_VERSION };
  return decisionRecords(origin, state, verdict, now, settings, decisionId);
}

// workflows/job/definitions/resource-version.ts
function compareVersions(a, b) {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

// workflows/job/evolve/draft.ts
function draftOf2(state) {
  return {
    ...state,
    marks: { ...state.marks },
    pods: copyOf(state.pods),
    owed: { succeeded: [...state.owed.succeeded], failed: [...state.owed.failed] },
    written: copyOf(state.written),
    backoff: { ...state.backoff, failures: [...state.backoff.failures] },
    delayed: copyOf(state.delayed),
    keptPods: copyOf(state.keptPods),
    indexOrdinals: { ...state.indexOrdinals, next: copyOf(state.indexOrdinals.next) },
    requests: [...state.requests],
    requested: [...state.requested],
    folded: [...state.folded],
    derived: { podsByIndex: null, awaiting: null, ownVersions: null, spent: null, finished: null }
  };
}
function stateOf({ derived, ...state }) {
  const spentOrdinals = [...derived.spent ?? state.spentOrdinals];
  return { ...state, spentOrdinals: spentOrdinals.filter((ordinal) => ordinal >= state.nextOrdinal) };
}
function spendOrdinal(draft, ordinal, index) {
  if (index !== void 0) return spendOrdinalOf(draft, index, ordinal);
  if (ordinal < draft.nextOrdinal) return;
  const spent = draft.derived.spent ??= new Set(draft.spentOrdinals);
  spent.add(ordinal);
  while (spent.delete(draft.nextOrdinal)) draft.nextOrdinal += 1;
}
function spendOrdinalOf(draft, index, ordinal) {
  const { next, first } = draft.indexOrdinals;
  next[index] = Math.max(next[index] ?? first, ordinal + 1);
  draft.nextOrdinal = Math.max(draft.nextOrdinal, ordinal + 1);
}
function putPod({ pods, derived: { podsByIndex } }, uid, pod) {
  pods[uid] = pod;
  if (podsByIndex !== null) note(podsByIndex, uid, pod.index);
}
function podsOfIndex({ pods, derived }, index) {
  derived.podsByIndex ??= indexed(pods);
  const uids = derived.podsByIndex.get(index) ?? [];
  return [...uids].filter((uid) => pods[uid]?.index === index);
}
function awaitedBy({ owed, derived }, uid) {
  derived.awaiting ??= new Map([
    ...owed.succeeded.map((each) => [each, "succeeded"]),
    ...owed.failed.map((each) => [each, "failed"])
  ]);
  return derived.awaiting.get(uid);
}
function addAwaiting({ owed, derived }, counter, uid) {
  owed[counter].push(uid);
  derived.awaiting?.set(uid, counter);
}
function removeAwaiting(draft, uids) {
  const removed = new Set(uids.filter((uid) => awaitedBy(draft, uid) !== void 0));
  if (removed.size === 0) return;
  const isLeft = (uid) => !removed.has(uid);
  draft.owed.succeeded = draft.owed.succeeded.filter(isLeft);
  draft.owed.failed = draft.owed.failed.filter(isLeft);
  for (const uid of removed) draft.derived.awaiting?.delete(uid);
}
function noteWritten({ written, derived }, uid, version) {
  written[uid] = version;
  if (version === "gone" || derived.ownVersions === null) return;
  const last = derived.ownVersions.at(-1);
  if (last === void 0 || compareVersions(last.version, version) <= 0)
    derived.ownVersions.push({ uid, version });
  else derived.ownVersions = null;
}
function forgetWritten({ written, derived }, upTo, except) {
  derived.ownVersions ??= ownVersionsIn(written);
  const end = derived.ownVersions.findIndex(({ version }) => compareVersions(version, upTo) > 0);
  const passed = derived.ownVersions.splice(0, end === -1 ? derived.ownVersions.length : end);
  for (const own of passed) {
    if (written[own.uid] !== own.version) continue;
    if (own.uid === except) derived.ownVersions.unshift(own);
    else delete written[own.uid];
  }
}
function ownVersionsIn(written) {
  return Object.entries(written).filter(([, version]) => version !== "gone").map(([uid, version]) => ({ uid, version })).sort((a, b) => compareVersions(a.version, b.version));
}
function finishedIndexes({ derived }, job) {
  if (derived.finished?.job !== job)
    derived.finished = { job, indexes: { completed: completedOn(job), failed: failedOn(job) } };
  return derived.finished.indexes;
}
function indexed(pods) {
  const podsByIndex = /* @__PURE__ */ new Map();
  for (const [uid, { index }] of Object.entries(pods)) note(podsByIndex, uid, index);
  return podsByIndex;
}
function note(podsByIndex, uid, index) {
  if (index === void 0) return;
  const uids = podsByIndex.get(index);
  if (uids === void 0) podsByIndex.set(index, /* @__PURE__ */ new Set([uid]));
  else uids.add(uid);
}
function copyOf(record) {
  const copy = /* @__PURE__ */ Object.create(null);
  for (const key of Object.keys(record)) copy[key] = record[key];
  return copy;
}

// workflows/job/evolve/await-count.ts
var FAILURES_KEPT = 32;
function awaitCount(draft, uid) {
  const pod = draft.pods[uid];
  const job = draft.job;
  if (pod === void 0 || job === null || draft.jobGone || isFinished(job.status)) return;
  if (pod.claim !== void 0 || pod.letGo === true) return;
  rememberFailJob(draft, job, uid, pod);
  if (pod.untracked === true || pod.counted === true || awaitedBy(draft, uid) !== void 0) return;
  if (!hasPlace(job.spec, pod.index)) return;
  if (pod.phase === "Succeeded") succeed(draft, job, uid, pod);
  else if (isConsideredFailed(job.spec, pod)) fail(draft, job, uid, pod);
  else if (isSeenActive(pod)) endDelay(draft, pod.index);
}
function endDelayOf(draft, uid) {
  const index = draft.pods[uid]?.index;
  if (index !== void 0 && draft.delayed[index] === uid) endDelay(draft, index);
}
function forgetDelay(draft, uid, { index }) {
  if (index !== void 0 && draft.delayed[index] === uid) delete draft.delayed[index];
}
function reviewDelays(draft, job) {
  for (const [index, uid] of Object.entries(draft.delayed)) {
    if (!hasPlace(job.spec, Number(index))) delete draft.delayed[index];
    else if (isDoneWith(draft, job, Number(index))) endDelayOf(draft, uid);
  }
}
function rememberFailJob(draft, job, uid, pod) {
  if (pod.phase !== "Failed") return;
  const name = `${job.namespace}/${refOf(job, uid, pod).name}`;
  const message = failJobMessage(job.spec, pod, name);
  if (message === null || draft.failJob !== null && draft.failJob.pod < name) return;
  draft.failJob = { pod: name, message };
}
function succeed(draft, job, uid, pod) {
  draft.backoff.lastSuccess = Math.max(draft.backoff.lastSuccess, (pod.finished ?? 0) * 1e3);
  forgetDelay(draft, uid, pod);
  if (isIndexed(job.spec) && contains(finishedIndexes(draft, job).completed, pod.index ?? -1))
    releaseUncounted(draft, uid);
  else addAwaiting(draft, "succeeded", uid);
  endDelay(draft, pod.index);
}
function fail(draft, job, uid, pod) {
  if (!isPerIndex(job.spec) || pod.index === void 0) {
    const failures = [...draft.backoff.failures, (pod.finished ?? 0) * 1e3];
    draft.backoff.failures = failures.sort((a, b) => b - a).slice(0, FAILURES_KEPT);
    return awaitFailureCount(draft, uid);
  }
  const { index } = pod;
  if (failsIndex(job.spec, pod)) {
    awaitFailureCount(draft, uid);
    return endDelay(draft, index);
  }
  if (isDoneWith(draft, job, index) || hasReplacement(draft, index)) return awaitFailureCount(draft, uid);
  const before = draft.delayed[index];
  const chosen = before === void 0 ? void 0 : draft.pods[before];
  if (before === void 0 || before === uid || chosen === void 0) draft.delayed[index] = uid;
  else if (comesAfter(uid, pod, before, chosen)) {
    endDelay(draft, index);
    draft.delayed[index] = uid;
  } else awaitFailureCount(draft, uid);
}
function comesAfter(uid, pod, other, chosen) {
  if (!outlasts(pod, chosen)) return false;
  return !outlasts(chosen, pod) || uid > other;
}
function awaitFailureCount(draft, uid) {
  const pod = draft.pods[uid];
  if (pod === void 0 || draft.job === null) return;
  if (isIgnored(draft.job.spec, pod)) releaseUncounted(draft, uid);
  else addAwaiting(draft, "failed", uid);
}
function releaseUncounted(draft, uid) {
  const pod = draft.pods[uid];
  if (pod !== void 0) draft.pods[uid] = { ...pod, counted: true };
}
function endDelay(draft, index) {
  const uid = index === void 0 ? void 0 : draft.delayed[index];
  if (index === void 0 || uid === void 0) return;
  delete draft.delayed[index];
  awaitFailureCount(draft, uid);
}
function isDoneWith(draft, job, index) {
  const { completed: completed2, failed } = finishedIndexes(draft, job);
  return job.deleting || contains(completed2, index) || contains(failed, index) || awaitsEndOf(draft, job, index);
}
function awaitsEndOf(draft, { spec }, index) {
  const { succeeded, failed } = draft.owed;
  if (succeeded.length === 0 && failed.length === 0) return false;
  return podsOfIndex(draft, index).some((uid) => {
    const pod = draft.pods[uid];
    const awaited = awaitedBy(draft, uid);
    return awaited === "succeeded" || pod !== void 0 && awaited === "failed" && failsIndex(spec, pod);
  });
}
function hasReplacement(draft, index) {
  return podsOfIndex(draft, index).some((uid) => {
    const pod = draft.pods[uid];
    return pod !== void 0 && isSeenActive(pod);
  });
}
function isSeenActive(pod) {
  return isActive(pod) && pod.unseen !== true;
}

// workflows/job/definitions/selector.ts
function matchesSelector(selector, labels) {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return false;
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every((expression) => matchesExpression(expression, labels[expression.key]));
}
function matchesExpression({ operator, values }, value) {
  switch (operator) {
    case "In":
      return value !== void 0 && values?.includes(value) === true;
    case "NotIn":
      return value === void 0 || values?.includes(value) !== true;
    case "Exists":
      return value !== void 0;
    case "DoesNotExist":
      return value === void 0;
    default:
      return false;
  }
}

// workflows/job/evolve/evolve-pod.ts
function foldPod(draft, pod) {
  if (isRepeat(draft, pod)) return endOlder(draft, pod);
  const { resourceVersion, listedAt } = pod;
  markPods(draft, listedAt ?? resourceVersion, pod.uid);
  if (listedAt !== void 0) draft.marks.listed = resourceVersion;
  if (isOlderThanOurs(draft, pod)) {
    endOlder(draft, pod);
    return true;
  }
  delete draft.written[pod.uid];
  placePod(draft, pod);
  return true;
}
function isRepeat({ marks }, { resourceVersion, listedAt }) {
  if (listedAt === void 0) return compareVersions(resourceVersion, marks.pods) <= 0;
  const order = compareVersions(listedAt, marks.pods);
  return order < 0 || order === 0 && compareVersions(resourceVersion, marks.listed) <= 0;
}
function foldPodGone(draft, gone) {
  const known = draft.pods[gone.uid];
  const isKnown = known !== void 0 && known.gone !== true || draft.written[gone.uid] !== void 0 || draft.keptPods[gone.uid] !== void 0;
  if (!isKnown && compareVersions(gone.resourceVersion, draft.marks.pods) <= 0) return false;
  markPods(draft, gone.resourceVersion, gone.uid);
  delete draft.written[gone.uid];
  removePod(draft, gone.uid);
  return true;
}
function placePod(draft, pod) {
  const claim = claimOf(draft.job, pod);
  if (claim === "other") return removePod(draft, pod.uid);
  if (pod.tracked !== true) endDelayOf(draft, pod.uid);
  const before = draft.pods[pod.uid];
  const counted = before?.counted === true || isListedUncounted(draft.job, pod.uid);
  const state = podStateOf(draft.job, pod);
  if (claim !== "ours") state.claim = claim;
  if (counted) state.counted = true;
  if (before?.letGo === true) state.letGo = true;
  putPod(draft, pod.uid, state);
  if (state.ordinal !== void 0) spendOrdinal(draft, state.ordinal, pod.index);
  awaitCount(draft, pod.uid);
  dropIfDone(draft, pod.uid);
}
function recognise(draft, uid) {
  const pod = draft.pods[uid];
  if (pod?.name === void 0 || draft.job === null) return;
  const ordinal = ordinalOf(draft.job, pod.name, pod.index);
  if (ordinal === null) return;
  const { name: _name, ...rest } = pod;
  draft.pods[uid] = { ordinal, ...rest };
  spendOrdinal(draft, ordinal, pod.index);
}
function removePod(draft, uid) {
  delete draft.keptPods[uid];
  endDelayOf(draft, uid);
  const pod = draft.pods[uid];
  if (pod === void 0) return;
  if (awaitedBy(draft, uid) !== void 0) draft.pods[uid] = { ...pod, gone: true, untracked: true };
  else delete draft.pods[uid];
}
function markCounted(draft, uids) {
  removeAwaiting(draft, uids);
  for (const uid of uids) {
    const pod = draft.pods[uid];
    if (pod === void 0) continue;
    forgetDelay(draft, uid, pod);
    draft.pods[uid] = { ...pod, counted: true };
    dropIfDone(draft, uid);
  }
}
function untrack(draft, uid, resourceVersion) {
  noteWritten(draft, uid, resourceVersion ?? "gone");
  endDelayOf(draft, uid);
  const pod = draft.pods[uid];
  if (pod === void 0) return;
  draft.pods[uid] = { ...pod, untracked: true };
  dropIfDone(draft, uid);
}
function markPods(draft, resourceVersion, of) {
  if (compareVersions(resourceVersion, draft.marks.pods) > 0) {
    draft.marks.pods = resourceVersion;
    draft.marks.listed = "";
  }
  forgetWritten(draft, resourceVersion, of);
}
function endOlder(draft, pod) {
  const known = draft.pods[pod.uid];
  if (known === void 0 || !isTerminal(pod.phase) || isTerminal(known.phase)) return false;
  const { ready: _ready, unseen: _unseen, readAt: _readAt, ...rest } = known;
  const { finished, exits, conditions } = podStateOf(draft.job, pod);
  draft.pods[pod.uid] = {
    ...rest,
    phase: pod.phase,
    ...finished !== void 0 && { finished },
    ...exits !== void 0 && { exits },
    ...conditions !== void 0 && { conditions }
  };
  awaitCount(draft, pod.uid);
  dropIfDone(draft, pod.uid);
  return true;
}
function isOlderThanOurs(draft, { uid, resourceVersion, tracked: tracked2 }) {
  const written = draft.written[uid];
  if (written === void 0 || written === "gone") return written === "gone";
  const order = compareVersions(resourceVersion, written);
  if (order !== 0 || tracked2 !== true) return order < 0;
  const known = draft.pods[uid];
  return known === void 0 || known.untracked === true;
}
function claimOf(job, pod) {
  if (pod.elsewhere === true) return "other";
  if (job === null) return "ours";
  const matches = pod.labels === void 0 || matchesSelector(job.spec.selector, pod.labels);
  const unclaimed = pod.tracked === true ? "free" : "other";
  if (pod.controller === job.uid && !matches) return job.deleting ? unclaimed : "disown";
  if (pod.controller === job.uid) return "ours";
  if (pod.controller !== void 0) return "other";
  if (matches && pod.deleting !== true && !job.deleting && !isFinished(job.status)) return "adopt";
  return unclaimed;
}
function podStateOf(job, pod) {
  const { phase, tracked: tracked2, deleting, scheduled, ready, readySince, finishedAt, restarts, maxRestarts } = pod;
  const { maxSidecarRestarts, index, failureCount, ignoredFailureCount, exits, conditions } = pod;
  const created = inSeconds(pod.createdAt);
  const ordinal = job === null ? null : ordinalOf(job, pod.name, index);
  const state = ordinal === null ? { name: pod.name, created } : { ordinal, created };
  if (phase !== "Running") state.phase = phase;
  if (ready === true) state.ready = inSeconds(readySince ?? 0);
  if (scheduled !== true) state.unscheduled = true;
  if (deleting === true) state.deleting = true;
  if (tracked2 !== true) state.untracked = true;
  if (finishedAt !== void 0) state.finished = inSeconds(finishedAt);
  if (restarts !== void 0) state.restarts = restarts;
  if (maxRestarts !== void 0) state.maxRestarts = maxRestarts;
  if (maxSidecarRestarts !== void 0) state.maxSidecarRestarts = maxSidecarRestarts;
  if (index !== void 0) state.index = index;
  if (failureCount !== void 0) state.failureCount = failureCount;
  if (ignoredFailureCount !== void 0) state.ignoredFailureCount = ignoredFailureCount;
  if (exits !== void 0) state.exits = exits;
  if (conditions !== void 0) state.conditions = conditions;
  return state;
}
function inSeconds(milliseconds) {
  return Math.floor(milliseconds / 1e3);
}
function isListedUncounted(job, uid) {
  const lists = job?.status.uncountedTerminatedPods;
  return lists?.succeeded?.includes(uid) === true || lists?.failed?.includes(uid) === true;
}
function dropIfDone(draft, uid) {
  const pod = draft.pods[uid];
  if (pod === void 0 || pod.untracked !== true || pod.claim === "adopt" || awaitedBy(draft, uid) !== void 0)
    return;
  if (pod.gone !== true && !isTerminal(pod.phase)) return;
  keepFailed(draft, uid, pod);
  delete draft.pods[uid];
}
function keepFailed({ job, jobGone, keptPods }, uid, pod) {
  delete keptPods[uid];
  if (job?.annotations?.failedPodsLimit === void 0 || jobGone) return;
  if (pod.phase !== "Failed" || pod.gone === true || pod.deleting === true || pod.claim !== void 0) return;
  keptPods[uid] = { name: refOf(job, uid, pod).name, finished: pod.finished ?? pod.created };
}

// workflows/job/evolve/evolve-job.ts
function foldJob(draft, job) {
  if (draft.jobGone || compareVersions(job.resourceVersion, draft.marks.job) <= 0) return false;
  if (draft.job !== null) attribute(draft, draft.job, job);
  if (draft.job !== null && job.generation !== draft.job.generation) draft.retries = {};
  const before = draft.job;
  draft.marks.job = job.resourceVersion;
  draft.job = job;
  if (before === null) for (const uid of Object.keys(draft.pods)) recognise(draft, uid);
  if (isIndexed(job.spec)) foldIndexes(draft, before, job);
  if (job.annotations?.failedPodsLimit === void 0) draft.keptPods = {};
  if (isFinished(job.status)) forgetAwaited(draft);
  else if (job.generation !== before?.generation)
    for (const uid of Object.keys(draft.pods)) awaitCount(draft, uid);
  return true;
}
function foldJobGone(draft, resourceVersion) {
  if (draft.jobGone) return false;
  draft.marks.job = resourceVersion;
  draft.jobGone = true;
  draft.requests = [];
  forgetAwaited(draft);
  draft.keptPods = {};
  return true;
}
function forgetAwaited(draft) {
  draft.delayed = {};
  markCounted(draft, [...draft.owed.succeeded, ...draft.owed.failed]);
}
function foldIndexes(draft, before, job) {
  const { completed: completed2, failed } = finishedIndexes(draft, job);
  const isCounted = (index) => !hasPlace(job.spec, index) || contains(completed2, index ?? -1);
  markCounted(
    draft,
    draft.owed.succeeded.filter((uid) => isCounted(draft.pods[uid]?.index))
  );
  reviewDelays(draft, job);
  if (before !== null && (job.spec.completions ?? 0) > (before.spec.completions ?? 0))
    draft.indexOrdinals.first = draft.nextOrdinal;
  for (const index of Object.keys(draft.indexOrdinals.next).map(Number))
    if (contains(completed2, index) || contains(failed, index)) delete draft.indexOrdinals.next[index];
}
function attribute(draft, known, seen) {
  const [before, after] = [countedOn(known), countedOn(seen)];
  const successes = isIndexed(known.spec) ? 0 : Math.max(after.succeeded - before.succeeded, 0);
  const succeeded = draft.owed.succeeded.slice(0, successes);
  const failed = failuresFirst(draft, known, seen, Math.max(after.failed - before.failed, 0));
  markCounted(draft, [...succeeded, ...failed]);
}
function countedOn({ status }) {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return {
    succeeded: (status.succeeded ?? 0) + succeeded.length,
    failed: (status.failed ?? 0) + failed.length
  };
}
function failuresFirst(draft, known, seen, count2) {
  const owed = draft.owed.failed.slice(0, count2);
  if (owed.length === count2) return owed;
  const ending3 = ["Failed", "Complete"].find(
    (type) => trueCondition(seen.status, INTERIM_CONDITION[type]) !== void 0
  );
  if (ending3 === void 0) return owed;
  const others = failingWith(draft, known, ending3).slice(0, count2 - owed.length);
  return [...owed, ...others.map(({ uid }) => uid)];
}

// workflows/job/evolve/evolve-outcome.ts
var MAX_RETRY_MS = 6e4;
function foldOutcome(draft, { command, answer }) {
  const failure = failureOf(answer);
  if (failure === null) forgetError(draft, answer.kind);
  else rememberError(draft, answer, failure);
  foldEffect(draft, command, answer);
  if (command === draft.pending.length - 1) draft.pending = [];
}
function foldEffect(draft, command, answer) {
  switch (answer.kind) {
    case "CreatePods":
      for (const pod of answer.pods) foldCreation(draft, pod, indexAt(draft, command, pod.name));
      if (answer.jobGone === true) foldJobGone(draft, draft.marks.job);
      return;
    case "DeletePods":
      for (const pod of answer.pods) foldDeletion(draft, pod, answer.untrack);
      return;
    case "ReleasePods":
      for (const pod of answer.pods) foldRelease(draft, pod);
      return;
    case "AdoptPods":
      for (const pod of answer.pods) foldAdoption(draft, pod);
      return;
    case "DisownPods":
      for (const pod of answer.pods) foldDisowning(draft, pod);
      return;
    case "WriteStatus":
      return foldStatus(draft, command, answer);
    case "SetSuspend":
      if (answer.result === "done") foldJobRead(draft, answer.job);
      if (answer.result !== "failed")
        draft.requests = draft.requests.filter((request) => request.id !== answer.request);
      return;
    case "RefuseRequest":
      draft.requests = draft.requests.filter((request) => request.id !== answer.request);
      return;
    case "LookUpJob":
      if (answer.job === null) foldJobGone(draft, draft.marks.job);
      else foldJobRead(draft, answer.job);
      return;
    case "LookUpPods":
      for (const { uid, pod } of answer.pods) {
        if (pod === null) removePod(draft, uid);
        else if (!hasEnded(pod)) placeRead(draft, pod);
        else lookAgainLater(draft, uid);
      }
      return;
    case "DeleteJob":
      if (answer.result === "gone") foldJobGone(draft, draft.marks.job);
      else if (answer.result !== "failed") foldJobRead(draft, answer.job);
      return;
    case "LookUpOrphans":
      if (answer.result === "failed") return;
      foldOrphans(draft, answer.orphans);
      draft.orphansFound = !answer.more;
      return;
    case "EmitEvents":
    case "skipped":
      return;
  }
}
var CORES_WITHOUT_ANNOTATIONS = /* @__PURE__ */ new Set(["1", "2", "3"]);
function foldJobRead(draft, job) {
  const annotations = draft.job?.annotations;
  const isWithout = CORES_WITHOUT_ANNOTATIONS.has(draft.last?.core ?? "");
  foldJob(draft, isWithout && annotations !== void 0 ? { ...job, annotations } : job);
}
function foldCreation(draft, pod, index) {
  if (pod.result === "failed" || pod.result === "skipped") return;
  if (index !== void 0) spendOrdinalOf(draft, index, pod.ordinal);
  draft.nextOrdinal = Math.max(draft.nextOrdinal, pod.ordinal + 1);
  if (pod.result === "taken" || draft.pods[pod.uid] !== void 0 || draft.written[pod.uid] !== void 0)
    return;
  if (pod.pod !== void 0 && !hasEnded(pod.pod)) return placeRead(draft, pod.pod);
  putPod(draft, pod.uid, {
    ordinal: pod.ordinal,
    created: Math.floor(decidedAt(draft) / 1e3),
    phase: "Pending",
    unscheduled: true,
    unseen: true,
    ...index !== void 0 && { index }
  });
}
function hasEnded({ phase, deleting }) {
  return isTerminal(phase) || deleting === true;
}
function foldOrphans(draft, orphans) {
  for (const pod of orphans)
    if (draft.pods[pod.uid] === void 0)
      placeRead(draft, isTerminal(pod.phase) ? { ...pod, phase: "Running" } : pod);
}
function lookAgainLater(draft, uid) {
  const pod = draft.pods[uid];
  if (pod !== void 0) draft.pods[uid] = { ...pod, created: Math.floor(decidedAt(draft) / 1e3) };
}
function placeRead(draft, pod) {
  const before = draft.pods[pod.uid];
  const isObserved = before !== void 0 && before.unseen !== true && before.readAt === void 0;
  placePod(draft, pod);
  noteWritten(draft, pod.uid, pod.resourceVersion);
  const placed = draft.pods[pod.uid];
  if (placed !== void 0 && !isObserved)
    draft.pods[pod.uid] = { ...placed, readAt: Math.floor(decidedAt(draft) / 1e3) };
}
function indexAt(draft, command, name) {
  const wish = draft.pending[command];
  return wish?.kind === "CreatePods" ? wish.pods.find((pod) => pod.name === name)?.index : void 0;
}
function foldDeletion(draft, pod, untracked) {
  if (pod.result === "failed") return;
  delete draft.keptPods[pod.uid];
  if (pod.result === "gone") return vanish(draft, pod.uid);
  if (untracked) untrack(draft, pod.uid, pod.resourceVersion);
  else if (pod.resourceVersion !== void 0) noteWritten(draft, pod.uid, pod.resourceVersion);
  const known = draft.pods[pod.uid];
  if (known !== void 0) draft.pods[pod.uid] = { ...known, deleting: true };
}
function foldRelease(draft, pod) {
  if (pod.result === "done") untrack(draft, pod.uid, pod.resourceVersion);
  if (pod.result === "gone") vanish(draft, pod.uid);
}
function foldAdoption(draft, answer) {
  const pod = draft.pods[answer.uid];
  if (pod === void 0 || answer.result === "failed") return;
  if (answer.result === "gone") return vanish(draft, answer.uid);
  const { claim: _claim, untracked: _untracked, ...adopted } = pod;
  draft.pods[answer.uid] = adopted;
  if (answer.resourceVersion !== void 0) noteWritten(draft, answer.uid, answer.resourceVersion);
  awaitCount(draft, answer.uid);
}
function foldDisowning(draft, answer) {
  if (answer.result === "failed") return;
  if (answer.result === "done" && answer.resourceVersion !== void 0)
    noteWritten(draft, answer.uid, answer.resourceVersion);
  markCounted(draft, [answer.uid]);
  delete draft.pods[answer.uid];
}
function vanish(draft, uid) {
  const pod = draft.pods[uid];
  if (pod === void 0 || pod.gone === true) return;
  noteWritten(draft, uid, "gone");
  removePod(draft, uid);
}
function foldStatus(draft, command, answer) {
  if (answer.result === "conflict") return foldJobRead(draft, answer.job);
  if (answer.result === "gone") return void foldJobGone(draft, draft.marks.job);
  const wish = draft.pending[command];
  if (answer.result !== "written" || wish?.kind !== "WriteStatus" || draft.job === null) return;
  markCounted(draft, [...wish.counted.succeeded, ...wish.counted.failed]);
  if (compareVersions(answer.job.resourceVersion, draft.marks.job) <= 0) return;
  draft.job = { ...draft.job, status: wish.to };
  foldJobRead(draft, answer.job);
}
function decidedAt({ last }) {
  return last?.now ?? 0;
}
function failureOf(answer) {
  if ("error" in answer) return answer.error;
  if (!("pods" in answer)) return null;
  for (const pod of answer.pods) if ("error" in pod) return pod.error;
  return null;
}
function rememberError(draft, answer, failure) {
  const kind = answer.kind;
  const errors = (draft.retries[kind]?.errors ?? 0) + 1;
  const wait = Math.min(1e3 * 2 ** (errors - 1), MAX_RETRY_MS);
  const retry = { errors, until: decidedAt(draft) + wait, message: failure.message };
  draft.retries = { ...draft.retries, [kind]: retry };
}
function forgetError(draft, kind) {
  const { [kind]: _forgotten, ...others } = draft.retries;
  draft.retries = others;
}

// workflows/job/evolve/evolve.ts
function fold(state, events) {
  const draft = draftOf2(state);
  for (const event of events) foldInto(draft, event);
  return stateOf(draft);
}
function foldInto(draft, event) {
  if (event.type === "job.decided") return foldDecision(draft, event.id, event.data);
  if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
}
function foldContent(draft, event) {
  switch (event.type) {
    case "job.observed":
      return foldJob(draft, event.job);
    case "job.deleted":
      return foldJobGone(draft, event.resourceVersion);
    case "pod.observed":
      return foldPod(draft, event.pod);
    case "pod.deleted":
      return foldPodGone(draft, event);
    case "command.received":
      return foldRequest(draft, event);
    case "command.answered":
      foldOutcome(draft, event.data);
      return true;
  }
}
var REQUESTS_KEPT = 100;
function foldRequest(draft, { id, command, by }) {
  if (draft.requested.includes(id)) return false;
  draft.requested = [...draft.requested, id].slice(-REQUESTS_KEPT);
  draft.requests.push({ id, command, by });
  return true;
}
function foldDecision(draft, id, content) {
  draft.last = { number: content.number, id, core: content.core, now: content.now };
  draft.waiting = content.waiting;
  draft.pending = content.commands;
  draft.folded = [];
  excludeFromCount(draft, content.commands);
  for (const command of content.commands)
    if (command.kind === "EmitEvents" && command.invalid !== void 0) draft.warned = command.invalid;
}
function excludeFromCount(draft, commands) {
  for (const command of commands) {
    if (command.kind !== "DeletePods" || command.letGo !== true) continue;
    for (const { uid } of command.pods) {
      const pod = draft.pods[uid];
      if (pod !== void 0 && awaitedBy(draft, uid) === void 0) draft.pods[uid] = { ...pod, letGo: true };
    }
  }
}

// workflows/job/state.ts
var INITIAL_STATE = {
  job: null,
  jobGone: false,
  marks: { job: "", pods: "", listed: "" },
  pods: {},
  owed: { succeeded: [], failed: [] },
  written: {},
  backoff: { lastSuccess: 0, failures: [] },
  delayed: {},
  failJob: null,
  nextOrdinal: 0,
  spentOrdinals: [],
  indexOrdinals: { next: {}, first: 0 },
  keptPods: {},
  warned: [],
  orphansFound: false,
  requests: [],
  requested: [],
  retries: {},
  last: null,
  folded: [],
  waiting: null,
  pending: []
};
export {
  CORE_VERSION,
  INITIAL_STATE,
  compact,
  decide,
  decisionRecord,
  fold,
  isNews
};

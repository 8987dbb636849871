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
var AFTER = "jobledger.dev/after";
var POD_GROUP_API = "scheduling.k8s.io/v1beta1";
var GROUP_TEMPLATE_NAME = "scheduling.k8s.io/group-template-name";
function isClaimed(claim, managedBy) {
  if (managedBy === OWN_MANAGER) return true;
  return claim === "all" && (managedBy === void 0 || managedBy === BUILT_IN_MANAGER);
}
function trackingFinalizer(claim) {
  return claim === "all" ? RESERVED_FINALIZER : OWN_FINALIZER;
}
var CONTINUED_FAILURES = "jobledger.dev/continued-failures";
var INDEXES = "jobledger.dev/indexes";
var INDEXES_KEPT = "jobledger.dev/Indexes";

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
function canBeCounted(pod) {
  return pod === void 0 || pod.untracked === true || pod.refused !== true;
}

// workflows/job/definitions/chain.ts
var MAX_AWAITED = 100;
function awaitedFrom(name, named, waitsFor) {
  const found = /* @__PURE__ */ new Set();
  let next = named;
  while (next.length > 0) {
    const further = [];
    for (const each of next) {
      if (each === name || found.has(each)) continue;
      if (found.size === MAX_AWAITED) return { names: [...found], isCut: true };
      found.add(each);
      further.push(...waitsFor(each) ?? []);
    }
    next = further;
  }
  return { names: [...found], isCut: false };
}
function cycleThrough(name, named, waitsFor) {
  const before = /* @__PURE__ */ new Map();
  const queue = [[name, named]];
  for (const [at, nexts] of queue)
    for (const next of nexts) {
      if (next === name) return wayTo(at, name, before);
      if (before.has(next)) continue;
      before.set(next, at);
      queue.push([next, waitsFor(next) ?? []]);
    }
  return null;
}
function wayTo(last, name, before) {
  const way = [name];
  for (let at = last; at !== void 0; at = before.get(at)) way.unshift(at);
  return way;
}
function standingOf({ end }, awaited) {
  if (awaited === void 0) return "unknown";
  if (awaited.end !== void 0) return isMet(end, awaited.end.type) ? "met" : "unmeetable";
  if (awaited.uid === void 0) return "missing";
  return awaited.gone === true ? "deleted" : "waiting";
}
function isMet(wanted2, type) {
  return wanted2 === "Finished" || wanted2 === "Failed" === (type === "Failed");
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

// workflows/job/definitions/completion-indexes.ts
function isIndexed({ completionMode }) {
  return completionMode === "Indexed";
}
function hasPlace(spec, index) {
  return !isIndexed(spec) || index !== void 0 && index < (spec.completions ?? 0);
}
function completedOn(job) {
  return indexesOn(job, "completedIndexes");
}
function failedOn(job) {
  return indexesOn(job, "failedIndexes");
}
function indexesOn({ spec, status, atLeast }, field) {
  const { completions = 0 } = spec;
  const shown = parseIndexes(status[field] ?? "", completions);
  return atLeast === void 0 ? shown : union(shown, parseIndexes(atLeast[field], completions));
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
function outside(indexes, completions) {
  const others = [];
  let next = 0;
  for (const [first, last] of indexes) {
    if (first >= completions) break;
    append(others, next, first - 1);
    next = last + 1;
  }
  append(others, next, completions - 1);
  return others;
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

// workflows/job/definitions/index-grant.ts
var MOST_COMPLETIONS = 2 ** 31 - 1;
function indexGrantIn(text) {
  const { number, indexes, end } = /^(?<number>\d{1,9}):(?<indexes>[-\d,]*)(?::(?<end>Complete|Failed))?$/.exec(text)?.groups ?? {};
  if (number === void 0 || indexes === void 0) return null;
  if (formatIndexes(parseIndexes(indexes, MOST_COMPLETIONS)) !== indexes) return null;
  return { number: Number(number), indexes, ...end !== void 0 && { end } };
}
function grantText({ number, indexes, end }) {
  return `${number}:${indexes}${end === void 0 ? "" : `:${end}`}`;
}
function keptGrant({ status, kept }) {
  const { message = "" } = trueCondition(status, INDEXES_KEPT) ?? {};
  const shown = indexGrantIn(message);
  return shown !== null && shown.number >= (kept?.number ?? 0) ? shown : kept ?? null;
}
function heededGrant(job, begun) {
  const kept = keptGrant(job);
  const asked = job.annotations?.indexes;
  if (asked === void 0 || kept !== null && asked.number <= kept.number)
    return kept === null ? null : { ...kept, indexes: grantedIndexes(kept) };
  return { ...asked, indexes: union(grantedIndexes(asked), indexesOf(begun)) };
}
function grantedIndexes({ indexes }) {
  return parseIndexes(indexes, MOST_COMPLETIONS);
}

// workflows/job/observe/continued-failures.ts
function continuedFailuresIn(text) {
  const value = parsed(text);
  if (!isObject(value)) return null;
  const { inARow = [], indexes = {}, ...others } = value;
  const isRead = Object.keys(others).length === 0 && Array.isArray(inARow) && inARow.every(isCount) && isObject(indexes) && Object.entries(indexes).every(([index, of]) => /^\d{1,9}$/.test(index) && isIndexFailures(of));
  return isRead ? value : null;
}
function isIndexFailures(value) {
  return isObject(value) && Object.keys(value).length === 3 && [value["failures"], value["ignored"], value["at"]].every(isCount);
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// workflows/job/observe/job-annotations.ts
var SECONDS = wholeNumber(BACKOFF_SECONDS, 2147483647);
var KEPT_PODS = wholeNumber(FAILED_PODS_LIMIT, 1e3);
var EVENTS = {
  name: START_AND_FINISH_EVENTS,
  allowed: '"true" or "false"',
  read: (text) => text === "true" ? true : text === "false" ? false : null
};
var JOBS = {
  name: AFTER,
  allowed: `a list of at most ${MAX_AWAITED} other Jobs, each once, such as "extract=Succeeded, check=Finished" (Succeeded, Failed or Finished)`,
  read: readAfter
};
var FAILURES = {
  name: CONTINUED_FAILURES,
  allowed: "the failures that Jobledger writes on a member of a placed Job",
  read: continuedFailuresIn
};
var GRANTED = {
  name: INDEXES,
  allowed: "the indexes that Jobledger writes on a member of a placed Job",
  read: indexGrantIn
};
var ALL = [SECONDS, KEPT_PODS, EVENTS, JOBS, FAILURES, GRANTED];
var LONGEST_REPORTED = 100;
function jobAnnotations(texts = {}) {
  const backoffSeconds = valueIn(texts, SECONDS);
  const failedPodsLimit = valueIn(texts, KEPT_PODS);
  const after = valueIn(texts, JOBS);
  const continues = valueIn(texts, FAILURES);
  const indexes = valueIn(texts, GRANTED);
  const invalid = ALL.flatMap((annotation) => complaintAbout(texts, annotation));
  const read = {
    ...backoffSeconds !== null && { backoffSeconds },
    ...failedPodsLimit !== null && { failedPodsLimit },
    ...valueIn(texts, EVENTS) === true && { startAndFinishEvents: true },
    ...after !== null && { after },
    ...continues !== null && { continues },
    ...indexes !== null && { indexes },
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
var CONDITION = /^(?<job>[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)(?:\s*=\s*(?<end>Succeeded|Failed|Finished))?$/;
function readAfter(text) {
  const conditions = [];
  for (const part of text.split(",")) {
    const { job, end = "Succeeded" } = CONDITION.exec(part.trim())?.groups ?? {};
    if (job === void 0 || conditions.some((each) => each.job === job)) return null;
    conditions.push({ job, end });
  }
  return conditions.length > MAX_AWAITED ? null : conditions;
}

// workflows/job/observe/plain-numbers.ts
function plainNumbers(value) {
  return holdsBigint(value) ? plain(value) : value;
}
function holdsBigint(value) {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  for (const key in value) if (holdsBigint(value[key])) return true;
  return false;
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
      return { id, digest, ...epochOf(event.data), type: event.type, job: jobFacts(event.data.object) };
    case "job.deleted": {
      const { resourceVersion } = event.data;
      return { id, digest, ...epochOf(event.data), type: event.type, resourceVersion };
    }
    case "pod.observed":
      return { id, digest, ...epochOf(event.data), type: event.type, pod: podFactsFor(event.data) };
    case "pod.deleted": {
      const { podUid: uid, podName: name, resourceVersion } = event.data;
      return { id, digest, ...epochOf(event.data), type: event.type, uid, name, resourceVersion };
    }
    case "command.received":
      return { id, digest, type: event.type, command: event.data.command, by: event.data.by };
    case "awaited-job.observed":
      return { id, digest, type: event.type, awaited: awaitedFacts(event.data.awaited) };
    case "job.decided":
    case "command.answered":
      return event;
    case "job.folded":
    case "job.snapshotted":
    case "submission.received":
    case "job.submitted":
    case "job.released":
    case "cluster.connected":
    case "cluster.gap":
    case "cluster.restored":
    case "cluster.released":
      return null;
  }
}
function epochOf({ epoch }) {
  return epoch === void 0 ? {} : { epoch };
}
function awaitedFacts({ end, since, ...awaited }) {
  return {
    ...awaited,
    ...end !== void 0 && { end: { ...end, at: Date.parse(end.at) } },
    ...since !== void 0 && { since: Date.parse(since) }
  };
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
    generation: plainNumbers(metadata.generation ?? 1),
    deleting: metadata.deletionTimestamp !== void 0,
    spec: { ...plainNumbers(rest), selector: selector ?? {} },
    restartPolicy: template?.spec.restartPolicy ?? "Never",
    ...template?.spec.schedulingGroup !== void 0 && { hasSchedulingGroup: true },
    ...controllerOf(metadata) !== void 0 && { controlled: true },
    // The ledger may have the name only, without the value.
    ...metadata.annotations?.[GROUP_TEMPLATE_NAME] !== void 0 && { delegated: true },
    status: plainNumbers(job.status ?? {}),
    ...annotations !== void 0 && { annotations }
  };
}
function podFactsFor({ jobUid, object, listedAt }) {
  const facts = podFacts(object);
  if (listedAt !== void 0) facts.listedAt = listedAt;
  const isOwnStream = facts.uid === jobUid;
  if (facts.controller !== void 0 && facts.controller !== jobUid && !isOwnStream) facts.elsewhere = true;
  return facts;
}
function podFacts(recorded) {
  const status = plainNumbers(recorded.status);
  const pod = status === void 0 ? recorded : { ...recorded, status };
  const { metadata } = pod;
  const phase = status?.phase ?? "Pending";
  const owner = controllerOf(metadata);
  const controller = owner?.uid;
  const deleting = metadata.deletionTimestamp !== void 0;
  const ready = status?.conditions?.find(
    (condition) => condition.type === "Ready" && condition.status === "True"
  );
  const { uid, namespace, name, resourceVersion, creationTimestamp } = metadata;
  const facts = {
    uid,
    namespace,
    name,
    resourceVersion,
    phase,
    createdAt: Date.parse(creationTimestamp)
  };
  if (metadata.finalizers?.some(isTracking) === true) facts.tracked = true;
  if (metadata.finalizers?.includes(OWN_FINALIZER) === true) facts.trackedByUs = true;
  if (controller !== void 0) facts.controller = controller;
  if (owner?.name !== void 0) facts.controllerName = owner.name;
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

// workflows/job/decide/verdict.ts
var nothing = { commands: [], lookAgainAt: null, waiting: null };
function only(...commands) {
  return { commands, lookAgainAt: null, waiting: null };
}
function together(first, next) {
  return {
    ...first,
    commands: [...first.commands, ...next.commands],
    lookAgainAt: earliest(first.lookAgainAt, next.lookAgainAt),
    waiting: first.waiting ?? next.waiting
  };
}
function earliest(...instants) {
  const some = instants.filter((instant) => instant !== null);
  return some.length === 0 ? null : Math.min(...some);
}

// workflows/job/decide/hold-back.ts
function orHeld(at, plan, instead = { ...plan, commands: [] }) {
  return orWait(plan, instead, (kinds) => waitFor(at, kinds));
}
function inTurn(at, plans) {
  let verdict = nothing;
  for (const plan of plans) {
    verdict = together(verdict, orHeld(at, plan));
    if (verdict.commands.length > 0) break;
  }
  return verdict;
}
function orWait(plan, instead, waitOf) {
  const wait = waitOf(plan.heldWith ?? plan.commands.map(({ kind }) => kind));
  const { heldWith: _heldWith, ...verdict } = wait === null ? plan : { ...instead, ...wait };
  return verdict;
}
function waitFor({ state, now }, kinds) {
  const [last] = kinds.map((kind2) => ({ kind: kind2, ...state.retries[kind2] ?? NO_ERRORS })).filter(({ until: until2 }) => until2 > now).toSorted((a, b) => b.until - a.until);
  if (last === void 0) return null;
  const { kind, errors, until, message } = last;
  const count2 = errors === 1 ? "1 error" : `${errors} errors`;
  const words = `no ${kind} before ${isoTime(until)}: ${count2} of the API, the last: ${message}`;
  return { lookAgainAt: until, waiting: { rule: "J-3.2", words } };
}
var NO_ERRORS = { errors: 0, until: 0, message: "" };

// workflows/job/definitions/basis.ts
function basisOf(job, deadline) {
  const { resourceVersion, generation, status, annotations } = job;
  const { succeeded = 0, failed = 0 } = status;
  const grant = annotations?.indexes?.number;
  return {
    resourceVersion,
    generation,
    succeeded,
    failed,
    deadline,
    ...grant !== void 0 && { grant }
  };
}

// workflows/job/decide/policies/chain.ts
var MISSING_AFTER_MS = 1e4;
var NAMED = 3;
function heedChain(at, verdict) {
  const { state, job, now } = at;
  const conditions = job.annotations?.after;
  if (conditions === void 0 || state.chain.phase !== "open" || job.spec.suspend !== true || job.deleting)
    return verdict;
  const chain = chainOf(state, job, conditions);
  const { warnings: warnings2, lookAgainAt } = warningsOf(chain, now);
  const warned = { ...verdict, commands: [...warn(state, warnings2), ...verdict.commands] };
  if (chain.cycle !== null || chain.conditions.some(({ standing }) => standing !== "met")) {
    const waiting = { rule: "J-12.6", words: waitingWords(chain) };
    return together(warned, { commands: [], lookAgainAt, waiting });
  }
  const words = conditions.slice(0, NAMED).map(({ job: name }) => endWords(state, name));
  const why = { rule: "J-12.6", words: `${list(words, conditions.length)}: the Job is resumed` };
  const resume = { kind: "SetSuspend", suspend: false, basis: basisOf(job, null), why };
  const resumed = orHeld(at, { ...verdict, commands: [resume] });
  return { ...resumed, commands: [...warned.commands, ...resumed.commands] };
}
function chainComplaint({ chain }, { annotations }) {
  if (chain.phase !== "none" || annotations?.after === void 0) return [];
  return [`${AFTER} is ignored: the Job was not created with spec.suspend: true`];
}
function chainOf({ chain: { awaited } }, { name }, conditions) {
  const named = conditions.map(({ job }) => job);
  const waitsFor = (each) => awaited[each]?.waitsFor;
  return {
    conditions: conditions.map((condition) => {
      const known = awaited[condition.job];
      const standing = standingOf(condition, known);
      return { ...condition, standing, words: wordsOf(condition, standing, known?.end), since: known?.since };
    }),
    cycle: cycleThrough(name, named, waitsFor),
    isCut: awaitedFrom(name, named, waitsFor).isCut
  };
}
var WANTED = { Succeeded: "succeeds", Failed: "fails", Finished: "finishes" };
function wordsOf({ job, end: wanted2 }, standing, end) {
  const what = `Job ${job} ${WANTED[wanted2]}`;
  switch (standing) {
    case "met":
    case "waiting":
    case "unknown":
      return what;
    case "missing":
      return `${what}, which does not exist`;
    case "deleted":
      return `${what}, which was deleted before it ended`;
    case "unmeetable":
      return `${what}, which ${end === void 0 ? "ended otherwise" : endedWords(end)}`;
  }
}
function endedWords({ type, reason, at }) {
  const how = type === "Complete" ? "succeeded" : "failed";
  return `${how} at ${isoTime(at)}${reason === "" ? "" : ` (${reason})`}`;
}
function endWords({ chain: { awaited } }, name) {
  const end = awaited[name]?.end;
  return `Job ${name} ${end === void 0 ? "ended" : endedWords(end)}`;
}
function cycleWords(cycle) {
  return `the Job waits for itself: ${cycle.join(" \u2192 ")}`;
}
function waitingWords({ conditions, cycle }) {
  if (cycle !== null) return cycleWords(cycle);
  const unmet = conditions.filter(({ standing }) => standing !== "met");
  return `suspended until ${list(
    unmet.slice(0, NAMED).map(({ words }) => words),
    unmet.length
  )}`;
}
function list(shown, all) {
  const more = all - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
function warningsOf(chain, now) {
  const warnings2 = [];
  let lookAgainAt = null;
  const add = (reason, message) => void warnings2.push({ type: "Warning", reason, message });
  const { conditions, cycle, isCut } = chain;
  if (cycle !== null) add("ChainCycle", `${AFTER}: ${cycleWords(cycle)}`);
  if (isCut)
    add(
      "ChainTooLarge",
      `${AFTER}: the Job waits for more than ${MAX_AWAITED} Jobs, directly and through others; whether it waits for itself through further ones is not noticed`
    );
  for (const { job, standing, words, since = 0 } of conditions) {
    if (standing === "missing" && now < since + MISSING_AFTER_MS)
      lookAgainAt = earliest(lookAgainAt, since + MISSING_AFTER_MS);
    else if (standing === "missing") add("AwaitedJobMissing", `${AFTER}: suspended until ${words}`);
    else if (standing === "deleted") add("AwaitedJobMissing", `${AFTER}: suspended until ${words}`);
    else if (standing === "unmeetable")
      add(
        "AwaitedJobEndedOtherwise",
        `${AFTER}: suspended until ${words}; resume the Job by hand, or create the Job ${job} anew`
      );
  }
  return { warnings: warnings2, lookAgainAt };
}
function warn({ chain: { reported } }, warnings2) {
  const events = warnings2.filter(({ message }) => !reported.includes(message));
  if (events.length === 0) return [];
  const chain = warnings2.map(({ message }) => message);
  const why = { rule: "J-12.6", words: "the chain of the Job needs somebody" };
  return [{ kind: "EmitEvents", events, chain, why }];
}

// workflows/job/decide/policies/failed-pods-limit.ts
function trimFailedPods({ state, job, settings }) {
  const { failedPodsLimit } = job.annotations ?? {};
  if (failedPodsLimit === void 0 || job.restartPolicy === "OnFailure" || job.deleting) return nothing;
  const pods = oldestBeyond(failedPodsLimit, state).slice(0, settings.maxPodsPerSync);
  if (pods.length === 0) return nothing;
  const words = `failed pods: ${Object.keys(state.keptPods).length}, kept by ${FAILED_PODS_LIMIT}: ${failedPodsLimit}`;
  return only({ kind: "DeletePods", untrack: false, pods, why: { rule: "J-12.5", words } });
}
function oldestBeyond(limit, { keptPods }) {
  return Object.entries(keptPods).toSorted(([a, one], [b, other]) => one.finished - other.finished || (a < b ? -1 : 1)).slice(0, Math.max(0, Object.keys(keptPods).length - limit)).map(([uid, { name }]) => ({ uid, name }));
}

// workflows/job/definitions/gang-names.ts
var MAX_NAME = 253;
function workloadName(job) {
  const hash2 = hashOf(`(types.UID)${job.uid}`);
  return `${job.name.slice(0, MAX_NAME - hash2.length - 1)}-${hash2}`;
}
function podGroupTemplateName(job) {
  return `${job.name}-pgt-0`;
}
var LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
function acceptedTemplateName(job) {
  const name = podGroupTemplateName(job);
  return LABEL.test(name) ? name : "pgt-0";
}
function podGroupName(workload, template) {
  const hash2 = hashOf(workload + template);
  const room = MAX_NAME - hash2.length - 2;
  const half = Math.floor(room / 2);
  const ofTemplate = Math.min(template.length, Math.max(half, room - workload.length));
  return `${workload.slice(0, room - ofTemplate)}-${template.slice(0, ofTemplate)}-${hash2}`;
}
var ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
function hashOf(text) {
  return String(fnv1a(text)).replaceAll(
    /\d/g,
    (digit) => ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length)
  );
}
function fnv1a(text) {
  let hash2 = 2166136261;
  for (let at = 0; at < text.length; at += 1) hash2 = Math.imul(hash2 ^ text.charCodeAt(at), 16777619);
  return hash2 >>> 0;
}

// workflows/job/decide/policies/pod-groups.ts
function ensurePodGroup({ state: { gang }, job }, isNew2) {
  if (gang === null) return mayHavePodGroup(job) ? only(forJob(job, isNew2)) : null;
  if ("none" in gang) return null;
  if (formerGroupOf(gang) !== null) return only(inPlaceOf(gang, job));
  return isOutdated(gang, job) ? only(resized(gang, job)) : null;
}
function mayHavePodGroup({ hasSchedulingGroup, controlled, delegated }) {
  return hasSchedulingGroup !== true && (controlled !== true || delegated === true);
}
function formerGroupOf(gang) {
  return "none" in gang || gang.api !== void 0 ? null : gang;
}
function isDelegated({ controlled, delegated }) {
  return controlled === true && delegated === true;
}
function gangSizeOf(job) {
  const gang = job.spec.scheduling?.schedulingPolicy?.gang;
  if (gang === void 0) return void 0;
  return typeof gang.minCount === "number" ? gang.minCount : allPods(job);
}
function forJob(job, create) {
  const group = isDelegated(job) ? { create } : ownGroup(job, gangSizeOf(job), create);
  return { kind: "EnsureGang", group, why: create ? reasonFor(job, group) : STARTED };
}
var STARTED = {
  rule: "J-8.23",
  words: "the Job is not new: its pods have a PodGroup only if it already exists"
};
function reasonFor(job, { minCount }) {
  if (isDelegated(job)) return { rule: "J-8.22", words: "the owner of the Job leaves its PodGroup to us" };
  return minCount === void 0 ? { rule: "J-8.21", words: "the pods of the Job have a PodGroup, and are scheduled one by one" } : { rule: "J-8.21", words: `the Job asks for a gang of at least ${minCount} pods` };
}
function ownGroup(job, minCount, create) {
  const [workload, podGroupTemplate] = [workloadName(job), acceptedTemplateName(job)];
  const podGroup = podGroupName(workload, podGroupTemplate);
  return {
    own: { workload, podGroupTemplate, podGroup },
    ...minCount !== void 0 && { minCount },
    create
  };
}
function inPlaceOf({ workload, podGroup }, job) {
  const minCount = allPods(job);
  return {
    kind: "EnsureGang",
    group: {
      own: { workload, podGroupTemplate: acceptedTemplateName(job), podGroup },
      minCount,
      create: true
    },
    why: {
      rule: "J-8.27",
      words: `the cluster serves another API than that of PodGroup ${podGroup}: it is created again, as a gang of ${minCount}`
    }
  };
}
function allPods({ spec: { parallelism = 1 } }) {
  return Math.max(1, parallelism);
}
function isOutdated({ minCount, generation }, job) {
  if (minCount === void 0) return false;
  return isDelegated(job) ? generation !== job.generation : minCount !== presentSize(job);
}
function presentSize(job) {
  return gangSizeOf(job) ?? allPods(job);
}
function resized({ workload, podGroup, minCount }, job) {
  if (isDelegated(job)) {
    const words = "the Job has changed: its PodGroup gets the size in the Workload of its owner";
    return { kind: "EnsureGang", group: { create: false }, why: { rule: "J-8.26", words } };
  }
  const size = presentSize(job);
  return {
    kind: "EnsureGang",
    group: {
      own: { workload, podGroupTemplate: acceptedTemplateName(job), podGroup },
      minCount: size,
      create: false
    },
    why: { rule: "J-8.26", words: `the gang has at least ${size} pods now, ${minCount} before` }
  };
}
function unservedScheduling({ spec: { scheduling = {} }, delegated }, { gangScheduling }) {
  if (gangScheduling === "v1beta1" || gangScheduling === "where-served") return null;
  const {
    schedulingPolicy: { gang } = {},
    schedulingConstraints,
    disruptionMode,
    resourceClaims
  } = scheduling;
  const asked = [
    ...gang === void 0 ? [] : ["spec.scheduling.schedulingPolicy.gang"],
    ...schedulingConstraints === void 0 ? [] : ["spec.scheduling.schedulingConstraints"],
    ...disruptionMode === void 0 ? [] : ["spec.scheduling.disruptionMode"],
    ...resourceClaims === void 0 ? [] : ["spec.scheduling.resourceClaims"],
    ...delegated === true ? [`the annotation ${GROUP_TEMPLATE_NAME}`] : []
  ];
  if (asked.length === 0) return null;
  const because = gangScheduling === void 0 ? "gang scheduling is off in Jobledger (JOBLEDGER_GANG_SCHEDULING)" : `the cluster does not serve ${POD_GROUP_API}, or the feature level is below 8`;
  return `ignored: ${asked.join(", ")}; ${because}, so the pods are scheduled one by one`;
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
function heedAnnotations(at, verdict) {
  const { job } = at;
  const { commands } = verdict;
  const warned = [...warnings(at), ...commands];
  if (job.annotations === void 0) return { ...verdict, commands: warned };
  const more = [...warned, ...startAndFinishEvents(job, commands)];
  return together(heedChain(at, { ...verdict, commands: more }), orHeld(at, trimFailedPods(at)));
}
function warnings({ state, job, settings }) {
  const { warned } = state;
  const invalid = [...job.annotations?.invalid ?? [], ...chainComplaint(state, job)];
  const unserved = unservedScheduling(job, settings);
  const all = [...invalid, ...unserved === null ? [] : [unserved]];
  const unreported = all.filter((message) => !warned.includes(message));
  if (unreported.length === 0) return [];
  const events = unreported.map((message) => ({
    type: "Warning",
    reason: message === unserved ? "SchedulingNotServed" : "InvalidAnnotation",
    message
  }));
  const why = unreported.every((message) => message === unserved) ? { rule: "J-8.28", words: "the cluster does not give the scheduling that the Job asks for" } : { rule: "J-12.8", words: "an invalid annotation is ignored" };
  return [{ kind: "EmitEvents", events, invalid: all, why }];
}

// workflows/job/commands.ts
var MAX_PODS_IN_COMMAND = 5e3;

// workflows/job/definitions/pod-names.ts
var ALPHABET2 = "bcdfghjklmnpqrstvwxz2456789";
var LENGTH = 5;
var SUFFIXES = ALPHABET2.length ** LENGTH;
var MAX_BASE = 58;
var MAX_NAME2 = 253;
function generateName(jobName, index) {
  if (index === void 0) return jobName.length < MAX_NAME2 ? `${jobName}-` : jobName;
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
    letters = ALPHABET2.charAt(rest % ALPHABET2.length) + letters;
    rest = Math.floor(rest / ALPHABET2.length);
  }
  return letters;
}
function placeOf(letters) {
  let place = 0;
  for (const letter of letters) {
    const digit = ALPHABET2.indexOf(letter);
    if (digit < 0) return null;
    place = place * ALPHABET2.length + digit;
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

// workflows/job/definitions/expiry.ts
function expiryOf({ deleting, spec, status }) {
  const { ttlSecondsAfterFinished } = spec;
  if (deleting || ttlSecondsAfterFinished === void 0) return null;
  const finished = finishTimeOf(status);
  return finished === null ? null : finished + ttlSecondsAfterFinished * 1e3;
}
function finishTimeOf(status) {
  return instantOf(terminalCondition(status)?.lastTransitionTime);
}

// workflows/job/decide/policies/ttl-after-finished.ts
function ttlAfterFinished({ job, now, settings }) {
  const expiredAt = settings.controllers.includes("ttl") ? expiryOf(job) : null;
  if (expiredAt === null) return nothing;
  const words = `${job.spec.ttlSecondsAfterFinished} s after the Job finished`;
  if (expiredAt > now) {
    const waiting = { rule: "J-10.2", words: `deleted at ${isoTime(expiredAt)}, ${words}` };
    return { commands: [], lookAgainAt: expiredAt, waiting };
  }
  return only({ kind: "DeleteJob", expiredAt, why: { rule: "J-10.3", words } });
}

// workflows/job/decide/after-the-end.ts
function withoutJob(state) {
  if (state.jobGone) return releaseAll(state, "the Job does not exist any more");
  return only({ kind: "LookUpJob", why: { rule: "J-3.46", words: "the Job was never seen" } });
}
function afterTheEnd(at) {
  const release = releaseAll(at.state, "the Job has finished");
  return inTurn(at, [release, ttlAfterFinished(at), trimFailedPods(at)]);
}
function ofAnother(at) {
  return at.state.jobGone ? nothing : orHeld(at, ttlAfterFinished(at));
}
function releaseAll(state, words) {
  const pods = tracked(state).slice(0, MAX_PODS_IN_COMMAND);
  if (pods.length === 0) return nothing;
  return only({ kind: "ReleasePods", unlessAdopted: true, pods, why: { rule: "J-3.46", words } });
}
function tracked(state) {
  return Object.entries(state.pods).filter(([, pod]) => pod.untracked !== true).map(([uid, pod]) => refOf(state.job, uid, pod));
}

// workflows/job/decide/pods/claiming.ts
function claimPods({ state, job, settings }) {
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
  return { ...only(...commands), heldWith: ["AdoptPods", "DisownPods", "ReleasePods"] };
}
function withClaim(pods, job, claim) {
  return pods.filter(([, pod]) => pod.claim === claim && (claim !== "free" || pod.untracked !== true)).slice(0, MAX_PODS_IN_COMMAND).map(([uid, pod]) => refOf(job, uid, pod));
}
function count(pods) {
  return pods.length === 1 ? "1 pod" : `${pods.length} pods`;
}

// workflows/job/decide/policies/completion-mode.ts
function refuseUnknownMode({ state: { waiting }, job: { spec } }) {
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
function backoffEnd(failures, settings) {
  const last = failures[0];
  if (last === void 0) return null;
  return Math.min(last + delayAfter(failures.length, settings), LAST_INSTANT);
}
function delayAfter(failures, settings) {
  return Math.min(settings.podFailureBackoffMs * 2 ** (failures - 1), settings.maxPodFailureBackoffMs);
}

// workflows/job/definitions/failure-match.ts
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

// workflows/job/definitions/continued-failures.ts
function failuresInARow({ failures, lastSuccess }, continued = []) {
  return [...failures, ...continued].filter((finished) => finished > lastSuccess).toSorted((a, b) => b - a);
}
function failuresOfIndex(spec, pod) {
  const ignored = isIgnored(spec, pod) ? 1 : 0;
  return {
    failures: (pod.failureCount ?? 0) + 1 - ignored,
    ignored: (pod.ignoredFailureCount ?? 0) + ignored,
    at: pod.finished ?? 0
  };
}
function timesIn({ failures, ignored }) {
  return failures + ignored;
}

// workflows/job/decide/policies/backoff-limit-per-index.ts
var NONE = { failures: 0, ignored: 0, at: 0 };
function retryOfIndexAt(of, settings) {
  return of.at * 1e3 + delayAfter(timesIn(of), settings);
}
function failureAnnotations({ failures, ignored } = NONE) {
  return {
    [INDEX_FAILURE_COUNT]: String(failures),
    ...ignored > 0 && { [INDEX_IGNORED_FAILURE_COUNT]: String(ignored) }
  };
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

// workflows/job/definitions/deadline-exceeded.ts
var DEADLINE_EXCEEDED = {
  reason: "DeadlineExceeded",
  message: "Job was active longer than specified deadline"
};

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
    ...DEADLINE_EXCEEDED,
    isStored: false,
    why: { rule: "J-6.5", words: `the deadline passed at ${isoTime(deadline)}` }
  };
}

// workflows/job/definitions/failing-with-job.ts
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
    released: [],
    ending: null,
    isManaged: false,
    lookAgainAt: null,
    waiting: null
  };
}
function planOrHeld(tally, plan) {
  const { isManaged } = plan;
  const unchanged = { ...unchangedPlan(tally), isManaged, action: "reconciling" };
  return orHeld(tally, plan, unchanged);
}

// workflows/job/decide/policies/pod-failure-policy.ts
function podFailurePolicyViolated({ state: { failJob } }) {
  if (failJob === null) return null;
  const { message } = failJob;
  const why = { rule: "J-6.10", words: message };
  return { type: "Failed", reason: "PodFailurePolicy", message, isStored: false, why };
}

// workflows/job/decide/policies/success-policy.ts
function successPolicyMet({ job, indexes }) {
  const { successPolicy, completions = 0 } = job.spec;
  if (indexes === null || successPolicy === void 0 || indexes.completed.length === 0) return null;
  const met = successPolicy.rules.findIndex((rule) => isMet2(rule, indexes.completed, completions));
  if (met < 0) return null;
  const message = `Matched rules at index ${met}`;
  const words = `rule ${met} of the success policy is met, ${sizeOf(indexes.completed)} indexes succeeded`;
  const why = { rule: "J-6.31", words };
  return { type: "Complete", reason: "SuccessPolicy", message, isStored: false, why };
}
function isMet2({ succeededIndexes, succeededCount }, completed2, completions) {
  const enough = succeededCount ?? Infinity;
  if (succeededIndexes === void 0) return sizeOf(completed2) >= enough;
  const listed = parseIndexes(succeededIndexes, completions);
  return listed.length > 0 && overlapOf(listed, completed2) >= Math.min(enough, sizeOf(listed));
}

// workflows/job/decide/ending.ts
function endingOf(tally) {
  return storedEnding(tally) ?? endOfPlacedJob(tally) ?? podFailurePolicyViolated(tally) ?? backoffLimitReached(tally) ?? deadlinePassed(tally) ?? failedIndexesLimitReached(tally) ?? successPolicyMet(tally);
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
function endOfPlacedJob({ grant }) {
  const type = grant?.end;
  if (type === void 0) return null;
  const [reason, words] = type === "Failed" ? ["PlacedJobFailed", "has failed"] : ["PlacedJobComplete", "is complete"];
  const message = `The placed Job ${words}`;
  return { type, reason, message, isStored: false, why: { rule: "J-16.24", words: message } };
}
function stopPods(tally, ending3) {
  const { state, job, active, terminating } = tally;
  const refs = (pods) => pods.map(({ uid, pod }) => refOf(job, uid, pod));
  const stopped = active.slice(0, MAX_PODS_IN_COMMAND);
  const left = new Set(active.slice(stopped.length).map(({ uid }) => uid));
  const failing = failingWith(state, job, ending3.type).filter(({ uid }) => !left.has(uid));
  const later = /* @__PURE__ */ new Set([...failing.map(({ uid }) => uid), ...state.owed.failed]);
  const released2 = tally.live.filter(
    ({ uid, pod }) => !later.has(uid) && !left.has(uid) && pod.untracked !== true
  );
  const deletion = {
    kind: "DeletePods",
    untrack: false,
    ...ending3.type === "Complete" && { letGo: true },
    basis: basisOf(job, deadlineOf(tally)),
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
    released: refs(released2),
    ending: ending3
  };
}

// workflows/job/decide/pods/lost-pods.ts
var UNSEEN_LIMIT = 60;
function findLostPods({ state, job, now }) {
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

// workflows/job/decide/policies/gang-scheduling.ts
function ensureGang(at) {
  const { state, job, settings } = at;
  if (job.deleting) return null;
  if (settings.gangScheduling === "v1beta1") return ensurePodGroup(at, isNew(state, job));
  if (settings.gangScheduling !== "served" || state.gang !== null || !canBeGang(job)) return null;
  return only(isNew(state, job) ? forNewJob(job) : forStartedJob);
}
function podGroupOf({ gang }) {
  return gang === null || "none" in gang ? {} : { podGroup: gang.podGroup };
}
function canBeGang({ spec, hasSchedulingGroup }) {
  const { parallelism = 1, completions } = spec;
  return isIndexed(spec) && parallelism > 1 && completions === parallelism && hasSchedulingGroup !== true;
}
function isNew({ pods }, { status }) {
  const { startTime, succeeded = 0, failed = 0, conditions = [] } = status;
  return Object.keys(pods).length === 0 && startTime === void 0 && succeeded === 0 && failed === 0 && !conditions.some(({ type }) => type === "Suspended");
}
function forNewJob(job) {
  const { parallelism: minCount = 1 } = job.spec;
  return {
    kind: "EnsureGang",
    workload: { name: workloadName(job), podGroupTemplate: podGroupTemplateName(job), minCount },
    why: { rule: "J-8.2", words: `all ${minCount} indexes run at once, so their pods are a gang` }
  };
}
var forStartedJob = {
  kind: "EnsureGang",
  why: { rule: "J-8.3", words: "the Job is not new: its pods are a gang only if it already has a Workload" }
};

// workflows/job/definitions/per-index.ts
function isPerIndex({ backoffLimitPerIndex }) {
  return backoffLimitPerIndex !== void 0;
}
function failsIndex(spec, pod) {
  const action = failureMatchOf(spec, pod)?.action;
  if (action === "Ignore") return false;
  return action === "FailIndex" || (pod.failureCount ?? 0) >= (spec.backoffLimitPerIndex ?? Infinity);
}
function outlasts(later, chosen) {
  return failuresBefore(later) >= failuresBefore(chosen) && (later.finished ?? 0) >= (chosen.finished ?? 0);
}
function failuresBefore({ failureCount = 0, ignoredFailureCount = 0 }) {
  return failureCount + ignoredFailureCount;
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
    const failures = failuresOf(tally, index);
    const at = failures === void 0 ? 0 : retryOfIndexAt(failures, settings);
    return { index, failures, at };
  });
  const [first] = chosen.toSorted((a, b) => a.at - b.at);
  return {
    now: chosen.filter(({ at }) => at <= now).map(({ index, failures }) => ({
      ...nameFor(tally, index),
      index,
      ...isPerIndex(job.spec) && { annotations: failureAnnotations(failures) }
    })),
    later: first === void 0 ? null : { at: first.at, index: first.index }
  };
}
function misplacedPods({ job, active, grant }) {
  const isAgain = ({ pod }) => pod.counted === true;
  if (!isIndexed(job.spec)) return inDeletionOrder(active.filter(isAgain));
  const best = /* @__PURE__ */ new Map();
  for (const held of active) {
    const index = held.pod.index ?? -1;
    const other = best.get(index);
    if (other === void 0 || comesBefore(other, held)) best.set(index, held);
  }
  const misplaced = active.filter(
    (held) => isAgain(held) || held.pod.index === void 0 || !hasPlace(job.spec, held.pod.index) || grant !== null && !contains(grant.indexes, held.pod.index) || best.get(held.pod.index) !== held
  );
  return inDeletionOrder(misplaced);
}
function openIndexes({ job, active, terminating, grant }, indexes, count2) {
  const { completions = 0 } = job.spec;
  const holders = replacesFailedOnly(job.spec) ? [...active, ...terminating] : active;
  const held = new Set(holders.map(({ pod }) => pod.index));
  const finished = union(indexes.completed, indexes.failed ?? []);
  const closed = grant === null ? finished : union(finished, outside(grant.indexes, completions));
  return lowestOutside(closed, completions, count2, (index) => held.has(index));
}
function failuresOf({ state, job }, index) {
  const uid = state.delayed[index];
  const replaced = uid === void 0 ? void 0 : state.pods[uid];
  if (replaced !== void 0) return failuresOfIndex(job.spec, replaced);
  return isPerIndex(job.spec) ? job.annotations?.continues?.indexes?.[index] : void 0;
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
  const unchanged = { ...unchangedPlan(tally), action, isManaged: true };
  const misplaced = misplacedPods(tally);
  const surplus = surplusOf(tally, misplaced);
  const missing = missingOf(tally);
  if (surplus.length === 0 && missing <= 0) return unchanged;
  const plan = { ...unchanged, heldWith: ["CreatePods", "DeletePods"] };
  if (surplus.length > 0) return removing(tally, plan, surplus, misplaced);
  const free = backoffEnd(failuresOf2(tally), tally.settings);
  if (free !== null && free > tally.now) return delayed(plan, backingOff(tally, free));
  const count2 = Math.min(missing, tally.settings.maxPodsPerSync);
  if (tally.indexes === null) return creating(tally, plan, nextPods(tally, count2));
  const { now, later } = chooseIndexes(tally, tally.indexes, count2);
  if (now.length > 0) return creating(tally, plan, now);
  return later === null ? plan : delayed(plan, delaying(tally, later));
}
function wanted(tally) {
  const { job, succeeded, active, suspended } = tally;
  const { parallelism = 1, completions } = job.spec;
  if (suspended) return 0;
  if (completions === void 0) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(openOf(tally, completions), parallelism));
}
function openOf({ succeeded, indexes, grant }, completions) {
  if (indexes === null || grant === null) return completions - succeeded;
  return sizeOf(grant.indexes) - overlapOf(grant.indexes, indexes.completed);
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
  const { job, settings, state } = tally;
  return {
    ...plan,
    action: "pods_created",
    commands: [
      {
        kind: "CreatePods",
        finalizer: trackingFinalizer(settings.claim),
        ...podGroupOf(state),
        basis: basisOf(job, deadlineOf(tally)),
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
  const failures = failuresOf2(tally).length;
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
  const basis = basisOf(tally.job, deadlineOf(tally));
  const deletion = { kind: "DeletePods", untrack: true, basis, pods, why };
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
  const again = misplaced.filter(({ pod }) => pod.counted === true).length;
  const others = misplaced.length - again;
  const words = [
    `${tally.active.length} active, ${wanted(tally)} wanted`,
    ...others > 0 ? [`${others} of no index that is missing`] : [],
    ...again > 0 ? [`${again} counted before the API server was restored`] : []
  ].join(", ");
  return { rule: misplaced.length === 0 ? "J-5.12" : "J-5.30", words };
}
function delayed(plan, wait) {
  return { ...plan, action: "pods_created", ...wait };
}
function delaying({ job }, { at, index }) {
  const words = `no pod before ${isoTime(at)}: back-off of index ${index}${baseWords(job)}`;
  return { lookAgainAt: at, waiting: { rule: "J-5.44", words } };
}
function backingOff(tally, until) {
  const failures = inWords(failuresOf2(tally).length);
  const words = `no pod before ${isoTime(until)}: back-off after ${failures} in a row${baseWords(tally.job)}`;
  return { lookAgainAt: until, waiting: { rule: "J-5.40", words } };
}
function failuresOf2({ state, job }) {
  return failuresInARow(state.backoff, job.annotations?.continues?.inARow);
}
function baseWords(job) {
  const seconds = backoffSecondsOf(job);
  return seconds === null ? "" : `, the first delay is ${seconds} s (${BACKOFF_SECONDS})`;
}
function inWords(failures) {
  return failures === 1 ? "1 failure" : `${failures} failures`;
}

// workflows/job/decide/pods/orphans.ts
function findOrphans({ state, job }) {
  if (job.spec.manualSelector !== true || job.deleting || state.orphansFound) return null;
  const why = {
    rule: "J-3.30",
    words: "the selector is the author\u2019s own: pods may be older than the Job"
  };
  return only({ kind: "LookUpOrphans", selector: job.spec.selector, why });
}

// workflows/job/decide/requests.ts
function answerRequest(state, job) {
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
  const why = {
    rule: suspend ? "J-6.41" : "J-6.42",
    words: `${request.command} asked for by ${request.by}`
  };
  const basis = job === null ? {} : { basis: basisOf(job, null) };
  return only({ kind: "SetSuspend", suspend, request: request.id, ...basis, why });
}
function refusalOf(job, suspend) {
  if (job === null) return "the Job does not exist any more";
  if (isFinished(job.status)) return "the Job has finished";
  if (job.deleting) return "the Job is being deleted";
  if ((job.spec.suspend ?? false) === suspend)
    return suspend ? "it is suspended already" : "it is not suspended";
  return null;
}

// workflows/job/definitions/counted-on.ts
function countedOn({ status, atLeast }) {
  return {
    succeeded: Math.max(status.succeeded ?? 0, atLeast?.succeeded ?? 0),
    failed: Math.max(status.failed ?? 0, atLeast?.failed ?? 0)
  };
}
function countedBefore(job) {
  return {
    ...countedOn(job),
    completedIndexes: formatIndexes(completedOn(job)),
    failedIndexes: formatIndexes(failedOn(job))
  };
}
function showsAtLeast(job) {
  const { atLeast: _atLeast, ...shown } = job;
  const counted = countedOn(job);
  const { succeeded = 0, failed = 0 } = job.status;
  const isSameNumber = isIndexed(job.spec) || succeeded === counted.succeeded;
  return isSameNumber && failed === counted.failed && sizeOf(completedOn(shown)) === sizeOf(completedOn(job)) && sizeOf(failedOn(shown)) === sizeOf(failedOn(job));
}

// node_modules/@noble/hashes/_u64.js
var fromNumH = (n) => n / 2 ** 32 | 0;
var fromNumL = (n) => n >>> 0;
function setU64FromNum(view, byteOffset, n, isLE) {
  const h = fromNumH(n);
  const l = fromNumL(n);
  view.setUint32(byteOffset, isLE ? l : h, isLE);
  view.setUint32(byteOffset + 4, isLE ? h : l, isLE);
}

// node_modules/@noble/hashes/utils.js
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

// node_modules/@noble/hashes/_md.js
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

// node_modules/@noble/hashes/sha2.js
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

// workflows/job/definitions/digest.ts
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
  if (!isObject2(value)) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  const members = Object.entries(value).filter(([, part]) => part !== void 0);
  return `{${members.map(([key, part]) => `${JSON.stringify(key)}:${textOf(part)}`).join(",")}}`;
}
function isSameJson(a, b) {
  if (!isObject2(a) || !isObject2(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return Object.keys(a).every((key) => isSameJson(a[key], b[key])) && Object.keys(b).every((key) => b[key] === void 0 || a[key] !== void 0);
}
function digestOf(value) {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value)))).slice(0, DIGITS);
}
function inKeyOrder(value) {
  if (!isObject2(value)) return value;
  if (Array.isArray(value)) return value.map(inKeyOrder);
  return Object.fromEntries(
    Object.keys(value).sort().map((key) => [key, inKeyOrder(value[key])])
  );
}
function isObject2(value) {
  return typeof value === "object" && value !== null;
}

// workflows/job/decide/policies/suspension.ts
function keepUpSuspended({ state, suspended, now }, conditions) {
  const stored = conditions.find((condition) => condition.type === "Suspended");
  const wanted2 = suspended ? { status: "True", reason: "JobSuspended", message: "Job suspended" } : { status: "False", reason: "JobResumed", message: "Job resumed" };
  if (!suspended && stored === void 0) return null;
  if (stored !== void 0 && isSameJson({ ...stored, ...wanted2 }, stored)) return null;
  const at = apiTime(now);
  return {
    conditions: withCondition(conditions, conditionAt(at, { type: "Suspended", ...wanted2 })),
    startTime: suspended ? void 0 : state.startedAt ?? at,
    events: [{ type: "Normal", reason: suspended ? "Suspended" : "Resumed", message: wanted2.message }]
  };
}

// workflows/job/decide/tally.ts
function tallyOf({ state, job, now, settings }) {
  const suspended = job.spec.suspend ?? false;
  const pods = Object.entries(state.pods).map(([uid, pod]) => ({ uid, pod })).filter(({ pod }) => isLive(pod));
  const active = pods.filter(({ pod }) => isActive(pod));
  const uncounted = uncountedOf(job);
  const indexes = isIndexed(job.spec) ? indexesIn(state, job) : null;
  const isCountable = (uid) => canBeCounted(state.pods[uid]);
  const newSucceeded = state.owed.succeeded.filter(isCountable).slice(0, settings.maxUncountedPods);
  const newFailed = state.owed.failed.filter(isCountable).slice(0, settings.maxUncountedPods - newSucceeded.length);
  const counted = countedOn(job);
  return {
    state,
    job,
    now,
    settings: withBackoffSeconds(settings, job),
    suspended,
    activeSince: suspended ? null : job.status.startTime ?? state.startedAt ?? apiTime(now),
    live: pods,
    active,
    terminating: pods.filter(({ pod }) => isTerminating(pod)),
    ready: active.filter(({ pod }) => pod.ready !== void 0).length,
    newSucceeded,
    newFailed,
    isCapped: newSucceeded.length + newFailed.length < state.owed.succeeded.length + state.owed.failed.length,
    succeeded: indexes === null ? counted.succeeded + uncounted.succeeded + state.owed.succeeded.length : sizeOf(indexes.completed),
    failed: counted.failed + uncounted.failed + state.owed.failed.length + delayedIn(state, job),
    indexes,
    grant: indexes === null ? null : grantOf(state, job, pods)
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
function grantOf({ delayed: delayed2 }, job, live) {
  const begun = [...live.flatMap(({ pod }) => pod.index ?? []), ...Object.keys(delayed2).map(Number)];
  return heededGrant(job, begun);
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
  const written = orHeld(tally, writing(tally, plan));
  const rest = written.waiting === null ? together(written, orHeld(tally, releasingAgain(tally))) : written;
  const deadline = plan.ending === null ? deadlineOf(tally) : null;
  const times = [plan.lookAgainAt, rest.lookAgainAt, deadline, nextLookUp(tally.state)];
  return {
    commands: [...plan.commands, ...rest.commands],
    lookAgainAt: earliest(...times),
    waiting: rest.waiting ?? plan.waiting ?? endWait(plan),
    action: rest.waiting === null ? plan.action : "reconciling"
  };
}
function writing(tally, plan) {
  const counted = countedBy(tally, plan);
  const change = changeOf(tally, plan, counted);
  const { events } = change;
  const to = nextStatus(tally, plan, counted, change);
  const isDue = !isSame(tally.job.status, to);
  const before = releasesBefore(tally, counted);
  const why = { rule: "J-7.2", words: "told on the Job" };
  return {
    ...only(
      ...released(before, countingReason(counted)),
      ...isDue ? [writeOf(tally, plan, counted, to)] : [],
      ...released(releasesAfter(tally, plan, counted, before), { rule: "J-4.5", words: "the Job ends" }),
      ...events.length > 0 ? [{ kind: "EmitEvents", events, why }] : []
    ),
    heldWith: isDue || before.length > 0 ? ["WriteStatus"] : []
  };
}
function releasingAgain(tally) {
  const { state, job } = tally;
  const pods = trackedIn(state).filter(([, pod]) => pod.refused === true).slice(0, MAX_PODS_IN_COMMAND).map(([uid, pod]) => refOf(job, uid, pod));
  return {
    ...only(...released(pods, { rule: "J-4.11", words: "refused before: tried again" })),
    heldWith: isAnyRefused(tally) ? ["ReleasePods"] : []
  };
}
function endWait({ ending: ending3, terminating }) {
  if (ending3 === null || terminating === 0) return null;
  return { rule: "J-6.39", words: "the Job ends when its terminating pods are gone" };
}
function isAnyRefused({ state }) {
  return Object.values(state.pods).some(({ refused }) => refused === true);
}
function countedBy({ newSucceeded, newFailed, settings }, plan) {
  const room = settings.maxUncountedPods - newSucceeded.length - newFailed.length;
  const failing = plan.failing.slice(0, room).map(({ uid }) => uid);
  return { succeeded: newSucceeded, failed: [...newFailed, ...failing] };
}
function changeOf(tally, plan, counted) {
  const { startTime = tally.activeSince ?? void 0, completionTime } = tally.job.status;
  const conditions = acknowledged(tally);
  const none = { conditions, startTime, completionTime, events: [] };
  const { ending: ending3 } = plan;
  if (ending3 === null) return { ...none, ...plan.isManaged && keepUpSuspended(tally, conditions) };
  const interim = ending3.isStored ? none : withEnd(none, INTERIM_CONDITION[ending3.type], ending3, tally.now);
  if (!isTerminalNow(tally, plan, counted)) return interim;
  return {
    ...withEnd(interim, ending3.type, ending3, tally.now),
    ...closingTimes(tally, ending3, startTime),
    events: endingEvents(tally, ending3)
  };
}
function acknowledged({ job, grant, now }) {
  const { conditions = [] } = job.status;
  if (grant === null) return conditions;
  const message = grantText({ ...grant, indexes: formatIndexes(grant.indexes) });
  if (trueCondition(job.status, INDEXES_KEPT)?.message === message) return conditions;
  const condition = { type: INDEXES_KEPT, status: "True", reason: "Granted", message };
  return withCondition(conditions, conditionAt(apiTime(now), condition));
}
function withEnd(change, type, { reason, message }, now) {
  const condition = conditionAt(apiTime(now), { type, status: "True", reason, message });
  return { ...change, conditions: withCondition(change.conditions, condition) };
}
function isTerminalNow(tally, plan, counted) {
  const isAllCounted = !tally.isCapped && plan.failing.every(({ uid }) => counted.failed.includes(uid));
  return isAllCounted && !isAnyRefused(tally) && plan.active === 0 && plan.terminating === 0;
}
function closingTimes({ job, suspended, now }, { type }, started) {
  const needsNone = suspended && job.spec.completions === 0;
  const startTime = needsNone ? started : started ?? apiTime(now);
  if (type !== "Complete") return { startTime };
  return { startTime, completionTime: apiTime(Math.max(now, Date.parse(startTime ?? apiTime(now)))) };
}
function endingEvents({ job, succeeded }, ending3) {
  if (ending3.type === "Failed") return [{ type: "Warning", reason: ending3.reason, message: ending3.message }];
  const completed2 = { type: "Normal", reason: "Completed", message: "Job completed" };
  if (job.spec.completions === void 0 || succeeded <= job.spec.completions) return [completed2];
  const message = "Too many succeeded pods running after completion count reached";
  return [{ type: "Warning", reason: "TooManySucceededPods", message }, completed2];
}
function nextStatus(tally, plan, counted, { conditions, startTime, completionTime }) {
  const { job, indexes } = tally;
  const uncounted = uncountedOf(job);
  const known = countedOn(job);
  const succeeded = indexes === null ? known.succeeded + uncounted.succeeded + counted.succeeded.length : tally.succeeded;
  const completed2 = formatIndexes(indexes?.completed ?? []);
  const failed = known.failed + uncounted.failed + counted.failed.length;
  return {
    ...conditions.length > 0 && { conditions },
    ...startTime !== void 0 && { startTime },
    ...completionTime !== void 0 && { completionTime },
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
  const pods = trackedIn(state).filter(([uid, pod]) => {
    if (pod.refused === true) return false;
    if (owed.has(uid)) return now.has(uid);
    if (now.has(uid) && isTerminal(pod.phase)) return true;
    const isDone2 = pod.counted === true && !isActive(pod);
    const isNotCounted = isDone2 || pod.letGo === true || job.deleting || isOutside(job, pod);
    if (isNotCounted) room -= 1;
    return isNotCounted && room >= 0;
  });
  return pods.map(([uid, pod]) => refOf(job, uid, pod));
}
function releasesAfter({ state }, plan, counted, before) {
  const isReleased = new Set(before.map(({ uid }) => uid));
  const isCounted = new Set(counted.failed);
  const failing = plan.failing.filter(({ uid }) => isCounted.has(uid));
  return [...failing, ...plan.released].filter(({ uid }) => !isReleased.has(uid) && state.pods[uid]?.refused !== true).slice(0, Math.max(failing.length, MAX_PODS_IN_COMMAND));
}
function trackedIn({ pods }) {
  return Object.entries(pods).filter(([, pod]) => pod.untracked !== true && pod.claim === void 0);
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

// workflows/job/decide/decide.ts
function decide(state, now, settings) {
  const { job } = state;
  if (job !== null && !isOurs(settings, job.spec.managedBy)) return ofAnother({ state, job, now, settings });
  if (job === null || state.jobGone)
    return orHeld({ state, now }, answerRequest(state, null) ?? withoutJob(state));
  const at = { state, job, now, settings };
  const answer = orHeld(at, answerRequest(state, job) ?? nothing);
  if (answer.commands.length > 0) return answer;
  if (isFinished(job.status)) return afterTheEnd(at);
  const first = refuseUnknownMode(at) ?? claimPods(at) ?? findOrphans(at) ?? ensureGang(at) ?? findLostPods(at);
  if (first !== null) return orHeld(at, first);
  const verdict = heedAnnotations(at, sync(tallyOf(at)));
  return { ...verdict, lookAgainAt: earliest(verdict.lookAgainAt, answer.lookAgainAt) };
}
function sync(tally) {
  const ending3 = endingOf(tally);
  const plan = ending3 === null ? managePods(tally) : stopPods(tally, ending3);
  return conclude(tally, manageCompletion(tally, planOrHeld(tally, plan)));
}

// workflows/job/record/decision-id.ts
var CORE_VERSION = "8";
function decisionId(content) {
  const { cluster, number, chain } = content;
  const uid = "jobUid" in content ? content.jobUid : content.cronJobUid;
  return `${cluster}/${uid}/decision/${number}/${chain.slice(0, 8)}/${digestOf(content)}`;
}
function foldedId(decision, part) {
  return `${decision}/folded/${part}`;
}

// workflows/job/record/decision-records.ts
var FOLDED_IN_ONE = 500;
function isNewsBy(core, state, verdict) {
  return verdict.commands.length > 0 || !isSameJson(verdict.waiting, state.waiting) || state.last !== null && state.last.core !== core;
}
function decisionRecords({ type, of, subject, chain, core }, { last, folded }, { commands, lookAgainAt, waiting }, { now, settings }) {
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
  const id = decisionId(data);
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
  return decisionRecords(origin, state, verdict, { now, settings });
}

// workflows/job/definitions/resource-version.ts
function compareVersions(a, b) {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

// workflows/job/evolve/draft.ts
function draftOf(state) {
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
    derived: { podsByIndex: null, owed: null, ownVersions: null, spent: null, finished: null }
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
function owedTo({ owed, derived }, uid) {
  derived.owed ??= new Map([
    ...owed.succeeded.map((each) => [each, "succeeded"]),
    ...owed.failed.map((each) => [each, "failed"])
  ]);
  return derived.owed.get(uid);
}
function addOwed({ owed, derived }, counter, uid) {
  owed[counter].push(uid);
  derived.owed?.set(uid, counter);
}
function removeOwed(draft, uids) {
  const removed = new Set(uids.filter((uid) => owedTo(draft, uid) !== void 0));
  if (removed.size === 0) return;
  const isLeft = (uid) => !removed.has(uid);
  draft.owed.succeeded = draft.owed.succeeded.filter(isLeft);
  draft.owed.failed = draft.owed.failed.filter(isLeft);
  for (const uid of removed) draft.derived.owed?.delete(uid);
}
function noteWritten({ written, derived }, uid, version) {
  written[uid] = version;
  if (!isVersion(version) || derived.ownVersions === null) return;
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
  return Object.entries(written).filter(([, version]) => isVersion(version)).map(([uid, version]) => ({ uid, version })).sort((a, b) => compareVersions(a.version, b.version));
}
function isVersion(written) {
  return written < "a";
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
  if (pod.untracked === true || pod.counted === true || owedTo(draft, uid) !== void 0) return;
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
  else addOwed(draft, "succeeded", uid);
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
  else addOwed(draft, "failed", uid);
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
    const awaited = owedTo(draft, uid);
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

// workflows/job/evolve/evolve-chain.ts
function chainAfterJob(chain, before, job) {
  const isSuspended = job.spec.suspend === true;
  if (before === null && !isSuspended) return { ...chain, phase: "none", awaited: {} };
  if (chain.phase !== "open") return chain;
  return isSuspended ? prune(chain, job) : OVER;
}
var OVER = { phase: "over", awaited: {}, reported: [] };
function endChain(draft) {
  if (draft.chain.phase === "open") draft.chain = OVER;
}
function foldAwaited(draft, awaited) {
  const after = chainAfterAwaited(draft.chain, draft.job, awaited);
  if (after === null) return false;
  draft.chain = after;
  return true;
}
function chainAfterAwaited(chain, job, { name, ...awaited }) {
  const known = chain.awaited[name];
  if (job === null || chain.phase !== "open" || !isNews2(known, awaited)) return null;
  const end = awaited.gone === true ? awaited.end ?? known?.end : awaited.end;
  const now = { ...awaited, ...end !== void 0 && { end } };
  const after = prune({ ...chain, awaited: { ...chain.awaited, [name]: now } }, job);
  return after.awaited[name] === void 0 ? null : after;
}
function isNews2(known, next) {
  if (known === void 0) return true;
  if (next.gone === true) return next.uid === known.uid && known.gone !== true;
  const isNewer = compareVersions(next.resourceVersion, known.resourceVersion) > 0;
  return isNewer && !isSameJson({ ...next, resourceVersion: "" }, { ...known, resourceVersion: "" });
}
function prune(chain, { name, annotations }) {
  const named = (annotations?.after ?? []).map(({ job }) => job);
  const { names } = awaitedFrom(name, named, (each) => chain.awaited[each]?.waitsFor);
  const kept = names.flatMap((each) => {
    const awaited = chain.awaited[each];
    return awaited === void 0 ? [] : [[each, awaited]];
  });
  return { ...chain, awaited: Object.fromEntries(kept) };
}
function foldChainEvents(draft, commands) {
  for (const command of commands)
    if (command.kind === "EmitEvents" && command.chain !== void 0)
      draft.chain = { ...draft.chain, reported: command.chain };
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
  const isCounted = draft.written[pod.uid] === "counted";
  delete draft.written[pod.uid];
  placePod(draft, pod, isCounted);
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
function placePod(draft, pod, isCounted = false) {
  const claim = claimOf(draft.job, pod);
  if (claim === "other") return removePod(draft, pod.uid);
  if (pod.tracked !== true) endDelayOf(draft, pod.uid);
  const before = draft.pods[pod.uid];
  const state = podStateOf(draft.job, pod);
  const isSettled2 = before === void 0 && state.ordinal !== void 0 && state.ordinal < draft.settledBelow;
  const counted = isCounted || isSettled2 || before?.counted === true || isListedUncounted(draft.job, pod.uid);
  if (claim !== "ours") state.claim = claim;
  if (counted) state.counted = true;
  if (before?.letGo === true) state.letGo = true;
  if (before?.refused === true && pod.tracked === true) state.refused = true;
  putPod(draft, pod.uid, state);
  if (state.ordinal !== void 0) spendOrdinal(draft, state.ordinal, pod.index);
  awaitCount(draft, pod.uid);
  dropIfDone(draft, pod.uid);
}
function recognise(draft, job, uid) {
  const seen = draft.pods[uid];
  if (seen === void 0) return;
  const { of, ...pod } = seen;
  if (of !== void 0 && isOfAnother(job, of)) return removePod(draft, uid);
  draft.pods[uid] = pod;
  const ordinal = pod.name === void 0 ? null : ordinalOf(job, pod.name, pod.index);
  if (ordinal === null) return;
  const { name: _name, ...rest } = pod;
  draft.pods[uid] = { ordinal, ...rest };
  spendOrdinal(draft, ordinal, pod.index);
}
function isOfAnother(job, { namespace, controller }) {
  return namespace !== job.namespace || controller !== void 0 && controller !== job.name;
}
function removePod(draft, uid) {
  delete draft.keptPods[uid];
  endDelayOf(draft, uid);
  const pod = draft.pods[uid];
  if (pod === void 0) return;
  if (owedTo(draft, uid) !== void 0) draft.pods[uid] = { ...pod, gone: true, untracked: true };
  else delete draft.pods[uid];
}
function markCounted(draft, uids) {
  removeOwed(draft, uids);
  for (const uid of uids) {
    if (draft.written[uid] === "absent") draft.written[uid] = "counted";
    const pod = draft.pods[uid];
    if (pod === void 0) continue;
    forgetDelay(draft, uid, pod);
    draft.pods[uid] = { ...pod, counted: true };
    dropIfDone(draft, uid);
  }
}
function markReleased(draft, uid, resourceVersion) {
  noteWritten(draft, uid, resourceVersion ?? "gone");
  endDelayOf(draft, uid);
  const pod = draft.pods[uid];
  if (pod === void 0) return;
  const { refused: _refused, ...released2 } = pod;
  draft.pods[uid] = { ...released2, untracked: true };
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
  if (written === void 0 || !isVersion(written)) return written === "gone";
  const order = compareVersions(resourceVersion, written);
  if (order !== 0 || tracked2 !== true) return order < 0;
  const known = draft.pods[uid];
  return known === void 0 || known.untracked === true;
}
function claimOf(job, pod) {
  if (pod.elsewhere === true) return "other";
  if (job === null) return "ours";
  if (pod.namespace !== void 0 && pod.namespace !== job.namespace) return "other";
  const isOwnersNameOther = pod.controllerName !== void 0 && pod.controllerName !== job.name;
  if (pod.controller === job.uid && isOwnersNameOther) return "other";
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
  if (job === null && pod.namespace !== void 0)
    state.of = {
      namespace: pod.namespace,
      ...pod.controllerName !== void 0 && { controller: pod.controllerName }
    };
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
  if (pod === void 0 || pod.untracked !== true || pod.claim === "adopt" || owedTo(draft, uid) !== void 0)
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
function foldJob(draft, seen) {
  if (compareVersions(seen.resourceVersion, draft.marks.job) <= 0) return false;
  if (draft.jobGone && !draft.isGoneByAnswer) return false;
  draft.jobGone = draft.isGoneByAnswer = false;
  const before = draft.job;
  const job = withGrantBefore(withCountedBefore(seen, before), before);
  if (before !== null) attribute(draft, before, job);
  if (before !== null && job.generation !== before.generation) draft.retries = {};
  draft.marks.job = job.resourceVersion;
  draft.job = job;
  if (job.spec.suspend === true || job.status.startTime !== void 0) draft.startedAt = null;
  if (before === null) for (const uid of Object.keys(draft.pods)) recognise(draft, job, uid);
  if (isIndexed(job.spec)) foldIndexes(draft, before, job);
  draft.chain = chainAfterJob(draft.chain, before, job);
  if (job.annotations?.failedPodsLimit === void 0) draft.keptPods = {};
  if (isFinished(job.status)) forgetOwed(draft);
  else if (job.generation !== before?.generation)
    for (const uid of Object.keys(draft.pods)) awaitCount(draft, uid);
  return true;
}
function withCountedBefore(job, before) {
  if (before?.atLeast === void 0) return job;
  const raised = { ...job, atLeast: before.atLeast };
  return showsAtLeast(raised) ? job : raised;
}
function withGrantBefore(job, before) {
  const kept = before === null ? null : keptGrant(before);
  return kept === null || kept.number <= (keptGrant(job)?.number ?? -1) ? job : { ...job, kept };
}
function foldJobAbsent(draft) {
  if (draft.jobGone) return;
  draft.jobGone = draft.isGoneByAnswer = true;
}
function foldJobGone(draft, resourceVersion) {
  if (draft.jobGone && !draft.isGoneByAnswer) return false;
  draft.marks.job = resourceVersion;
  draft.jobGone = true;
  draft.isGoneByAnswer = false;
  draft.requests = [];
  forgetOwed(draft);
  draft.keptPods = {};
  endChain(draft);
  return true;
}
function forgetOwed(draft) {
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
  const [before, after] = [countedOrListed(known), countedOrListed(seen)];
  const successes = isIndexed(known.spec) ? 0 : Math.max(after.succeeded - before.succeeded, 0);
  const { countable, refused } = inOrder(draft, draft.owed.succeeded);
  const succeeded = [...countable, ...refused].slice(0, successes);
  const failed = failuresFirst(draft, known, seen, Math.max(after.failed - before.failed, 0));
  markCounted(draft, [...succeeded, ...failed]);
}
function countedOrListed(job) {
  const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
  const counted = countedOn(job);
  return { succeeded: counted.succeeded + succeeded.length, failed: counted.failed + failed.length };
}
function failuresFirst(draft, known, seen, count2) {
  const { countable, refused } = inOrder(draft, draft.owed.failed);
  const owed = countable.slice(0, count2);
  if (owed.length === count2) return owed;
  const ending3 = ["Failed", "Complete"].find(
    (type) => trueCondition(seen.status, INTERIM_CONDITION[type]) !== void 0
  );
  const others = ending3 === void 0 ? [] : failingWith(draft, known, ending3).map(({ uid }) => uid);
  return [...owed, ...others, ...refused].slice(0, count2);
}
function inOrder({ pods }, uids) {
  return {
    countable: uids.filter((uid) => canBeCounted(pods[uid])),
    refused: uids.filter((uid) => !canBeCounted(pods[uid]))
  };
}

// workflows/job/definitions/retry.ts
function decidedAt({ last }) {
  return last?.now ?? 0;
}
function afterError(before, message, decided, { firstMs, longestMs }) {
  const errors = (before?.errors ?? 0) + 1;
  return { errors, until: decided + Math.min(firstMs * 2 ** (errors - 1), longestMs), message };
}

// workflows/job/evolve/evolve-retries.ts
var BACKOFF = { firstMs: 1e3, longestMs: 6e4 };
function foldRetries(told) {
  const { draft, answer } = told;
  const trouble = troubleIn(told);
  if (trouble !== null) remember(draft, trouble);
  else if (answer.kind !== "stale" && answer.kind !== "skipped" && isDone(draft, answer.kind))
    forget(draft, answer.kind);
}
function troubleIn(told) {
  const { answer, isJobNewer } = told;
  if (answer.kind === "skipped") return null;
  if (answer.kind === "stale")
    return isJobNewer || answer.job === null ? null : { kind: answer.of, message: answer.why };
  const message = failureOf(answer)?.message ?? withoutEffect(told);
  if (message !== null) return { kind: answer.kind, message };
  if (answer.kind !== "WriteStatus" || answer.result !== "conflict") return null;
  return { kind: answer.kind, message: "the status keeps changing", isFirstFree: true };
}
function failureOf(answer) {
  if ("error" in answer) return answer.error;
  if (!("pods" in answer)) return null;
  for (const pod of answer.pods) if ("error" in pod) return pod.error;
  return null;
}
function withoutEffect({ draft, wish, answer, isJobNewer }) {
  switch (answer.kind) {
    case "CreatePods": {
      const taken = answer.pods.find(({ result }) => result === "taken");
      if (taken !== void 0) return `the name ${taken.name} belongs to a pod of somebody else`;
      const isNothingSent = answer.jobGone !== true && answer.pods.every(({ result }) => result === "skipped");
      return isNothingSent ? "no pod was created in time" : null;
    }
    case "DeletePods":
    case "ReleasePods":
      return answer.pods.length === 0 && wish?.kind === answer.kind && wish.pods.length > 0 ? "no pod was changed in time" : null;
    case "WriteStatus":
      if (answer.result === "conflict")
        return isJobNewer ? null : "the status differs from what is known of it";
      return answer.result === "written" && isLost(draft, wish, answer.job.resourceVersion) ? "the written status has an older version than one that was seen" : null;
    case "DeleteJob":
      return answer.result === "kept" && !isJobNewer ? "the Job has not expired on the server" : null;
    case "AdoptPods":
    case "DisownPods":
    case "EmitEvents":
    case "SetSuspend":
    case "RefuseRequest":
    case "LookUpJob":
    case "LookUpPods":
    case "LookUpOrphans":
    case "EnsureGang":
    case "stale":
    case "skipped":
      return null;
  }
}
function isLost({ job, marks }, wish, version) {
  if (wish?.kind !== "WriteStatus" || compareVersions(version, marks.job) >= 0) return false;
  return !isSameJson(job?.status, wish.to);
}
function isDone(draft, kind) {
  return kind !== "ReleasePods" || !Object.values(draft.pods).some(({ refused }) => refused === true);
}
function remember(draft, { kind, message, isFirstFree }) {
  const decided = decidedAt(draft);
  const retry = afterError(draft.retries[kind], message, decided, BACKOFF);
  if (isFirstFree === true && retry.errors === 1) retry.until = decided;
  draft.retries = { ...draft.retries, [kind]: retry };
}
function forget(draft, kind) {
  const { [kind]: _forgotten, ...others } = draft.retries;
  draft.retries = others;
}

// workflows/job/evolve/evolve-outcome.ts
function foldOutcome(draft, { command, answer }) {
  const before = draft.marks.job;
  foldEffect(draft, command, answer);
  const isJobNewer = draft.marks.job !== before;
  foldRetries({ draft, wish: draft.pending[command], answer, isJobNewer });
  if (command === draft.pending.length - 1) draft.pending = [];
}
function foldEffect(draft, command, answer) {
  switch (answer.kind) {
    case "CreatePods":
      for (const pod of answer.pods) foldCreation(draft, pod, indexAt(draft, command, pod.name));
      if (answer.jobGone === true) foldJobAbsent(draft);
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
      if (answer.result === "gone" && answer.request === void 0) endChain(draft);
      return;
    case "RefuseRequest":
      draft.requests = draft.requests.filter((request) => request.id !== answer.request);
      return;
    case "LookUpJob":
      if (answer.job === null) foldJobAbsent(draft);
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
      if (answer.result === "gone") foldJobAbsent(draft);
      else if (answer.result !== "failed") foldJobRead(draft, answer.job);
      return;
    case "LookUpOrphans":
      if (answer.result === "failed") return;
      foldOrphans(draft, answer.orphans);
      draft.orphansFound = !answer.more;
      return;
    case "EnsureGang":
      if (answer.result === "done") draft.gang = answer.gang;
      if (answer.result === "gone") foldJobAbsent(draft);
      return;
    case "stale":
      if (answer.job === null) foldJobAbsent(draft);
      else foldJobRead(draft, answer.job);
      return;
    case "EmitEvents":
    case "skipped":
      return;
  }
}
var CORES_WITHOUT_ANNOTATIONS = /* @__PURE__ */ new Set(["1", "2", "3"]);
var CORES_WITHOUT_GANGS_AND_CHAINS = /* @__PURE__ */ new Set([...CORES_WITHOUT_ANNOTATIONS, "4"]);
var CORES_WITHOUT_OWNERS = /* @__PURE__ */ new Set([...CORES_WITHOUT_GANGS_AND_CHAINS, "5", "6"]);
function foldJobRead(draft, job) {
  const { annotations, hasSchedulingGroup, controlled, delegated } = draft.job ?? {};
  const core = draft.last?.core ?? "";
  const isBefore5 = CORES_WITHOUT_GANGS_AND_CHAINS.has(core);
  const after = isBefore5 ? annotations?.after : void 0;
  foldJob(draft, {
    ...job,
    ...after !== void 0 && { annotations: { ...job.annotations, after } },
    ...annotations !== void 0 && CORES_WITHOUT_ANNOTATIONS.has(core) && { annotations },
    ...hasSchedulingGroup !== void 0 && isBefore5 && { hasSchedulingGroup },
    ...CORES_WITHOUT_OWNERS.has(core) && {
      ...controlled && { controlled },
      ...delegated && { delegated }
    }
  });
}
function foldCreation(draft, pod, index) {
  if (pod.result === "failed" || pod.result === "skipped") return;
  if (index !== void 0) spendOrdinalOf(draft, index, pod.ordinal);
  draft.nextOrdinal = Math.max(draft.nextOrdinal, pod.ordinal + 1);
  if (pod.result === "taken" || draft.pods[pod.uid] !== void 0 || draft.written[pod.uid] !== void 0)
    return;
  if (pod.pod !== void 0 && isSettled(pod.pod)) return;
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
function isSettled(pod) {
  return hasEnded(pod) && pod.tracked !== true;
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
  if (untracked) markReleased(draft, pod.uid, pod.resourceVersion);
  else if (pod.resourceVersion !== void 0) noteWritten(draft, pod.uid, pod.resourceVersion);
  const known = draft.pods[pod.uid];
  if (known !== void 0) draft.pods[pod.uid] = { ...known, deleting: true };
}
function foldRelease(draft, pod) {
  if (pod.result === "done") return markReleased(draft, pod.uid, pod.resourceVersion);
  if (pod.result === "gone") return vanish(draft, pod.uid);
  const known = draft.pods[pod.uid];
  if (known !== void 0) draft.pods[pod.uid] = { ...known, refused: true };
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
  noteWritten(draft, uid, pod.counted === true || pod.letGo === true ? "counted" : "absent");
  removePod(draft, uid);
}
function foldStatus(draft, command, answer) {
  if (answer.result === "conflict") return foldJobRead(draft, answer.job);
  if (answer.result === "gone") return foldJobAbsent(draft);
  const wish = draft.pending[command];
  if (answer.result !== "written" || wish?.kind !== "WriteStatus" || draft.job === null) return;
  markCounted(draft, [...wish.counted.succeeded, ...wish.counted.failed]);
  if (compareVersions(answer.job.resourceVersion, draft.marks.job) <= 0) return;
  draft.job = { ...draft.job, status: wish.to };
  foldJobRead(draft, answer.job);
}

// workflows/job/evolve/evolve-epoch.ts
function enterEpoch(draft, fact) {
  const epoch = epochOf2(fact);
  if (epoch === null || epoch === draft.epoch) return true;
  if (epoch < draft.epoch) return false;
  draft.epoch = epoch;
  draft.marks = { job: "", pods: "", listed: "" };
  draft.written = settled(draft);
  draft.derived.ownVersions = null;
  draft.retries = {};
  draft.settledBelow = draft.nextOrdinal;
  if (draft.job !== null) draft.job = { ...draft.job, atLeast: countedBefore(draft.job) };
  if (fact.type === "job.observed") draft.jobGone = draft.isGoneByAnswer = false;
  return true;
}
function epochOf2(fact) {
  switch (fact.type) {
    case "job.observed":
    case "job.deleted":
    case "pod.observed":
    case "pod.deleted":
      return fact.epoch ?? 0;
    case "command.received":
    case "awaited-job.observed":
      return null;
  }
}
function settled({ written, pods }) {
  const gone = Object.entries(written).filter(([uid, note2]) => !isVersion(note2) && pods[uid] === void 0);
  return Object.fromEntries(gone.map(([uid]) => [uid, "counted"]));
}

// workflows/job/evolve/evolve-requests.ts
var REQUESTS_KEPT = 100;
function foldRequest(draft, { id, command, by }) {
  if (draft.requested.includes(id)) return false;
  draft.requested = [...draft.requested, id].slice(-REQUESTS_KEPT);
  draft.requests = [...draft.requests, { id, command, by }];
  return true;
}

// workflows/job/evolve/evolve.ts
function fold(state, events) {
  const draft = draftOf(state);
  for (const event of events) foldInto(draft, event);
  return stateOf(draft);
}
function foldInto(draft, event) {
  if (event.type === "job.decided") return foldDecision(draft, event.id, event.data);
  if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
}
function foldContent(draft, event) {
  if (event.type !== "command.answered" && !enterEpoch(draft, event)) return false;
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
    case "awaited-job.observed":
      return foldAwaited(draft, event.awaited);
    case "command.answered":
      foldOutcome(draft, event.data);
      return true;
  }
}
function foldDecision(draft, id, content) {
  draft.last = { number: content.number, id, core: content.core, now: content.now };
  draft.waiting = content.waiting;
  draft.pending = content.commands;
  draft.folded = [];
  excludeFromCount(draft, content.commands);
  for (const command of content.commands) {
    if (command.kind === "EmitEvents" && command.invalid !== void 0) draft.warned = command.invalid;
    if (command.kind === "WriteStatus") noteStart(draft, command);
  }
  foldChainEvents(draft, content.commands);
}
function noteStart(draft, { from, to }) {
  if (from.startTime === void 0) draft.startedAt ??= to.startTime ?? null;
}
function excludeFromCount(draft, commands) {
  for (const command of commands) {
    if (command.kind !== "DeletePods" || command.letGo !== true) continue;
    for (const { uid } of command.pods) {
      const pod = draft.pods[uid];
      if (pod !== void 0 && owedTo(draft, uid) === void 0) draft.pods[uid] = { ...pod, letGo: true };
    }
  }
}

// workflows/job/state.ts
var INITIAL_STATE = {
  job: null,
  jobGone: false,
  isGoneByAnswer: false,
  epoch: 0,
  settledBelow: 0,
  startedAt: null,
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
  chain: { phase: "open", awaited: {}, reported: [] },
  orphansFound: false,
  gang: null,
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

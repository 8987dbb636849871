// Compiled from workflows/placement by "npm run freeze-core". Never edited.

// workflows/kubernetes/names.ts
var PLACEMENT_FINALIZER = "jobledger.dev/placement";
var PLACED = "jobledger.dev/Placed";
var CLUSTERS = "jobledger.dev/clusters";
var SPILL_AFTER = "jobledger.dev/spill-after";
var SPREAD = "jobledger.dev/spread";
var IF_CLUSTER_IS_LOST = "jobledger.dev/if-cluster-is-lost";
var INDEXES_KEPT = "jobledger.dev/Indexes";

// workflows/job/definitions/conditions.ts
var INTERIM_CONDITION = {
  Complete: "SuccessCriteriaMet",
  Failed: "FailureTarget"
};
var OWN_TYPES = /* @__PURE__ */ new Set([
  "Suspended",
  "Complete",
  "Failed",
  "FailureTarget",
  "SuccessCriteriaMet",
  INDEXES_KEPT
]);
function isOwnCondition(condition) {
  return OWN_TYPES.has(condition.type);
}
function isFinished(status) {
  return terminalCondition(status) !== void 0;
}
function terminalCondition(status) {
  return status.conditions?.find(({ type, status: value }) => isEndType(type) && value === "True");
}
function endingCondition(status) {
  return status.conditions?.find(({ type, status: value }) => endTypeOf(type) !== null && value === "True");
}
function endTypeOf(type) {
  if (isEndType(type)) return type;
  if (type === INTERIM_CONDITION.Complete) return "Complete";
  return type === INTERIM_CONDITION.Failed ? "Failed" : null;
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
function parseIndexes(text, completions) {
  const indexes2 = [];
  for (const fragment of text.split(",")) {
    const [first = Number.NaN, last = first] = fragment.split("-", 2).map(numberOf);
    if (Number.isNaN(first) || Number.isNaN(last)) continue;
    if (first >= completions) break;
    append(indexes2, first, Math.min(last, completions - 1));
  }
  return indexes2;
}
function formatIndexes(indexes2) {
  return indexes2.map(
    ([first, last]) => last === first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`
  ).join(",");
}
function union(a, b) {
  if (b.length === 0) return a;
  const indexes2 = [];
  for (const [first, last] of [...a, ...b].toSorted((one, other) => one[0] - other[0]))
    append(indexes2, first, last);
  return indexes2;
}
function sizeOf(indexes2) {
  return indexes2.reduce((sum2, [first, last]) => sum2 + last - first + 1, 0);
}
function contains(indexes2, index) {
  let [low, high] = [0, indexes2.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((indexes2[middle]?.[1] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const found = indexes2[low];
  return found !== void 0 && found[0] <= index;
}
function overlapOf(a, b) {
  return sizeOf(a) + sizeOf(b) - sizeOf(union(a, b));
}
function difference(a, b) {
  const left = [];
  let at = 0;
  for (const [first, last] of a) {
    let next = first;
    while (at < b.length && (b[at]?.[1] ?? 0) < first) at += 1;
    for (let other = at; other < b.length && (b[other]?.[0] ?? 0) <= last; other += 1) {
      append(left, next, (b[other]?.[0] ?? 0) - 1);
      next = (b[other]?.[1] ?? 0) + 1;
    }
    append(left, next, last);
  }
  return left;
}
function lowestOf(indexes2, count) {
  const chosen = [];
  let left = count;
  for (const [first, last] of indexes2) {
    if (left <= 0) break;
    append(chosen, first, Math.min(last, first + left - 1));
    left -= last - first + 1;
  }
  return chosen;
}
function append(indexes2, first, last) {
  const before = indexes2.at(-1);
  if (before !== void 0 && first <= before[1] + 1) before[1] = Math.max(before[1], last);
  else if (last >= first) indexes2.push([first, last]);
}
function numberOf(text) {
  return /^\+?\d+$/.test(text) ? Number(text) : Number.NaN;
}

// workflows/job/definitions/index-grant.ts
var MOST_COMPLETIONS = 2 ** 31 - 1;
function indexGrantIn(text) {
  const { number, indexes: indexes2, end } = /^(?<number>\d{1,9}):(?<indexes>[-\d,]*)(?::(?<end>Complete|Failed))?$/.exec(text)?.groups ?? {};
  if (number === void 0 || indexes2 === void 0) return null;
  if (formatIndexes(parseIndexes(indexes2, MOST_COMPLETIONS)) !== indexes2) return null;
  return { number: Number(number), indexes: indexes2, ...end !== void 0 && { end } };
}
function keptGrant({ status, kept }) {
  const { message = "" } = trueCondition(status, INDEXES_KEPT) ?? {};
  const shown = indexGrantIn(message);
  return shown !== null && shown.number >= (kept?.number ?? 0) ? shown : kept ?? null;
}
function grantedIndexes({ indexes: indexes2 }) {
  return parseIndexes(indexes2, MOST_COMPLETIONS);
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

// workflows/placement/observe/wishes.ts
var DEFAULT_SPILL_AFTER_MS = 12e4;
var LONGEST_REPORTED = 100;
var MOST_CLUSTERS = 100;
var UNITS = { s: 1e3, m: 6e4, h: 36e5 };
var CLUSTER_LIST = `a list of at most ${MOST_CLUSTERS} clusters in order of preference, such as "west, east", or labels of clusters, such as "region=eu, gpu=a100"`;
var DURATION = "a duration such as 90s, 2m or 1h";
var POLICY = "Wait, MoveWhenStopped=<duration> or MoveAfter=<duration>, such as MoveAfter=30m";
function wishesIn(texts = {}) {
  const invalid = [];
  const read = (name, allowed, parse) => {
    const text = texts[name];
    if (text === void 0) return null;
    const value = parse(text.trim());
    if (value === null) invalid.push(`${name} "${text.slice(0, LONGEST_REPORTED)}" is not ${allowed}`);
    return value;
  };
  const clusters = read(CLUSTERS, CLUSTER_LIST, clustersIn);
  const spillAfterMs = read(SPILL_AFTER, DURATION, durationIn) ?? DEFAULT_SPILL_AFTER_MS;
  const ifLost = read(IF_CLUSTER_IS_LOST, POLICY, policyIn) ?? { kind: "Wait" };
  const spread = read(SPREAD, "room, even or price", spreadIn);
  return {
    ...clusters !== null && clusters !== void 0 && { clusters },
    spillAfterMs,
    ifLost,
    ...spread !== null && { spread },
    ...invalid.length > 0 && { invalid }
  };
}
function durationIn(text) {
  const { number, unit = "" } = /^(?<number>\d{1,6})(?<unit>[smh])$/.exec(text)?.groups ?? {};
  const ms = Number(number) * (UNITS[unit] ?? 0);
  return ms > 0 ? ms : null;
}
function spreadIn(text) {
  return text === "room" || text === "even" || text === "price" ? text : null;
}
function policyIn(text) {
  if (text === "Wait") return { kind: "Wait" };
  const { kind, duration = "" } = /^(?<kind>MoveWhenStopped|MoveAfter)\s*=\s*(?<duration>.*)$/.exec(text)?.groups ?? {};
  const afterMs = durationIn(duration);
  if (kind === void 0 || afterMs === null) return null;
  return { kind, afterMs };
}
function clustersIn(text) {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > MOST_CLUSTERS || new Set(parts).size < parts.length) return null;
  if (parts.every((part) => /^[a-zA-Z0-9](?:[-_.a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(part)))
    return { names: parts };
  const labels = {};
  for (const part of parts) {
    const { key, value } = /^(?<key>[-_./a-zA-Z0-9]+)\s*=\s*(?<value>[-_.a-zA-Z0-9]*)$/.exec(part)?.groups ?? {};
    if (key === void 0 || value === void 0 || key in labels) return null;
    labels[key] = value;
  }
  return { labels };
}

// workflows/placement/observe/compact.ts
function compact(event) {
  switch (event.type) {
    case "job.observed":
      return {
        ...originOf(event),
        ...inEpoch(event.data),
        type: event.type,
        job: placedJobFacts(event.data.cluster, event.data.object)
      };
    case "job.deleted":
      return {
        ...originOf(event),
        ...inEpoch(event.data),
        type: event.type,
        resourceVersion: event.data.resourceVersion
      };
    case "member.observed":
      return { ...originOf(event), type: event.type, member: event.data.member };
    case "member.deleted": {
      const { cluster, uid, name, resourceVersion, epoch } = event.data.member;
      return {
        ...originOf(event),
        type: event.type,
        cluster,
        uid,
        name,
        resourceVersion,
        ...epoch !== void 0 && { epoch }
      };
    }
    case "command.received":
      return { ...originOf(event), type: event.type, command: event.data.command, by: event.data.by };
    case "placement.decided":
    case "command.answered":
      return event;
    case "placement.folded":
    case "placement.snapshotted":
      return null;
  }
}
function originOf({ id, digest }) {
  return { id, digest };
}
function inEpoch({ epoch }) {
  return epoch === void 0 ? {} : { epoch };
}
function placedJobFacts(cluster, { metadata, spec, status }) {
  const { template, selector: _selector, ...rest } = spec;
  const podDeadlineSeconds = plainNumbers(template?.spec.activeDeadlineSeconds);
  const podGraceSeconds = plainNumbers(template?.spec.terminationGracePeriodSeconds);
  const undivided = undividedBecause(spec);
  return {
    cluster,
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: plainNumbers(metadata.generation ?? 1),
    deleting: metadata.deletionTimestamp !== void 0,
    held: metadata.finalizers?.includes(PLACEMENT_FINALIZER) === true,
    spec: plainNumbers(rest),
    ...podDeadlineSeconds !== void 0 && { podDeadlineSeconds },
    ...podGraceSeconds !== void 0 && { podGraceSeconds },
    ...undivided !== null && { undivided },
    status: plainNumbers(status ?? {}),
    wishes: wishesIn(metadata.annotations)
  };
}
function undividedBecause({ completionMode, template, scheduling }) {
  if (completionMode !== "Indexed") return "it is not Indexed";
  const { subdomain, affinity, schedulingGroup } = template?.spec ?? {};
  if (subdomain !== void 0 && subdomain !== "") return "its pods find each other by their subdomain";
  if (affinity?.podAffinity !== void 0 || affinity?.podAntiAffinity !== void 0)
    return "its pods have an affinity to other pods";
  if (schedulingGroup !== void 0 || scheduling !== void 0) return "its pods are scheduled as a group";
  return null;
}

// workflows/job/decide/verdict.ts
var nothing = { commands: [], lookAgainAt: null, waiting: null };
function earliest(...instants) {
  const some = instants.filter((instant) => instant !== null);
  return some.length === 0 ? null : Math.min(...some);
}

// workflows/placement/definitions/grants.ts
function holderOf({ grants }) {
  const last = grants.at(-1);
  return last?.ended === void 0 ? last : void 0;
}
function countingGrant({ grants }) {
  return grants.findLast(({ member }) => member !== null);
}
function isGift(command) {
  return command.kind === "CreateMember" || command.kind === "RenewGuard";
}
function nextGrant({ grants }) {
  return (grants.at(-1)?.number ?? 0) + 1;
}
function hasFinished({ member }) {
  return member !== null && isFinished(member.status);
}
function isAcknowledged({ member }) {
  if (member === null || member.spec.suspend !== true) return false;
  const { active = 0, terminating = 0, uncountedTerminatedPods: uncounted = {} } = member.status;
  const { succeeded = [], failed = [] } = uncounted;
  return trueCondition(member.status, "Suspended") !== void 0 && active + terminating + succeeded.length + failed.length === 0;
}
function aboutMember({ cluster, number, name }) {
  return { cluster, grant: number, name };
}

// workflows/placement/settings.ts
var FRESH_MS = 5e3;
function fresh(settings, now) {
  const { candidates, ...others } = settings;
  return candidates !== void 0 && now - candidates.readAt < FRESH_MS ? settings : others;
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

// workflows/job/definitions/expiry.ts
function expiryOf({ deleting: deleting2, spec, status }) {
  const { ttlSecondsAfterFinished } = spec;
  if (deleting2 || ttlSecondsAfterFinished === void 0) return null;
  const finished = finishTimeOf(status);
  return finished === null ? null : finished + ttlSecondsAfterFinished * 1e3;
}
function finishTimeOf(status) {
  return instantOf(terminalCondition(status)?.lastTransitionTime);
}

// workflows/placement/definitions/parts.ts
function isSpread({ job, grants }, { spread }) {
  if (grants.length > 0) return grants.some(({ part }) => part !== void 0);
  if (spread !== true || job === null) return false;
  const { wishes, undivided } = job;
  return wishes.spread !== void 0 && wishes.invalid === void 0 && undivided === void 0;
}
function unaccounted({ grants }) {
  return grants.filter(
    (grant) => grant.part !== void 0 && grant.ended !== void 0 && grant.member !== null && grant.left === void 0
  );
}
function failuresLeft({ grants }, indexes2) {
  const found = grants.flatMap(
    ({ left }) => Object.entries(left?.failures.indexes ?? {}).filter(([index]) => contains(indexes2, Number(index)))
  );
  return found.length === 0 ? void 0 : Object.fromEntries(found);
}
function openParts({ grants }) {
  return grants.filter((grant) => grant.part !== void 0 && grant.ended === void 0);
}
function finishedOf({ grants }, { spec, status }) {
  const { completions = 0 } = spec;
  const statuses = [status, ...grants.flatMap(({ member }) => member?.status ?? [])];
  const all = (field) => statuses.reduce((sum2, each) => union(sum2, parseIndexes(each[field] ?? "", completions)), []);
  const completed2 = all("completedIndexes");
  const failed = spec.backoffLimitPerIndex === void 0 ? null : difference(all("failedIndexes"), completed2);
  return { completed: completed2, failed };
}
function openIn({ part }, finished, completions) {
  return difference(parseIndexes(part.indexes, completions), closedIn(finished));
}
function freeIndexes(state, finished, completions) {
  const all = completions > 0 ? [[0, completions - 1]] : [];
  const held = openParts(state).reduce(
    (sum2, { part }) => union(sum2, parseIndexes(part.indexes, completions)),
    []
  );
  return difference(all, union(held, closedIn(finished)));
}
function closedIn({ completed: completed2, failed }) {
  return union(completed2, failed ?? []);
}
function givenUpBy({ part, member }) {
  if (part.keeps === void 0 || member === null) return null;
  const kept = keptGrant({ status: member.status });
  if (kept?.number !== part.number) return null;
  return difference(grantedIndexes(part), grantedIndexes(kept));
}
function boundOf({ part, member }, open) {
  const parallelism = Math.max(part.parallelism, member?.spec.parallelism ?? 0);
  return Math.max(member?.status.active ?? 0, Math.min(parallelism, sizeOf(open)));
}
function partWithout({ keeps: _kept, ...part }, given) {
  return { ...part, indexes: formatIndexes(difference(indexesIn(part.indexes), indexesIn(given))) };
}
function isWithin(indexes2, others) {
  return sizeOf(difference(indexesIn(indexes2), indexesIn(others))) === 0;
}
function indexesIn(text) {
  return grantedIndexes({ indexes: text });
}

// workflows/job/decide/hold-back.ts
var NO_ERRORS = { errors: 0, until: 0, message: "" };

// workflows/placement/definitions/retry-key.ts
function retryKey(command) {
  return "cluster" in command ? `${command.kind}@${command.cluster}` : command.kind;
}

// workflows/placement/decide/plans.ts
function inOrder(...verdicts) {
  const candidates = verdicts.find((each) => each.candidates !== void 0)?.candidates;
  return {
    commands: verdicts.flatMap(({ commands }) => commands),
    lookAgainAt: earliest(...verdicts.map(({ lookAgainAt }) => lookAgainAt)),
    waiting: verdicts.find(({ waiting }) => waiting !== null)?.waiting ?? null,
    ...candidates !== void 0 && { candidates }
  };
}
function send(at, ...commands) {
  const held = commands.map((command) => ({ command, ...at.state.retries[retryKey(command)] ?? NO_ERRORS })).filter(({ until }) => until > at.now);
  const [first] = held.toSorted((a, b) => b.until - a.until);
  const isHeld = new Set(held.map(({ command }) => command));
  const words = first === void 0 ? "" : `no ${retryKey(first.command)} before ${isoTime(first.until)}: ${first.message}`;
  return {
    commands: commands.filter((command) => !isHeld.has(command)),
    lookAgainAt: earliest(...held.map(({ until }) => until)),
    waiting: first === void 0 ? null : { rule: "J-16.20", words }
  };
}
function report({ state }, type, reason, message) {
  if (state.reported.includes(message)) return nothing;
  const events = [{ type, reason, message }];
  return {
    ...nothing,
    commands: [{ kind: "EmitEvents", events, why: { rule: "J-16.22", words: `reported: ${reason}` } }]
  };
}

// workflows/placement/decide/look-for-member.ts
var ARRIVES_WITHIN_MS = 15e3;
function lastArrival({ askedAt }) {
  return askedAt + ARRIVES_WITHIN_MS;
}
function lookForMember(at, grant) {
  const where = `the member ${grant.name} in the cluster ${grant.cluster}`;
  if (grant.absentAt !== void 0 && at.now < lastArrival(grant))
    return {
      ...nothing,
      lookAgainAt: lastArrival(grant),
      waiting: { rule: "J-16.17", words: `${where} may still be created` }
    };
  return send(at, {
    kind: "LookUpMember",
    ...aboutMember(grant),
    mark: grant.mark,
    why: { rule: "J-16.17", words: `${where}: was it created?` }
  });
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

// workflows/placement/definitions/silence.ts
function silenceOf({ clusters }, cluster) {
  const since = clusters?.[cluster]?.silentSince;
  return since === void 0 ? null : `the cluster ${cluster} has not answered since ${isoTime(since)}`;
}

// workflows/placement/definitions/member-name.ts
function guardName(member) {
  return `${member}-guard`;
}
var LONGEST = 63;
function memberName({ name, cluster: home }, { cluster, number }) {
  const member = number === 1 && cluster !== home ? name : `${name}-m${number}`;
  return member.length > LONGEST ? null : member;
}

// workflows/placement/decide/choose.ts
function choose(job, candidates, { excluded, withRoom = false }) {
  const refused2 = [];
  const fit = [];
  for (const candidate of candidates) {
    const why = refusalOf(job.wishes, candidate, excluded) ?? (withRoom && !hasRoom(candidate) ? NO_ROOM : null);
    if (why === null) fit.push(candidate);
    else refused2.push({ cluster: candidate.cluster, why });
  }
  const pods = podsAtOnce(job);
  const ranked = fit.toSorted(
    (a, b) => rankOfRoom(a, pods) - rankOfRoom(b, pods) || rankOfOrder(job.wishes, a) - rankOfOrder(job.wishes, b) || (a.price ?? 0) - (b.price ?? 0) || roomOf(b) - roomOf(a) || (a.cluster < b.cluster ? -1 : 1)
  );
  const missing = namesIn(job.wishes).filter((name) => !candidates.some(({ cluster }) => cluster === name));
  for (const cluster of missing)
    refused2.push({ cluster, why: "no cluster that the operator allows has this name" });
  return { chosen: ranked[0] ?? null, ranked, refused: refused2 };
}
function podsAtOnce({ spec }) {
  const { parallelism = 1, completions = Infinity } = spec;
  return Math.max(1, Math.min(parallelism, completions));
}
var NO_ROOM = "no pod of the Job fits there now";
function refusalOf(wishes, candidate, excluded) {
  const { cluster, labels = {}, refused: refused2 } = candidate;
  const { clusters } = wishes;
  if (clusters !== void 0 && "names" in clusters && !clusters.names.includes(cluster))
    return "the Job does not name it";
  if (clusters !== void 0 && "labels" in clusters) {
    const other = Object.entries(clusters.labels).find(([key, value]) => labels[key] !== value);
    if (other !== void 0) return `it has no label ${other.join("=")}`;
  }
  return refused2 ?? excluded.get(cluster) ?? null;
}
function hasRoom({ room = Infinity }) {
  return room >= 1;
}
function rankOfRoom({ room = Infinity }, pods) {
  return room >= pods ? 0 : room >= 1 ? 1 : 2;
}
function roomOf({ room = 0 }) {
  return room;
}
function rankOfOrder(wishes, { cluster }) {
  return Math.max(0, namesIn(wishes).indexOf(cluster));
}
function namesIn({ clusters }) {
  return clusters !== void 0 && "names" in clusters ? clusters.names : [];
}

// workflows/placement/decide/deadline.ts
function deadlineOf({ job, state }) {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const start = instantOf(state.startedAt);
  if (activeDeadlineSeconds === void 0 || suspend === true || start === null) return null;
  return start + activeDeadlineSeconds * 1e3;
}
function remainingSeconds(at) {
  const deadline = deadlineOf(at);
  if (deadline === null) return at.job.spec.activeDeadlineSeconds;
  return Math.max(1, Math.ceil((deadline - at.now) / 1e3));
}

// workflows/placement/definitions/refusal.ts
function refusalOf2({ lost, cordoned, silentSince }) {
  if (lost !== void 0) return `declared lost by ${lost.by}`;
  if (cordoned !== void 0) return `${cordoned.drain === true ? "drained" : "cordoned"} by ${cordoned.by}`;
  return silentSince === void 0 ? null : "it does not answer";
}

// workflows/placement/decide/excluded.ts
var REFUSED_MS = 6e4;
var SPILLED_MS = 6e5;
function excludedNow({ grants }, settings, now) {
  const lately = grants.flatMap(({ cluster, refused: refused2, since, stopping, ended }) => {
    if (refused2 !== void 0 && now - since < REFUSED_MS) return [[cluster, refused2]];
    const isSpilled = stopping === "spill" && ended !== void 0 && now - ended.at < SPILLED_MS;
    return isSpilled ? [[cluster, "its pods found no node there"]] : [];
  });
  const said = Object.entries(settings.clusters ?? {}).flatMap(([cluster, word]) => {
    const why = refusalOf2(word);
    return why === null ? [] : [[cluster, why]];
  });
  return new Map([...lately, ...said]);
}

// workflows/placement/decide/guard.ts
var RENEWALS = 3;
var STARTS_WITHIN_MS = 6e4;
var LOOK_AGAIN_MS = 1e3;
var CLOCKS = { apartMs: 1e4, rate: 1.02 };
var DEFAULT_GRACE_SECONDS = 30;
var DELETION_MS = 6e4;
function guardWish({ job }) {
  const { ifLost } = job.wishes;
  return ifLost.kind === "MoveWhenStopped" ? { leaseSeconds: Math.ceil(ifLost.afterMs / 1e3) } : null;
}
function guardTrouble(at) {
  if (guardWish(at) === null || at.job.podDeadlineSeconds !== void 0) return null;
  const words = "MoveWhenStopped needs spec.template.spec.activeDeadlineSeconds: without it, nothing ends a pod whose node cannot reach its API server";
  return inOrder(
    { ...nothing, waiting: { rule: "J-16.16", words } },
    report(at, "Warning", "NoPodDeadline", words)
  );
}
function startGuard(at, grant) {
  const { guard, cluster } = grant;
  if (guard === void 0 || guard.isStarted && guard.gone !== true) return null;
  if (guard.gone === true) return refused(at, grant, "the guard was deleted before the member was created");
  if (isSilent(at, grant)) return nothing;
  if (guard.uid !== null && at.now - grant.since > STARTS_WITHIN_MS)
    return refused(
      at,
      grant,
      `the built-in Job controller of the cluster ${cluster} does not start the guard`
    );
  const again = guard.renewedAt + LOOK_AGAIN_MS;
  if (guard.uid !== null && at.now < again) {
    const words = `the cluster ${cluster} has not started the guard yet`;
    return { ...nothing, lookAgainAt: again, waiting: { rule: "J-16.16", words } };
  }
  return renewal(at, grant, guard, "the guard must have started before the member is created");
}
function isSilent({ settings }, { cluster }) {
  return silenceOf(settings, cluster) !== null;
}
function refused(at, grant, words) {
  return send(at, {
    kind: "EndGrant",
    ...aboutMember(grant),
    basis: "refused",
    why: { rule: "J-16.16", words }
  });
}
function renewGuard(at, grant) {
  const { guard } = grant;
  if (guard === void 0 || guard.gone === true || hasFinished(grant) || isSilent(at, grant)) return nothing;
  const interval = guard.leaseSeconds * 1e3 / RENEWALS;
  const due = guard.renewedAt + interval;
  if (due > at.now) return { ...nothing, lookAgainAt: due };
  return renewal(at, grant, guard, `the guard is renewed every ${Math.round(interval / 1e3)} s`);
}
function renewal(at, grant, { uid, leaseSeconds }, words) {
  return send(at, {
    kind: "RenewGuard",
    ...aboutMember(grant),
    leaseSeconds,
    mark: grant.mark,
    ...uid !== null && { uid },
    why: { rule: "J-16.16", words }
  });
}
function releaseGuards(at) {
  const done = at.state.grants.filter((grant) => hasFinished(grant) || grant.ended !== void 0);
  return inOrder(...done.map((grant) => releaseGuard(at, grant)));
}
function releaseGuard(at, grant) {
  const { guard, ended } = grant;
  if (guard === void 0 || guard.uid === null || guard.gone === true) return nothing;
  if (ended !== void 0 && ["guarded", "lost", "time"].includes(ended.basis)) return nothing;
  return send(at, {
    kind: "ReleaseGuard",
    ...aboutMember(grant),
    uid: guard.uid,
    why: { rule: "J-16.16", words: "the member needs no guard any more" }
  });
}
function guardOf({ name, guard }) {
  return guard === void 0 || guard.uid === null ? {} : { guard: { name: guardName(name), uid: guard.uid } };
}
function overBy(at, { guard }) {
  if (guard === void 0 || guard.gone === true) return null;
  const { podDeadlineSeconds = 0, podGraceSeconds = DEFAULT_GRACE_SECONDS } = at.job;
  const span = DELETION_MS + (guard.leaseSeconds + podDeadlineSeconds + podGraceSeconds) * 1e3;
  return guard.renewedAt + span * CLOCKS.rate + CLOCKS.apartMs;
}

// workflows/job/definitions/deadline-exceeded.ts
var DEADLINE_EXCEEDED = {
  reason: "DeadlineExceeded",
  message: "Job was active longer than specified deadline"
};

// workflows/placement/decide/status.ts
function writeStatus(at, rest = nothing) {
  return replaceStatus(at, rest, nextStatus(at, rest));
}
function replaceStatus(at, rest, to, why = { rule: "J-16.8", words: "the status of the member, or where it is, has changed" }) {
  if (rest.commands.some(({ kind }) => kind === "HoldJob")) return nothing;
  if (to === null || isSameJson(comparable(at.job.status), comparable(to))) return nothing;
  return write(at, to, why);
}
function failAtDeadline(at) {
  const time = apiTime(at.now);
  const ended = { status: "True", ...DEADLINE_EXCEEDED };
  let { conditions = [] } = at.job.status;
  for (const type of [INTERIM_CONDITION.Failed, "Failed"])
    conditions = withCondition(conditions, conditionAt(time, { type, ...ended }));
  const { startTime = at.state.startedAt ?? time } = at.job.status;
  const to = { ...at.job.status, ...IDLE, conditions, startTime };
  delete to.active;
  return write(at, to, { rule: "J-6.5", words: ended.message });
}
var IDLE = {
  ready: 0,
  terminating: 0,
  uncountedTerminatedPods: {}
};
function write(at, to, why) {
  const { status: from, resourceVersion } = at.job;
  return send(at, { kind: "WriteStatus", resourceVersion, from, to, why });
}
function nextStatus(at, rest) {
  const { job, state } = at;
  const grant = countingGrant(state);
  const where = placedCondition(at, whereabouts(at, rest));
  const own = grant?.member?.status ?? {};
  const isOver = grant !== void 0 && hasFinished(grant);
  if (where === null && Object.keys(own).length === 0 && !(job.spec.suspend === true)) return null;
  const conditions = conditionsOf(at, own, { isOver, where });
  const holder = holderOf(state);
  const isSuspended = trueCondition({ conditions }, "Suspended") !== void 0;
  const startTime = isSuspended ? void 0 : state.startedAt ?? own.startTime ?? job.status.startTime;
  const runs = holder !== void 0 && holder === grant;
  return {
    ...conditions.length > 0 && { conditions },
    ...startTime !== void 0 && { startTime },
    ...own.completionTime !== void 0 && { completionTime: notBefore(startTime, own.completionTime) },
    ...runs && own.active !== void 0 && { active: own.active },
    ready: runs ? own.ready ?? 0 : 0,
    terminating: runs ? own.terminating ?? 0 : 0,
    ...counter("succeeded", job.status, own),
    ...counter("failed", job.status, own),
    ...indexes("completedIndexes", job.status, own),
    ...indexes("failedIndexes", job.status, own),
    uncountedTerminatedPods: {}
  };
}
function notBefore(startTime, completionTime) {
  return startTime === void 0 || (instantOf(startTime) ?? 0) <= (instantOf(completionTime) ?? 0) ? completionTime : startTime;
}
function counter(field, before, own) {
  const count = Math.max(before[field] ?? 0, own[field] ?? 0);
  return count === 0 ? {} : { [field]: count };
}
function indexes(field, before, own) {
  const value = own[field] ?? before[field];
  return value === void 0 ? {} : { [field]: value };
}
function conditionsOf({ job, now }, own, { isOver, where }) {
  let conditions = [...job.status.conditions ?? []];
  for (const condition of own.conditions ?? []) {
    if (!isOwnCondition(condition) || condition.type === INDEXES_KEPT) continue;
    if (condition.type === "Suspended" && !mayFollow(job.spec.suspend === true, condition, conditions))
      continue;
    const before = conditions.find(({ type }) => type === condition.type);
    if (before?.status !== condition.status) conditions = withCondition(conditions, condition);
  }
  const needsSuspended = job.spec.suspend === true && Object.keys(own).length === 0 && !isOver;
  if (needsSuspended && trueCondition({ conditions }, "Suspended") === void 0) {
    const suspended = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" };
    conditions = withCondition(conditions, conditionAt(apiTime(now), suspended));
  }
  return where === null ? conditions : withCondition(conditions, where);
}
function mayFollow(isSuspended, condition, conditions) {
  if (condition.status === "True") return isSuspended;
  return !isSuspended && conditions.some(({ type }) => type === "Suspended");
}
function placedCondition({ job, now }, wanted) {
  if (wanted === null) return null;
  const stored2 = job.status.conditions?.find(({ type }) => type === PLACED);
  const { status, reason, message } = wanted;
  if (stored2?.status === status && stored2.reason === reason && stored2.message === message) return null;
  return conditionAt(apiTime(now), { type: PLACED, ...wanted });
}
function whereabouts({ state, settings, job }, rest) {
  const grant = holderOf(state);
  if (grant === void 0) {
    const { waiting } = rest;
    if (waiting === null) return null;
    return { status: "False", reason: "NotPlaced", message: waiting.words };
  }
  const { cluster, name } = grant;
  const silent = silenceOf(settings, cluster);
  if (silent !== null)
    return {
      status: "Unknown",
      reason: "ClusterSilent",
      message: `${silent}; what runs there as ${job.namespace}/${name} is not known`
    };
  if (grant.stopping !== void 0)
    return {
      status: "False",
      reason: "Moving",
      message: `leaves the cluster ${cluster}, where it ran as ${job.namespace}/${name}`
    };
  if (grant.member === null || Object.keys(grant.member.status).length === 0) return null;
  return {
    status: "True",
    reason: "Placed",
    message: `runs in the cluster ${cluster} as ${job.namespace}/${name}`
  };
}
function comparable({
  uncountedTerminatedPods: _none,
  ready = 0,
  terminating = 0,
  ...status
}) {
  return { ...status, ready, terminating };
}

// workflows/placement/decide/give.ts
var LOOK_AGAIN_MS2 = 1e4;
function giveToCluster(at) {
  const { job, now, settings } = at;
  if (job.spec.suspend === true && at.state.grants.length === 0) return nothing;
  const impossible = guardTrouble(at);
  if (impossible !== null) return impossible;
  const deadline = deadlineOf(at);
  if (deadline !== null && deadline <= now) return failAtDeadline(at);
  const { candidates } = settings;
  if (candidates === void 0) return { ...nothing, candidates: "missing" };
  const choice = choose(job, candidates.clusters, { excluded: excludedNow(at.state, settings, now) });
  if (choice.chosen === null) return waitFor(at, choice, deadline);
  return { ...created(at, choice.chosen.cluster, choice), candidates: "read" };
}
function waitFor(at, { refused: refused2 }, deadline) {
  const words = refused2.length === 0 ? "the operator allows no cluster for Jobs of this namespace" : `no cluster can take the Job: ${wordsOf(refused2)}`;
  const again = at.now + LOOK_AGAIN_MS2;
  return inOrder(
    {
      ...nothing,
      lookAgainAt: deadline === null ? again : Math.min(again, deadline),
      waiting: { rule: "J-16.4", words },
      candidates: "read"
    },
    report(at, "Warning", "NoCluster", words)
  );
}
var MOST_LISTED = 10;
function wordsOf(refused2) {
  const listed = refused2.slice(0, MOST_LISTED).map(({ cluster, why }) => `${cluster}: ${why}`);
  const others = refused2.length - listed.length;
  return [...listed, ...others > 0 ? [`${others} more`] : []].join("; ");
}
function created(at, cluster, { refused: refused2 }) {
  const { job, state } = at;
  const number = nextGrant(state);
  const name = memberName(job, { cluster, number });
  if (name === null) {
    const words = `the name of the member in the cluster ${cluster} would have more than 63 characters; use a shorter name`;
    return inOrder(
      { ...nothing, waiting: { rule: "J-16.6", words } },
      report(at, "Warning", "NameTooLong", words)
    );
  }
  const before = continuedBy(at);
  const why = {
    rule: "J-16.5",
    words: `${cluster} is the best of the clusters that can take the Job${refused2.length === 0 ? "" : `; not ${wordsOf(refused2)}`}`
  };
  const spec = specOf(at);
  const guard = guardWish(at);
  const create = {
    kind: "CreateMember",
    cluster,
    grant: number,
    name,
    spec: before === null ? spec : { ...spec, suspend: true },
    ...before !== null && { continues: before },
    why
  };
  const first = guard === null ? create : {
    kind: "RenewGuard",
    cluster,
    grant: number,
    name,
    ...guard,
    ...before !== null && { continues: before },
    why
  };
  return holding(at, send(at, first));
}
function holding(at, gift) {
  const { job } = at;
  if (job.held || gift.commands.length === 0) return gift;
  const hold = send(at, {
    kind: "HoldJob",
    resourceVersion: job.resourceVersion,
    why: { rule: "J-16.3", words: "the deletion of the Job waits for its members" }
  });
  return hold.commands.length === 0 ? hold : inOrder(hold, gift);
}
function specOf(at) {
  const { parallelism, completions, suspend } = at.job.spec;
  const activeDeadlineSeconds = remainingSeconds(at);
  return {
    ...parallelism !== void 0 && { parallelism },
    ...completions !== void 0 && { completions },
    ...suspend === true && { suspend },
    ...activeDeadlineSeconds !== void 0 && { activeDeadlineSeconds }
  };
}
function countersBefore({ state, job }) {
  const member = countingGrant(state)?.member ?? null;
  if (member === null) return null;
  const of = (status) => ({
    ...status.succeeded !== void 0 && { succeeded: status.succeeded },
    ...status.failed !== void 0 && { failed: status.failed },
    ...status.completedIndexes !== void 0 && { completedIndexes: status.completedIndexes },
    ...status.failedIndexes !== void 0 && { failedIndexes: status.failedIndexes }
  });
  return { ...of(job.status), ...of(member.status) };
}
function continuedBy(at) {
  const counters = countersBefore(at);
  const { left } = at.settings.candidates ?? {};
  if (counters === null || left === void 0) return counters;
  const { failures, uncounted } = left;
  return {
    ...counters,
    ...uncounted > 0 && { failed: (counters.failed ?? 0) + uncounted },
    ...Object.keys(failures).length > 0 && { failures }
  };
}

// workflows/placement/decide/spill.ts
var LOOK_AGAIN_MS3 = 15e3;
function spill(at, grant) {
  const { job, now, settings } = at;
  const { member, cluster } = grant;
  if (member === null || job.spec.suspend === true || member.spec.suspend === true) return nothing;
  const { ready = 0, succeeded = 0, failed = 0 } = member.status;
  const { succeeded: before = 0, failed: failedBefore = 0 } = grant.continues ?? {};
  if (ready > 0 || succeeded > before || failed > failedBefore) return nothing;
  if (trueCondition(member.status, "Suspended") !== void 0) return nothing;
  const began = Math.max(grant.since, instantOf(member.status.startTime) ?? 0);
  const pods = grant.pods !== void 0 && grant.pods.at >= began ? grant.pods : void 0;
  const since = pods?.open === 0 ? began : pods?.unscheduledSince ?? null;
  const due = (since ?? began) + job.wishes.spillAfterMs;
  if (due > now) return { ...nothing, lookAgainAt: Math.max(due, now + 1e3) };
  const about = { ...aboutMember(grant), uid: member.uid };
  const listedAt = pods?.at ?? -Infinity;
  if (now - listedAt > LOOK_AGAIN_MS3)
    return send(at, {
      kind: "LookUpMember",
      ...about,
      why: { rule: "J-16.11", words: "no pod is ready: do they have nodes?" }
    });
  if (since === null) return { ...nothing, lookAgainAt: listedAt + job.wishes.spillAfterMs };
  if (settings.candidates === void 0) return { ...nothing, candidates: "missing" };
  const excluded = new Map([
    ...excludedNow(at.state, settings, now),
    [cluster, "its pods find no node there"]
  ]);
  const { chosen } = choose(job, settings.candidates.clusters, { excluded, withRoom: true });
  const words = `the pods have found no node in the cluster ${cluster} for ${job.wishes.spillAfterMs / 1e3} s`;
  if (chosen === null)
    return {
      ...nothing,
      candidates: "read",
      lookAgainAt: now + LOOK_AGAIN_MS3,
      waiting: { rule: "J-16.11", words: `${words}, and no other cluster has room` }
    };
  return inOrder(
    { ...nothing, candidates: "read" },
    send(at, {
      kind: "ChangeMember",
      ...about,
      spec: { suspend: true },
      stop: "spill",
      why: { rule: "J-16.11", words: `${words}; ${chosen.cluster} has room` }
    })
  );
}

// workflows/placement/decide/follow.ts
function follow(at, grant, wish = { spec: specOf(at) }) {
  const given = giveUp(at, grant);
  if (given !== null) return given;
  const loss = { ...nothing, lookAgainAt: lossAt(at, grant) };
  if (grant.member === null)
    return grant.refused === void 0 ? inOrder(beginMember(at, grant, wish), loss) : endGrant(at, grant, "refused", grant.refused);
  if (grant.gone === true) return untilPodsAreGone(at, grant, grant.member);
  const { member } = grant;
  const wait = inOrder(loss, renewGuard(at, grant));
  if (grant.stopping !== void 0) return inOrder(stop(at, grant, member, grant.stopping), wait);
  const changed = change(at, grant, member, wish);
  const stay = stayWhileSilent(at, grant);
  if (stay !== null) return inOrder(changed, silence(at, grant), stay, wait);
  if (isDrained(at, grant)) return inOrder(stop(at, grant, member, "drain"), wait);
  return inOrder(changed, spill(at, grant), silence(at, grant), wait);
}
function isDrained({ settings }, { cluster }) {
  return settings.clusters?.[cluster]?.cordoned?.drain === true;
}
function stayWhileSilent(at, grant) {
  const silent = silenceOf(at.settings, at.job.cluster);
  if (silent === null) return null;
  if (!isDrained(at, grant)) return nothing;
  const words = `${silent}; the Job leaves the cluster ${grant.cluster} when its home answers`;
  return { ...nothing, waiting: { rule: "J-16.12", words } };
}
function endGrant(at, grant, basis, words) {
  const rule = RULES[basis];
  return send(at, { kind: "EndGrant", ...aboutMember(grant), basis, why: { rule, words } });
}
var RULES = {
  refused: "J-16.6",
  stopped: "J-16.10",
  gone: "J-16.19",
  lost: "J-16.14",
  guarded: "J-16.16",
  time: "J-16.15"
};
function giveUp(at, grant) {
  const word = at.settings.clusters?.[grant.cluster];
  if (word?.lost !== void 0)
    return endGrant(
      at,
      grant,
      "lost",
      `the cluster ${grant.cluster} is lost: said by ${word.lost.by} at ${isoTime(word.lost.at)}`
    );
  const loss = lossAt(at, grant);
  if (loss === null || loss > at.now) return null;
  const silent = silenceOf(at.settings, grant.cluster) ?? "";
  if (at.job.wishes.ifLost.kind === "MoveWhenStopped")
    return endGrant(at, grant, "guarded", `${silent}, and its guard has ended every pod`);
  const message = `${silent}; the Job starts elsewhere and may run twice, as its annotation accepts`;
  return inOrder(endGrant(at, grant, "time", message), report(at, "Warning", "MayRunTwice", message));
}
function lossAt(at, grant) {
  const since = at.settings.clusters?.[grant.cluster]?.silentSince;
  const { ifLost } = at.job.wishes;
  if (since === void 0 || ifLost.kind === "Wait") return null;
  return ifLost.kind === "MoveAfter" ? since + ifLost.afterMs : overBy(at, grant);
}
function beginMember(at, grant, { spec, indexes: indexes2 }) {
  const waiting = startGuard(at, grant);
  if (waiting !== null) return inOrder(waiting, silence(at, grant));
  const continues = grant.part === void 0 ? continuedNow(at, grant) : grant.continues;
  const create = {
    kind: "CreateMember",
    ...aboutMember(grant),
    spec: continues === void 0 ? spec : { ...spec, suspend: true },
    ...continues !== void 0 && { continues },
    ...indexes2 !== void 0 && { indexes: indexes2.indexes },
    mark: grant.mark,
    ...guardOf(grant),
    why: {
      rule: "J-16.6",
      words: grant.guard === void 0 ? "the creation had no answer" : "its guard is in place"
    }
  };
  return inOrder(send(at, create), silence(at, grant));
}
function continuedNow(at, { continues }) {
  const counters = countersBefore(at);
  if (counters === null) return continues;
  const failed = Math.max(continues?.failed ?? 0, counters.failed ?? 0);
  return { ...continues, ...counters, ...failed > 0 && { failed } };
}
function untilPodsAreGone(at, grant, { uid }) {
  const by = grant.guard?.gone === true ? "with its guard" : "but not by its Job";
  const words = `the member ${grant.name} in the cluster ${grant.cluster} was deleted, ${by}`;
  if (grant.pods?.open === 0)
    return inOrder(endGrant(at, grant, "gone", words), report(at, "Warning", "MemberDeleted", words));
  return listPods(at, grant, { uid, rule: "J-16.19", words });
}
function stop(at, grant, member, why) {
  const words = `the Job leaves the cluster ${grant.cluster}: ${STOP_WORDS[why]}`;
  const rule = why === "drain" ? "J-16.12" : "J-16.11";
  const about = { ...aboutMember(grant), uid: member.uid };
  if (grant.stopping === void 0 || member.spec.suspend !== true)
    return send(at, {
      kind: "ChangeMember",
      ...about,
      spec: { suspend: true },
      stop: why,
      why: { rule, words }
    });
  if (isAcknowledged(grant) && grant.pods?.open === 0) return endGrant(at, grant, "stopped", words);
  const first = isAcknowledged(grant) ? at.now : (grant.stoppedAt ?? at.now) + NAMED_AFTER_MS;
  return listPods(at, grant, { uid: member.uid, rule: "J-16.10", words: `${words}; its pods end`, first });
}
var NAMED_AFTER_MS = 3e4;
var [LIST_AGAIN_MS, LONGEST_MS] = [1e3, 6e4];
function listPods(at, grant, { uid, rule, words, first = at.now }) {
  const { pods } = grant;
  const due = pods === void 0 ? first : pods.at + Math.min(LIST_AGAIN_MS * 2 ** (pods.times - 1), LONGEST_MS);
  if (due <= at.now)
    return send(at, { kind: "LookUpMember", ...aboutMember(grant), uid, why: { rule, words } });
  const open = pods?.first === void 0 ? "" : `; ${pods.open} have not ended, the first is ${pods.first}`;
  return { ...nothing, lookAgainAt: due, waiting: { rule, words: `${words}${open}` } };
}
var STOP_WORDS = {
  drain: "it is drained",
  spill: "its pods have found no node there",
  lost: "it was lost",
  returned: "another cluster has the Job",
  end: "the Job has ended"
};
function change(at, grant, member, { spec: wanted, indexes: indexes2, why: reason, failures }) {
  const isResumed = member.spec.suspend === true && wanted.suspend !== true;
  const spec = differences(member.spec, wanted, isResumed);
  if (Object.keys(spec).length === 0 && indexes2 === void 0) return nothing;
  const fields = Object.entries(spec).map(([field, value]) => `${field} ${String(value)}`);
  const asked = fields.length === 0 ? [] : [`the Job asks for ${fields.join(", ")}`];
  const resent = indexes2 === void 0 || reason !== void 0 ? [] : [`the indexes ${indexes2.indexes} have not arrived`];
  const words = [...reason === void 0 ? [] : [reason.words], ...asked, ...resent].join("; ");
  return send(at, {
    kind: "ChangeMember",
    ...aboutMember(grant),
    uid: member.uid,
    spec,
    ...indexes2 !== void 0 && { indexes: indexes2 },
    ...failures !== void 0 && { failures },
    why: { rule: reason?.rule ?? (indexes2 === void 0 ? "J-16.7" : "J-17.3"), words }
  });
}
function differences(from, to, isResumed) {
  const { suspend = false, activeDeadlineSeconds } = to;
  const isRetimed = isResumed && activeDeadlineSeconds !== void 0 && !isSameJson(activeDeadlineSeconds, from.activeDeadlineSeconds);
  return {
    ...suspend !== (from.suspend ?? false) && { suspend },
    ...scaled(from, to),
    ...isRetimed && { activeDeadlineSeconds }
  };
}
function scaled(from, { parallelism, completions }) {
  if (completions !== void 0 && completions !== from.completions)
    return { completions, parallelism: completions };
  return parallelism === void 0 || parallelism === from.parallelism ? {} : { parallelism };
}
function silence({ settings }, { cluster }) {
  const silent = silenceOf(settings, cluster);
  if (silent === null) return nothing;
  const words = `${silent}; what runs there is not known`;
  return { ...nothing, waiting: { rule: "J-16.13", words } };
}

// workflows/placement/decide/spread/end-parts.ts
function endParts(at, end) {
  return inOrder(...openParts(at.state).map((grant) => endPart(at, grant, end)));
}
function endPart(at, grant, { type, words }) {
  const given = giveUp(at, grant);
  if (given !== null) return given;
  const { member, part } = grant;
  if (member === null)
    return grant.refused === void 0 ? lookForMember(at, grant) : endGrant(at, grant, "refused", grant.refused);
  if (hasFinished(grant)) return nothing;
  if (grant.gone === true) return untilPodsAreGone(at, grant, member);
  if (member.grant?.end !== void 0 && member.grant.number === part.number) return nothing;
  const number = part.end === void 0 ? part.number + 1 : part.number;
  return send(at, {
    kind: "ChangeMember",
    ...aboutMember(grant),
    uid: member.uid,
    spec: {},
    indexes: { number, indexes: "", end: type },
    why: { rule: "J-17.6", words: `the Job ${type === "Failed" ? "has failed" : "is complete"}: ${words}` }
  });
}

// workflows/placement/decide/returned.ts
function stopReturned(at) {
  const { grants } = at.state;
  const returned = grants.filter((grant) => isUnproven(grant) && isBack(at, grant) && stillRuns(grant));
  return inOrder(
    ...returned.flatMap((grant) => {
      const { cluster, name, member, mark } = grant;
      if (member === null) {
        const words2 = `the cluster ${cluster} is back: was the member ${name} created there?`;
        const why = { rule: "J-16.18", words: words2 };
        return [send(at, { kind: "LookUpMember", ...aboutMember(grant), mark, why })];
      }
      const words = `the cluster ${cluster} is back: what still runs there as ${name} has overlapped since another cluster has the Job`;
      return [
        send(at, {
          kind: "ChangeMember",
          ...aboutMember(grant),
          uid: member.uid,
          spec: { suspend: true },
          stop: "returned",
          why: { rule: "J-16.18", words }
        }),
        report(at, "Warning", "Overlap", words)
      ];
    })
  );
}
function isUnproven({ ended }) {
  return ended?.basis === "lost" || ended?.basis === "time";
}
function isBack({ settings }, { cluster }) {
  const word = settings.clusters?.[cluster];
  return word?.lost === void 0 && word?.silentSince === void 0;
}
function stillRuns(grant) {
  if (grant.member === null) return grant.refused === void 0 && grant.absentAt === void 0;
  return grant.gone !== true && !hasFinished(grant) && grant.member.spec.suspend !== true;
}

// workflows/placement/decide/end.ts
function afterTheEnd(at) {
  const expiry = at.settings.ttl === true ? expiryOf(at.job) : null;
  const left = inOrder(endParts(at, endOf(at)), stopReturned(at), releaseGuards(at));
  if (expiry === null) return left;
  if (expiry > at.now) return inOrder(left, { ...nothing, lookAgainAt: expiry });
  const why = { rule: "J-10.4", words: "the Job has outlived its ttlSecondsAfterFinished" };
  return send(at, { kind: "DeleteJob", expiredAt: expiry, why });
}
function endOf({ job }) {
  const { type, message = "" } = terminalCondition(job.status) ?? {};
  return { type: type === "Failed" ? "Failed" : "Complete", words: message };
}
function deleting(at) {
  const { grants } = at.state;
  const left = grants.filter((grant) => mayExist(at, grant));
  const guards = inOrder(...grants.map((grant) => releaseGuard(at, grant)));
  if (left.length > 0) return inOrder(...left.map((grant) => remove(at, grant)), guards);
  if (guards.commands.length > 0) return guards;
  if (at.state.gone || !at.job.held) return nothing;
  const why = { rule: "J-16.17", words: "no member is left" };
  return send(at, { kind: "ReleaseJob", resourceVersion: at.job.resourceVersion, why });
}
function mayExist({ settings }, grant) {
  if (grant.gone === true || settings.clusters?.[grant.cluster]?.lost !== void 0) return false;
  if (grant.member !== null) return true;
  return grant.refused === void 0 && (grant.absentAt ?? 0) < lastArrival(grant);
}
function remove(at, grant) {
  const { cluster, name } = grant;
  if (grant.member === null) return lookForMember(at, grant);
  if (grant.deleted === true) {
    const words = `the member ${name} in the cluster ${cluster} and its pods are being deleted`;
    return { ...nothing, waiting: { rule: "J-16.17", words } };
  }
  return send(at, {
    kind: "DeleteMember",
    ...aboutMember(grant),
    uid: grant.member.uid,
    why: { rule: "J-16.17", words: "the Job is being deleted" }
  });
}

// workflows/placement/decide/requests.ts
function answerRequest(at) {
  const [request] = at.state.requests;
  if (request === void 0) return null;
  const suspend = request.command === "suspend";
  const why = {
    rule: suspend ? "J-6.41" : "J-6.42",
    words: `${request.command} asked for by ${request.by}`
  };
  const verdict = send(at, { kind: "SetSuspend", suspend, request: request.id, why });
  return isFinished(at.job.status) ? { ...verdict, waiting: null } : verdict;
}
function notSpread(at) {
  const { wishes, undivided } = at.job;
  if (at.settings.spread !== true || wishes.spread === void 0 || undivided === void 0) return nothing;
  return report(at, "Warning", "NotSpread", `the Job runs in one cluster at a time: ${undivided}`);
}
function complain(at) {
  const { invalid = [] } = at.job.wishes;
  const words = invalid.join("; ");
  return inOrder(
    { ...nothing, waiting: { rule: "J-16.2", words } },
    ...invalid.map((message) => report(at, "Warning", "InvalidAnnotation", message))
  );
}

// workflows/placement/decide/spread/distribute.ts
function wholeOf(state, whole) {
  const { open, finished, completions } = whole;
  return {
    ...whole,
    free: freeIndexes(state, finished, completions),
    openOf: new Map(open.map((grant) => [grant.number, openIn(grant, finished, completions)]))
  };
}
function openIndexes({ openOf }, { number }) {
  return openOf.get(number) ?? [];
}
var ROUNDS = 2;
var REPLENISHED_BELOW = 1.5;
var MOST_RANGES = 1e3;
function distribute(whole) {
  const { shares, steady, open, parallelism } = whole;
  const bounds = open.reduce((sum2, grant) => sum2 + boundOf(grant, openIndexes(whole, grant)), 0);
  let headroom = Math.max(0, parallelism - bounds);
  const isLowered = bounds > parallelism;
  const unshared = isLowered ? steady.filter(({ cluster }) => !(cluster in shares)) : [];
  let { free } = whole;
  const wanted = /* @__PURE__ */ new Map();
  const created2 = [];
  const needs = new Map(
    Object.entries(shares).map(([cluster, share]) => [cluster, needOf(whole, cluster, share)])
  );
  let needed = [...needs.values()].reduce((sum2, count) => sum2 + count, 0);
  const take = (count, need, has = []) => {
    const most = Math.max(need, sizeOf(free) - needed);
    const given = lowestOf(free, Math.min(count, most)).slice(0, Math.max(0, MOST_RANGES - has.length));
    free = difference(free, given);
    return given;
  };
  const taken = new Set(open.map(({ cluster }) => cluster));
  const all = [...Object.entries(shares), ...unshared.map(({ cluster }) => [cluster, 0])];
  for (const [cluster, share] of all) {
    const grant = steady.find((each) => each.cluster === cluster);
    const need = needs.get(cluster) ?? 0;
    needed -= need;
    if (grant === void 0) {
      const pods2 = Math.min(share, headroom);
      if (taken.has(cluster) || pods2 === 0 || sizeOf(free) === 0) continue;
      const gift2 = take(amount(whole, { cluster, pods: pods2, has: 0 }), need);
      headroom -= Math.min(pods2, sizeOf(gift2));
      created2.push({ cluster, parallelism: pods2, indexes: formatIndexes(gift2) });
      continue;
    }
    const has = sizeOf(openIndexes(whole, grant));
    const bound = boundOf(grant, openIndexes(whole, grant));
    const most = bound + headroom;
    const held = grant.part.parallelism;
    const pods = podsOf(held, { share, has, most, isLowered });
    const isShort = has < pods * REPLENISHED_BELOW && share >= pods && grant.part.keeps === void 0;
    const lacks = isShort ? amount(whole, { cluster, pods, has }) - has : 0;
    const own = grantedIndexes(grant.part);
    const gift = take(pods <= most ? lacks : Math.min(lacks, Math.max(0, most - has)), need, own);
    headroom -= Math.max(0, Math.min(pods, has + sizeOf(gift)) - bound);
    if (pods === held && sizeOf(gift) === 0) continue;
    const words = `the cluster ${cluster} gets the indexes ${formatIndexes(gift)}`;
    wanted.set(grant.number, {
      parallelism: pods,
      ...sizeOf(gift) > 0 && { indexes: formatIndexes(union(own, gift)), why: { rule: "J-17.3", words } }
    });
  }
  return { wanted, created: created2 };
}
function needOf(whole, cluster, share) {
  const { open, steady } = whole;
  const grant = steady.find((each) => each.cluster === cluster);
  if (grant === void 0) return open.some((each) => each.cluster === cluster) ? 0 : share;
  return Math.max(0, share - sizeOf(openIndexes(whole, grant)));
}
function podsOf(held, { share, has, most, isLowered }) {
  if (share < held) return has <= share || isLowered ? share : held;
  return Math.max(held, Math.min(share, most));
}
function amount({ shares, free, openOf }, { cluster, pods, has }) {
  const all = Object.values(shares).reduce((sum2, each) => sum2 + each, 0);
  const left = [...openOf.values()].reduce((sum2, indexes2) => sum2 + sizeOf(indexes2), sizeOf(free));
  const fair = Math.ceil(left * (shares[cluster] ?? 0) / Math.max(1, all) / ROUNDS);
  return Math.max(has, pods * ROUNDS, fair);
}
function takeBack(whole) {
  const { shares, steady } = whole;
  const ready = steady.filter(({ part, member }) => part.keeps === void 0 && member?.grant?.number === part.number).map((grant) => ({
    grant,
    open: openIndexes(whole, grant),
    share: shares[grant.cluster] ?? 0
  }));
  const idle = sizeOf(whole.free) > 0 ? 0 : idlePods(whole);
  const spare = ready.map(({ open, share }) => Math.max(0, sizeOf(open) - share));
  const all = spare.reduce((sum2, count) => sum2 + count, 0);
  return new Map(
    ready.flatMap(({ grant, open, share }, at) => {
      const count = spare[at] ?? 0;
      const isTooLarge = share < grant.part.parallelism;
      const back = isTooLarge ? count : Math.min(count, Math.ceil(idle * count / Math.max(1, all)));
      if (back === 0) return [];
      const own = grantedIndexes(grant.part);
      const keeps = formatIndexes(difference(own, difference(open, lowestOf(open, sizeOf(open) - back))));
      const reason = isTooLarge ? "its share is smaller" : "other clusters have nothing to do";
      const words = `the cluster ${grant.cluster} is to give up ${back} of ${sizeOf(open)} indexes, unless a pod has begun them: ${reason}`;
      const why = { rule: "J-17.4", words };
      return [[grant.number, { parallelism: grant.part.parallelism, indexes: keeps, why }]];
    })
  );
}
function idlePods(whole) {
  const { shares, open } = whole;
  return Object.entries(shares).reduce((sum2, [cluster, share]) => {
    const grant = open.find((each) => each.cluster === cluster);
    const has = grant === void 0 ? 0 : sizeOf(openIndexes(whole, grant));
    return sum2 + Math.max(0, share - has);
  }, 0);
}
function toCollect({ steady }) {
  return steady.flatMap((grant) => {
    const given = givenUpBy(grant);
    return given === null ? [] : [{ grant, of: formatIndexes(given) }];
  });
}

// workflows/job/decide/policies/backoff-limit-per-index.ts
function failedIndexesLimitReached({
  job,
  indexes: indexes2
}) {
  if (indexes2 === null || indexes2.failed === null || indexes2.failed.length === 0) return null;
  const failed = sizeOf(indexes2.failed);
  const { maxFailedIndexes = Infinity, completions = 0 } = job.spec;
  if (failed > maxFailedIndexes) {
    const words2 = `${failed} failed indexes, the limit is ${maxFailedIndexes}`;
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return ending("MaxFailedIndexesExceeded", message, words2);
  }
  const succeeded = sizeOf(indexes2.completed);
  if (failed + succeeded < completions) return null;
  const words = `${failed} indexes failed, ${succeeded} succeeded of ${completions}`;
  return ending("FailedIndexes", "Job has failed indexes", words);
}
function ending(reason, message, words) {
  return { type: "Failed", reason, message, isStored: false, why: { rule: "J-6.20", words } };
}

// workflows/job/decide/policies/backoff-limit.ts
var DEFAULT_BACKOFF_LIMIT = 6;

// workflows/job/decide/policies/success-policy.ts
function successPolicyMet({
  job,
  indexes: indexes2
}) {
  const { successPolicy, completions = 0 } = job.spec;
  if (indexes2 === null || successPolicy === void 0 || indexes2.completed.length === 0) return null;
  const met = successPolicy.rules.findIndex((rule) => isMet(rule, indexes2.completed, completions));
  if (met < 0) return null;
  const message = `Matched rules at index ${met}`;
  const words = `rule ${met} of the success policy is met, ${sizeOf(indexes2.completed)} indexes succeeded`;
  const why = { rule: "J-6.31", words };
  return { type: "Complete", reason: "SuccessPolicy", message, isStored: false, why };
}
function isMet({ succeededIndexes, succeededCount }, completed2, completions) {
  const enough = succeededCount ?? Infinity;
  if (succeededIndexes === void 0) return sizeOf(completed2) >= enough;
  const listed = parseIndexes(succeededIndexes, completions);
  return listed.length > 0 && overlapOf(listed, completed2) >= Math.min(enough, sizeOf(listed));
}

// workflows/placement/decide/spread/ending.ts
function wholeEnd(at, totals) {
  const { job } = at;
  const indexes2 = totals.finished;
  return stored(at) ?? ofMember(at, "Failed") ?? backoffLimit(at, totals) ?? deadlinePassed(at) ?? failedIndexesLimitReached({ job, indexes: indexes2 }) ?? successPolicyMet({ job, indexes: indexes2 }) ?? ofMember(at, "Complete") ?? completed(at, totals);
}
function stored({ job }) {
  for (const type of ["Complete", "Failed"]) {
    const interim = trueCondition(job.status, INTERIM_CONDITION[type]);
    if (interim === void 0) continue;
    const { reason = "", message = "" } = interim;
    return { type, reason, message, why: { rule: "J-3.52", words: `${interim.type} stands: ${message}` } };
  }
  return null;
}
function ofMember({ state }, wanted) {
  for (const { cluster, member } of openParts(state)) {
    const end = endingCondition(member?.status ?? {});
    const type = end === void 0 ? null : endTypeOf(end.type);
    if (end === void 0 || type !== wanted) continue;
    const { reason = "", message = "" } = end;
    const words = `the member in the cluster ${cluster} has ended: ${message}`;
    return { type, reason, message, why: { rule: "J-17.6", words } };
  }
  return null;
}
function backoffLimit({ job }, { failed }) {
  const { backoffLimit: limit = DEFAULT_BACKOFF_LIMIT } = job.spec;
  if (failed <= limit) return null;
  const message = "Job has reached the specified backoff limit";
  const words = `${failed} failed pods in all clusters, the limit is ${limit}`;
  return { type: "Failed", reason: "BackoffLimitExceeded", message, why: { rule: "J-6.1", words } };
}
function deadlinePassed(at) {
  const deadline = deadlineOf(at);
  if (deadline === null || deadline > at.now) return null;
  return { type: "Failed", ...DEADLINE_EXCEEDED, why: { rule: "J-6.5", words: DEADLINE_EXCEEDED.message } };
}
function completed({ job }, { succeeded, active }) {
  const { completions = 0 } = job.spec;
  if (succeeded < completions || active > 0) return null;
  const message = "Reached expected number of succeeded pods";
  const words = `${succeeded} succeeded of ${completions}, none active`;
  return { type: "Complete", reason: "CompletionsReached", message, why: { rule: "J-6.30", words } };
}

// workflows/placement/decide/spread/shares.ts
var MOST_CLUSTERS2 = 10;
function placesOf(ranked, active) {
  return ranked.slice(0, MOST_CLUSTERS2).map(({ cluster, room = Infinity, price = 0 }) => ({
    cluster,
    room: room + (active.get(cluster) ?? 0),
    price
  }));
}
function sharesOf(by, places, parallelism) {
  const shares = by === "price" ? byPrice(places, parallelism) : byWeight(places, parallelism, weightOf(by, places));
  return Object.fromEntries(
    places.map(({ cluster }, at) => [cluster, shares[at] ?? 0]).filter(([, pods]) => pods > 0)
  );
}
function byPrice(places, parallelism) {
  const shares = places.map(() => 0);
  let left = parallelism;
  const cheapest = places.map((place, at) => ({ ...place, at })).toSorted((a, b) => a.price - b.price || a.at - b.at);
  for (const { at, room } of cheapest) {
    shares[at] = Math.min(left, room);
    left -= shares[at];
  }
  const [first] = cheapest;
  if (first !== void 0 && left > 0) shares[first.at] = (shares[first.at] ?? 0) + left;
  return shares;
}
function weightOf(by, places) {
  const known = places.map(({ room }) => room).filter(Number.isFinite);
  const most = Math.max(1, ...known);
  const isFull = known.length === places.length && known.every((room) => room <= 0);
  return ({ room }) => by === "even" || isFull ? 1 : Math.max(0, Number.isFinite(room) ? room : most);
}
function byWeight(places, parallelism, weight) {
  const total = places.reduce((sum2, place) => sum2 + weight(place), 0);
  if (total === 0) return places.map(() => 0);
  const exact = places.map((place) => parallelism * weight(place) / total);
  const shares = exact.map(Math.floor);
  const left = parallelism - shares.reduce((sum2, each) => sum2 + each, 0);
  const remainder = (at) => (exact[at] ?? 0) - (shares[at] ?? 0);
  const order = places.map((_place, at) => at).toSorted((a, b) => remainder(b) - remainder(a) || a - b);
  for (const at of order.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}

// workflows/placement/decide/spread/share-out.ts
var LOOK_AGAIN_MS4 = 3e4;
var LOOK_SOON_MS = 1e4;
var NOTICED = 0.1;
function shareOut(at, totals) {
  const { state, job, now, settings } = at;
  const { parallelism = 1 } = job.spec;
  const known = state.shares;
  if (known !== null && job.wishes.invalid !== void 0) return { shares: known.pods, verdict: nothing };
  const isWhole = known !== null && (isEmpty(known.pods) || sum(known.pods) === parallelism);
  const isUsable = known !== null && Object.keys(known.pods).every((cluster) => mayRun(at, cluster));
  const due = known === null ? now : known.at + (isEmpty(known.pods) ? LOOK_SOON_MS : LOOK_AGAIN_MS4);
  const isAccounted = unaccounted(state).length === 0;
  if (known !== null && isWhole && isUsable && isAccounted && (due > now || !isMovable(at, totals)))
    return {
      shares: known.pods,
      verdict: {
        ...nothing,
        lookAgainAt: isMovable(at, totals) ? due : null,
        waiting: isNowhere(at, known.pods) ? state.waiting : null
      }
    };
  if (settings.candidates === void 0)
    return { shares: known?.pods ?? {}, verdict: { ...nothing, candidates: "missing" } };
  const choice = choose(job, settings.candidates.clusters, { excluded: excludedNow(state, settings, now) });
  const active = new Map(
    openParts(state).map(({ cluster, member }) => [cluster, member?.status.active ?? 0])
  );
  const next = sharesOf(job.wishes.spread ?? "even", placesOf(choice.ranked, active), parallelism);
  const shares = known !== null && isWhole && isUsable && isNear(known.pods, next, parallelism) ? known.pods : next;
  const refused2 = choice.refused.length === 0 ? "" : `; not ${wordsOf(choice.refused)}`;
  const words = `${parallelism} pods at once by ${job.wishes.spread ?? ""}: ${inWords(shares)}${refused2}`;
  const verdict = send(at, { kind: "ShareOut", shares, why: { rule: "J-17.2", words } });
  return {
    shares,
    verdict: {
      ...verdict,
      candidates: "read",
      lookAgainAt: now + (isEmpty(shares) ? LOOK_SOON_MS : LOOK_AGAIN_MS4),
      waiting: isNowhere(at, shares) ? { rule: "J-16.4", words: `no cluster can take the Job${refused2}` } : verdict.waiting
    }
  };
}
function isNowhere({ state }, shares) {
  return isEmpty(shares) && openParts(state).length === 0;
}
function mayRun({ state, settings }, cluster) {
  const { cordoned, lost, silentSince } = settings.clusters?.[cluster] ?? {};
  if (lost !== void 0 || cordoned?.drain === true) return false;
  const hasMember = openParts(state).some(
    (grant) => grant.cluster === cluster && grant.stopping === void 0
  );
  return hasMember || cordoned === void 0 && silentSince === void 0;
}
function isMovable({ state, job }, { finished }) {
  const { completions = 0 } = job.spec;
  if (sizeOf(freeIndexes(state, finished, completions)) > 0) return true;
  return openParts(state).some(
    (grant) => sizeOf(openIn(grant, finished, completions)) > (grant.member?.status.active ?? 0)
  );
}
function isNear(a, b, parallelism) {
  if (isSameJson(Object.keys(a).toSorted(), Object.keys(b).toSorted()))
    return Object.entries(a).every(
      ([cluster, pods]) => Math.abs(pods - (b[cluster] ?? 0)) <= parallelism * NOTICED
    );
  return false;
}
function isEmpty(shares) {
  return Object.keys(shares).length === 0;
}
function sum(shares) {
  return Object.values(shares).reduce((total, pods) => total + pods, 0);
}
function inWords(shares) {
  const parts = Object.entries(shares).map(([cluster, pods]) => `${cluster} ${pods}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

// workflows/placement/decide/spread/totals.ts
function totalsOf({ state, job }) {
  const finished = finishedOf(state, job);
  const open = openParts(state).flatMap(({ member }) => member?.status ?? []);
  const all = state.grants.flatMap(({ member }) => member?.status ?? []);
  const uncounted = state.grants.reduce((total, { left }) => total + (left?.uncounted ?? 0), 0);
  const sum2 = (statuses, field) => statuses.reduce((total, status) => total + (status[field] ?? 0), 0);
  return {
    finished,
    succeeded: sizeOf(finished.completed),
    failed: Math.max(job.status.failed ?? 0, sum2(all, "failed") + uncounted),
    active: sum2(open, "active"),
    ready: sum2(open, "ready"),
    terminating: sum2(open, "terminating")
  };
}

// workflows/placement/decide/spread/whole-status.ts
function writeWholeStatus(at, whole) {
  const { job, state } = at;
  const isBegun = openParts(state).length > 0 || state.grants.length > 0;
  if (!isBegun && whole.rest.waiting === null && job.spec.suspend !== true)
    return replaceStatus(at, whole.rest, null);
  return replaceStatus(at, whole.rest, nextStatus2(at, whole), whole.end?.why);
}
function nextStatus2(at, whole) {
  const { job, state, now } = at;
  const { totals, end } = whole;
  const time = apiTime(now);
  const isOver = end !== null && mayEnd(at, totals);
  let conditions = withSuspension(job.status.conditions ?? [], {
    isSuspended: job.spec.suspend === true,
    time
  });
  if (end !== null) {
    const { type, reason, message } = end;
    const types = isOver ? [INTERIM_CONDITION[type], type] : [INTERIM_CONDITION[type]];
    for (const each of types)
      if (trueCondition({ conditions }, each) === void 0)
        conditions = withCondition(
          conditions,
          conditionAt(time, { type: each, status: "True", reason, message })
        );
  }
  const where = placedCondition(at, whereabouts2(at, whole));
  if (where !== null) conditions = withCondition(conditions, where);
  const isSuspended = trueCondition({ conditions }, "Suspended") !== void 0;
  const began = state.startedAt ?? job.status.startTime ?? firstStart(at);
  const startTime = isOver ? began ?? time : isSuspended ? void 0 : began;
  const { finished, succeeded, failed } = totals;
  const completed2 = formatIndexes(finished.completed);
  const [active, ready, terminating] = isOver ? [0, 0, 0] : [totals.active, totals.ready, totals.terminating];
  return {
    conditions,
    ...startTime !== void 0 && { startTime },
    ...isOver && end.type === "Complete" && { completionTime: notBefore(startTime, time) },
    ...active > 0 && { active },
    ready: Math.min(ready, active),
    terminating,
    ...succeeded > 0 && { succeeded },
    ...failed > 0 && { failed },
    ...completed2 !== "" && { completedIndexes: completed2 },
    ...finished.failed !== null && { failedIndexes: formatIndexes(finished.failed) },
    uncountedTerminatedPods: {}
  };
}
function mayEnd({ state, job }, { finished }) {
  const { completions = 0 } = job.spec;
  return openParts(state).every(
    (grant) => hasFinished(grant) || boundOf(grant, openIn(grant, finished, completions)) === 0 && (grant.member?.status.terminating ?? 0) === 0
  );
}
function withSuspension(conditions, { isSuspended, time }) {
  const before = conditions.find(({ type }) => type === "Suspended");
  const isNews2 = isSuspended ? before?.status !== "True" : before?.status === "True";
  if (!isNews2 || isFinished({ conditions: [...conditions] })) return [...conditions];
  const [status, reason, message] = isSuspended ? ["True", "JobSuspended", "Job suspended"] : ["False", "JobResumed", "Job resumed"];
  return withCondition(conditions, conditionAt(time, { type: "Suspended", status, reason, message }));
}
function firstStart({ state }) {
  return openParts(state).flatMap(({ member }) => member?.status.startTime ?? []).toSorted()[0];
}
function whereabouts2({ state, settings, job }, { rest }) {
  const open = openParts(state);
  if (open.length === 0)
    return rest.waiting === null ? null : { status: "False", reason: "NotPlaced", message: rest.waiting.words };
  const silent = open.flatMap(({ cluster }) => silenceOf(settings, cluster) ?? []);
  if (silent.length > 0)
    return {
      status: "Unknown",
      reason: "ClusterSilent",
      message: `${silent.join("; ")}; what runs there is not known`
    };
  const members = open.map(({ cluster, name }) => `${cluster} as ${job.namespace}/${name}`);
  return { status: "True", reason: "Placed", message: `runs in the clusters ${members.join(", ")}` };
}

// workflows/placement/decide/spread/spread.ts
function spreadOut(at) {
  const totals = totalsOf(at);
  const end = wholeEnd(at, totals);
  const members = end === null ? run(at, totals) : endParts(at, { type: end.type, words: end.why.words });
  if (members.candidates === "missing") return members;
  const status = writeWholeStatus(at, { totals, end, rest: members });
  return inOrder(members, stopReturned(at), releaseGuards(at), status);
}
function run(at, totals) {
  const impossible = guardTrouble(at);
  if (impossible !== null) return impossible;
  const { job, state } = at;
  const open = openParts(state);
  const { completions = 0, parallelism = 1, suspend = false } = job.spec;
  const isHalted = suspend || silenceOf(at.settings, job.cluster) !== null;
  const shared = isHalted ? null : shareOut(at, totals);
  if (shared?.verdict.candidates === "missing") return shared.verdict;
  const steady = open.filter((grant) => isSteady(at, grant));
  const shares = shared?.shares ?? state.shares?.pods ?? {};
  const { finished } = totals;
  const whole = wholeOf(state, { completions, parallelism, finished, shares, open, steady });
  const given = isHalted ? { wanted: /* @__PURE__ */ new Map(), created: [] } : distribute(whole);
  const back = isHalted ? /* @__PURE__ */ new Map() : takeBack(whole);
  return inOrder(
    shared?.verdict ?? nothing,
    ...open.map(
      (grant) => follow(at, grant, wishFor(at, grant, given.wanted.get(grant.number) ?? back.get(grant.number)))
    ),
    ...toCollect(whole).map(({ grant, of }) => collect(at, grant, of)),
    begin(at, given.created),
    { ...nothing, lookAgainAt: deadlineOf(at) }
  );
}
function isSteady({ settings }, { cluster, member, gone, stopping }) {
  const word = settings.clusters?.[cluster];
  return member !== null && gone !== true && stopping === void 0 && word?.silentSince === void 0 && word?.lost === void 0 && word?.cordoned?.drain !== true;
}
function wishFor(at, { part, member }, wanted) {
  const spec = { ...specOf(at), parallelism: wanted?.parallelism ?? part.parallelism };
  if (wanted?.indexes !== void 0) {
    const failures = failuresFor(at, part, wanted.indexes);
    return {
      spec,
      indexes: { number: part.number + 1, indexes: wanted.indexes },
      ...wanted.why !== void 0 && { why: wanted.why },
      ...failures !== void 0 && { failures }
    };
  }
  if (member === null) return { spec, indexes: { number: part.number, indexes: part.indexes } };
  const seen = Math.max(member.grant?.number ?? 0, keptGrant({ status: member.status })?.number ?? 0);
  if (member.grant?.number === part.number && seen === part.number) return { spec };
  const number = seen > part.number ? seen + 1 : part.number;
  return { spec, indexes: { number, indexes: part.keeps ?? part.indexes } };
}
function failuresFor({ state }, part, next) {
  const added = difference(grantedIndexes({ indexes: next }), grantedIndexes(part));
  const indexes2 = failuresLeft(state, added);
  return indexes2 === void 0 ? void 0 : { ...part.failures, indexes: { ...part.failures?.indexes, ...indexes2 } };
}
function collect(at, grant, of) {
  const uid = grant.member?.uid ?? "";
  const words = `the member ${grant.name} in the cluster ${grant.cluster} has given up ${of === "" ? "no index" : `the indexes ${of}`}`;
  return send(at, { kind: "LookUpMember", ...aboutMember(grant), uid, of, why: { rule: "J-17.4", words } });
}
function begin(at, parts) {
  const first = nextGrant(at.state);
  const guard = guardWish(at);
  const gifts = parts.map(({ cluster, indexes: indexes2, parallelism }, offset) => {
    const number = first + offset;
    const name = memberName(at.job, { cluster, number });
    if (name === null) {
      const words = `the name of the member in the cluster ${cluster} would have more than 63 characters; use a shorter name`;
      return inOrder(
        { ...nothing, waiting: { rule: "J-16.6", words } },
        report(at, "Warning", "NameTooLong", words)
      );
    }
    const about = { cluster, grant: number, name };
    const failures = failuresLeft(at.state, grantedIndexes({ indexes: indexes2 }));
    const continues = failures === void 0 ? {} : { continues: { failures: { indexes: failures } } };
    const why = { rule: "J-17.3", words: `the cluster ${cluster} gets the indexes ${indexes2}` };
    return send(
      at,
      guard === null ? { kind: "CreateMember", ...about, spec: { ...specOf(at), parallelism }, indexes: indexes2, ...continues, why } : { kind: "RenewGuard", ...about, ...guard, part: { indexes: indexes2, parallelism }, ...continues, why }
    );
  });
  const given = inOrder(...gifts);
  return given.commands.length === 0 ? given : holding(at, given);
}

// workflows/placement/decide/decide.ts
function decide(state, now, settings) {
  const { job } = state;
  if (job === null) return nothing;
  const at = { state, job, now, settings: fresh(settings, now) };
  if (state.gone || job.deleting) return deleting(at);
  const request = answerRequest(at);
  if (request !== null) return request;
  if (isFinished(job.status)) return afterTheEnd(at);
  if (isSpread(state, settings)) return spreadOut(at);
  const counting = countingGrant(state);
  const holder = holderOf(state);
  const isLatest = holder === void 0 || holder === counting;
  if (counting !== void 0 && hasFinished(counting) && isLatest)
    return inOrder(writeStatus(at), stopReturned(at), releaseGuards(at));
  const placing = holder !== void 0 ? follow(at, holder) : job.wishes.invalid === void 0 ? giveToCluster(at) : complain(at);
  return inOrder(placing, notSpread(at), stopReturned(at), releaseGuards(at), writeStatus(at, placing));
}

// workflows/job/record/decision-id.ts
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

// workflows/placement/record/decision-record.ts
var CORE_VERSION = "3";
function isNews(state, verdict) {
  return isNewsBy(CORE_VERSION, state, verdict);
}
function decisionRecord({ cluster, jobUid, placedJobUid, subject, chain }, state, { commands, lookAgainAt, waiting }, now, settings) {
  const of = { cluster, jobUid, placedJobUid };
  const origin = { type: "placement", of, subject, chain, core: CORE_VERSION };
  return decisionRecords(origin, state, { commands, lookAgainAt, waiting }, { now, settings });
}

// workflows/job/evolve/evolve-requests.ts
var REQUESTS_KEPT = 100;
function foldRequest(draft, { id, command, by }) {
  if (draft.requested.includes(id)) return false;
  draft.requested = [...draft.requested, id].slice(-REQUESTS_KEPT);
  draft.requests = [...draft.requests, { id, command, by }];
  return true;
}

// workflows/placement/evolve/grants.ts
function foldGrants(draft, command, { id, now }) {
  if (!("grant" in command)) return;
  const grant = draft.grants.find(({ number }) => number === command.grant);
  if (grant === void 0) {
    if (isGift(command)) draft.grants.push(granted(command, id, now));
    return;
  }
  if (command.kind === "ChangeMember") foldPart(grant, command);
  if (command.kind === "CreateMember") grant.askedAt = now;
  if (command.kind === "CreateMember" && command.continues !== void 0) grant.continues = command.continues;
  if (command.kind === "EndGrant") grant.ended = { at: now, basis: command.basis };
  if (command.kind === "ChangeMember" && command.stop !== void 0) {
    grant.stopping = command.stop;
    grant.stoppedAt = now;
    delete grant.pods;
  }
}
function foldPart(grant, { spec, indexes: indexes2, failures }) {
  const { part } = grant;
  if (part === void 0) return;
  grant.part = { ...part, parallelism: spec.parallelism ?? part.parallelism };
  if (failures !== void 0) grant.part.failures = failures;
  if (indexes2 === void 0 || indexes2.number <= part.number) return;
  const isMore = isWithin(part.indexes, indexes2.indexes);
  grant.part.number = indexes2.number;
  if (isMore) grant.part.indexes = indexes2.indexes;
  else grant.part.keeps = indexes2.indexes;
  if (indexes2.end !== void 0) grant.part.end = indexes2.end;
}
function granted(command, mark, since) {
  const { grant, cluster, name } = command;
  const part = partOf(command);
  return {
    number: grant,
    cluster,
    name,
    since,
    mark,
    askedAt: since,
    member: null,
    ...command.kind === "RenewGuard" && {
      guard: { uid: null, isStarted: false, leaseSeconds: command.leaseSeconds, renewedAt: since }
    },
    ...command.continues !== void 0 && { continues: command.continues },
    ...part !== null && { part }
  };
}
function partOf(command) {
  if (command.kind === "RenewGuard")
    return command.part === void 0 ? null : { number: 1, ...command.part };
  const { indexes: indexes2, spec } = command;
  return indexes2 === void 0 ? null : { number: 1, indexes: indexes2, parallelism: spec.parallelism ?? 1 };
}

// workflows/job/definitions/resource-version.ts
function compareVersions(a, b) {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

// workflows/placement/evolve/members.ts
function foldMember(draft, member) {
  const grant = grantOf(draft, member);
  if (grant !== void 0) return renew(grant, member);
  const open = unknownOf(draft, member);
  if (open === void 0 || member.namespace !== draft.job?.namespace) return false;
  if (open.seen?.uid === member.uid && !isNewer(member, open.seen)) return false;
  open.seen = member;
  return true;
}
function foldMemberGone(draft, { cluster, uid, name = "", resourceVersion, epoch = 0 }) {
  const grant = grantOf(draft, { cluster, uid });
  if (grant === void 0) {
    const open = unknownOf(draft, { cluster, name });
    if (open === void 0 || open.seenGone?.uid === uid) return false;
    open.seenGone = { uid, resourceVersion, epoch };
    return true;
  }
  if (grant.member === null || grant.gone === true) return false;
  if (!isNewer({ resourceVersion, epoch }, grant.member)) return false;
  foldMissing(grant);
  return true;
}
function foldMissing(grant) {
  grant.gone = true;
  delete grant.pods;
}
function foldCreated(grant, member) {
  const { seen, seenGone } = grant;
  delete grant.seen;
  delete grant.seenGone;
  delete grant.refused;
  grant.member = seen?.uid === member.uid && isNewer(seen, member) ? seen : member;
  if (seenGone?.uid === member.uid && isNewer(seenGone, grant.member)) foldMissing(grant);
}
function renew(grant, member) {
  if (grant.member === null || !isNewer(member, grant.member)) return false;
  const before = isAcknowledged(grant);
  grant.member = member;
  if (!before && isAcknowledged(grant)) delete grant.pods;
  return true;
}
function unknownOf({ grants }, { cluster, name }) {
  return grants.find(
    (grant) => grant.member === null && grant.refused === void 0 && grant.cluster === cluster && grant.name === name
  );
}
function grantOf({ grants }, { cluster, uid }) {
  return grants.find(({ member }) => member?.uid === uid && member.cluster === cluster);
}
function isNewer(a, b) {
  const epochs = (a.epoch ?? 0) - (b.epoch ?? 0);
  return epochs > 0 || epochs === 0 && compareVersions(a.resourceVersion, b.resourceVersion) > 0;
}

// workflows/job/definitions/retry.ts
function decidedAt({ last }) {
  return last?.now ?? 0;
}
function afterError(before, message, decided, { firstMs, longestMs }) {
  const errors = (before?.errors ?? 0) + 1;
  return { errors, until: decided + Math.min(firstMs * 2 ** (errors - 1), longestMs), message };
}

// workflows/placement/evolve/placed-job.ts
function foldPlacedJob(draft, job) {
  if (draft.gone || compareVersions(job.resourceVersion, draft.mark) <= 0) return false;
  const before = draft.job;
  draft.mark = job.resourceVersion;
  draft.job = job;
  if (before?.spec.suspend === true && job.spec.suspend !== true) draft.startedAt = null;
  if (before !== null && before.generation !== job.generation) draft.retries = {};
  return true;
}
function foldGone(draft, resourceVersion) {
  if (draft.gone) return false;
  draft.mark = resourceVersion;
  draft.gone = true;
  draft.requests = [];
  return true;
}
function beginEpoch(draft, epoch) {
  draft.epoch = epoch;
  draft.mark = "";
}

// workflows/placement/evolve/retries.ts
var BACKOFF = { firstMs: 1e3, longestMs: 6e4 };
function foldRetries(draft, command, answer, isJobNewer) {
  if (answer.kind === "skipped") return;
  const key = retryKey(command);
  const trouble = troubleIn(command, answer, isJobNewer);
  if (trouble === null) delete draft.retries[key];
  else draft.retries[key] = afterError(draft.retries[key], trouble, decidedAt(draft), BACKOFF);
}
function troubleIn(command, answer, isJobNewer) {
  if ("error" in answer) return answer.error.message;
  if ("message" in answer) return answer.message;
  switch (answer.kind) {
    case "LookUpMember":
      return answer.result === "done" && answer.pods.open > 0 ? podsOpen(answer.pods) : null;
    case "WriteStatus":
    case "HoldJob":
    case "ReleaseJob":
      if (answer.result === "gone" || isJobNewer) return null;
      return answer.result === "conflict" ? "the Job had changed" : `the ${command.kind} has changed nothing`;
    case "CreateMember":
    case "RenewGuard":
    case "ReleaseGuard":
    case "ChangeMember":
    case "DeleteMember":
    case "EndGrant":
    case "ShareOut":
    case "EmitEvents":
    case "SetSuspend":
    case "DeleteJob":
    case "skipped":
      return null;
  }
}
function podsOpen({ open, first = "" }) {
  return open === 1 ? `the pod ${first} has not ended` : `${open} pods have not ended, among them ${first}`;
}

// workflows/placement/evolve/outcomes.ts
function foldOutcome(draft, { decision, command: at, answer }) {
  const isOfLast = decision === draft.last?.id;
  const command = isOfLast ? draft.pending[at] : void 0;
  const versionBefore = draft.mark;
  foldEffect(draft, command, answer);
  if (command === void 0) return;
  foldRetries(draft, command, answer, draft.mark !== versionBefore);
  if (at === draft.pending.length - 1) draft.pending = [];
}
function foldEffect(draft, command, answer) {
  switch (answer.kind) {
    case "HoldJob":
    case "ReleaseJob":
    case "WriteStatus":
      if (answer.result === "gone") foldGone(draft, draft.mark);
      else if (answer.result !== "failed") foldAnswered(draft, answer.job);
      return;
    case "SetSuspend":
      draft.requests = draft.requests.filter(({ id }) => id !== answer.request);
      if (answer.result === "gone") foldGone(draft, draft.mark);
      else if (answer.result === "done") foldAnswered(draft, answer.job);
      return;
    case "DeleteJob":
      if (answer.result === "gone") foldGone(draft, draft.mark);
      else if (answer.result === "kept") foldAnswered(draft, answer.job);
      return;
    case "CreateMember":
    case "RenewGuard":
    case "ReleaseGuard":
    case "ChangeMember":
    case "DeleteMember":
    case "LookUpMember":
      return foldOfMember(draft, command, answer);
    case "EndGrant":
    case "ShareOut":
    case "EmitEvents":
    case "skipped":
      return;
  }
}
function foldOfMember(draft, command, answer) {
  if (answer.kind === "CreateMember" && answer.result === "stale") {
    if (answer.job === null) foldGone(draft, draft.mark);
    else foldAnswered(draft, answer.job);
  }
  const grant = command !== void 0 && "grant" in command ? draft.grants.find(({ number }) => number === command.grant) : void 0;
  if (grant === void 0) return;
  if (answer.kind === "RenewGuard") return foldGuard(grant, answer);
  if (answer.result === "unanswered") return;
  switch (answer.kind) {
    case "CreateMember":
      if (answer.result === "created") foldCreated(grant, answer.member);
      else if (grant.member === null) grant.refused = refusalIn(answer);
      return;
    case "ChangeMember":
      if (answer.result === "done") renew(grant, answer.member);
      else if (answer.result === "gone") foldMissing(grant);
      return;
    case "DeleteMember":
      if (answer.result === "done") grant.deleted = true;
      else if (answer.result === "gone") foldMissing(grant);
      return;
    case "ReleaseGuard":
      if (grant.guard !== void 0 && answer.result !== "failed")
        grant.guard = { ...grant.guard, gone: true };
      return;
    case "LookUpMember":
      if (answer.result === "done") foldLookUp(draft, grant, answer);
  }
}
function foldGuard(grant, answer) {
  const { guard } = grant;
  if (guard === void 0) return;
  const renewedAt = Math.max(guard.renewedAt, answer.at);
  grant.guard = { ...guard, renewedAt };
  if (answer.result === "done") {
    grant.guard.uid = answer.uid;
    grant.guard.isStarted = answer.isStarted;
  } else if (answer.result === "gone") grant.guard.gone = true;
  else if (answer.result !== "unanswered" && grant.member === null)
    grant.refused = answer.result === "failed" ? answer.error.message : "another Job has the name of its guard";
}
function foldLookUp(draft, grant, { member, pods, of }) {
  if (member === null) {
    if (grant.member === null) grant.absentAt = decidedAt(draft);
    else grant.gone = true;
  } else if (grant.member === null) foldCreated(grant, member);
  else renew(grant, member);
  if (of !== void 0) {
    if (pods.open === 0 && grant.part !== void 0) grant.part = partWithout(grant.part, of);
    return;
  }
  grant.pods = { ...pods, at: decidedAt(draft), times: (grant.pods?.times ?? 0) + 1 };
}
function refusalIn(answer) {
  if (answer.result === "failed") return answer.error.message;
  return answer.result === "taken" ? "another Job has the name" : "the Job had changed";
}
function foldAnswered(draft, job) {
  if (draft.decidedIn === draft.epoch) foldPlacedJob(draft, job);
}

// workflows/placement/evolve/evolve.ts
function fold(state, events) {
  const draft = {
    ...state,
    grants: state.grants.map((grant) => ({ ...grant })),
    retries: { ...state.retries },
    folded: [...state.folded]
  };
  for (const event of events) {
    if (event.type === "placement.decided") foldDecision(draft, event.id, event.data);
    else if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
  }
  return draft;
}
function foldContent(draft, event) {
  switch (event.type) {
    case "command.answered":
      foldOutcome(draft, event.data);
      return true;
    case "job.observed":
    case "job.deleted": {
      const { epoch = 0 } = event;
      if (epoch < draft.epoch) return false;
      if (epoch > draft.epoch) beginEpoch(draft, epoch);
      return event.type === "job.observed" ? foldPlacedJob(draft, event.job) : foldGone(draft, event.resourceVersion);
    }
    case "member.observed":
      return foldMember(draft, event.member);
    case "member.deleted":
      return foldMemberGone(draft, event);
    case "command.received":
      return foldRequest(draft, event);
  }
}
function foldDecision(draft, id, content) {
  draft.last = { number: content.number, id, core: content.core, now: content.now };
  draft.waiting = content.waiting;
  draft.pending = content.commands;
  draft.decidedIn = draft.epoch;
  draft.folded = [];
  for (const [number, left] of Object.entries(content.settings.candidates?.leftBy ?? {})) {
    const grant = draft.grants.find((each) => each.number === Number(number));
    if (grant !== void 0) grant.left = left;
  }
  for (const command of content.commands) {
    foldGrants(draft, command, { id, now: content.now });
    if (command.kind === "EmitEvents")
      draft.reported = [...draft.reported, ...command.events.map(({ message }) => message)].slice(
        -REPORTS_KEPT
      );
    if (command.kind === "ShareOut") draft.shares = { at: content.now, pods: command.shares };
    if (command.kind === "WriteStatus") draft.startedAt = command.to.startTime ?? draft.startedAt;
  }
}
var REPORTS_KEPT = 20;

// workflows/placement/state.ts
var INITIAL_STATE = {
  job: null,
  gone: false,
  epoch: 0,
  mark: "",
  grants: [],
  shares: null,
  startedAt: null,
  requests: [],
  requested: [],
  reported: [],
  retries: {},
  last: null,
  folded: [],
  waiting: null,
  pending: [],
  decidedIn: 0
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

// Compiled from workflows/cron-job by "npm run freeze-core". Never edited.

// workflows/job/definitions/conditions.ts
function terminalCondition(status) {
  return status.conditions?.find(({ type, status: value }) => isEndType(type) && value === "True");
}
function isEndType(type) {
  return type === "Complete" || type === "Failed";
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

// workflows/kubernetes/controller.ts
function controllerOf({ ownerReferences }) {
  return ownerReferences?.find(({ controller }) => controller === true);
}

// workflows/cron-job/observe/compact.ts
function compact(event) {
  const { id, digest } = event;
  switch (event.type) {
    case "cronjob.observed":
      return { id, digest, type: event.type, cronJob: cronJobFacts(event.data.object) };
    case "cronjob.deleted":
      return { id, digest, type: event.type, resourceVersion: event.data.resourceVersion };
    case "job.observed": {
      const { object, cronJobUid, listedAt } = event.data;
      const job = childFacts(object, cronJobUid);
      return { id, digest, type: event.type, job: listedAt === void 0 ? job : { ...job, listedAt } };
    }
    case "job.deleted":
      return {
        id,
        digest,
        type: event.type,
        uid: event.data.childUid,
        resourceVersion: event.data.resourceVersion
      };
    case "cronjob.decided":
    case "command.answered":
      return event;
    case "cronjob.folded":
      return null;
  }
}
function cronJobFacts({ metadata, spec, status }) {
  const { jobTemplate: _template, ...rest } = spec;
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 1,
    createdAt: Date.parse(metadata.creationTimestamp),
    deleting: metadata.deletionTimestamp !== void 0,
    spec: plainNumbers(rest),
    status: status ?? {}
  };
}
function childFacts({ metadata, status = {} }, cronJobUid) {
  const { uid, name, resourceVersion } = metadata;
  const { startTime, completionTime } = status;
  const end = terminalCondition(status)?.type;
  return {
    uid,
    name,
    resourceVersion,
    ...controllerOf(metadata)?.uid !== cronJobUid && { elsewhere: true },
    ...end !== void 0 && { finished: end === "Complete" ? "Complete" : "Failed" },
    ...startTime !== void 0 && { startTime },
    ...completionTime !== void 0 && { completionTime }
  };
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
  let hex2 = "";
  for (let i = 0; i < bytes.length; i++) {
    hex2 += hexes[bytes[i]];
  }
  return hex2;
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

// workflows/cron-job/decide/held.ts
function heldBack(state, now, kind) {
  const retry = state.retries[kind];
  if (retry === void 0 || retry.until <= now) return null;
  const { errors, until, message } = retry;
  const words = `no ${kind} before ${isoTime(until)}: errors of the API: ${errors}, the last: ${message}`;
  return { lookAgainAt: until, waiting: { rule: "J-9.10", words } };
}

// workflows/cron-job/commands.ts
var MAX_JOBS_IN_COMMAND = 500;

// workflows/cron-job/decide/history.ts
function deleteHistory(state, { spec }, now) {
  if (heldBack(state, now, "DeleteJobs") !== null) return [];
  const jobs = [
    ...surplus(state, "Complete", spec.successfulJobsHistoryLimit),
    ...surplus(state, "Failed", spec.failedJobsHistoryLimit)
  ].slice(0, MAX_JOBS_IN_COMMAND);
  if (jobs.length === 0) return [];
  const words = `more finished Jobs than the history limits allow: ${jobs.length}`;
  return [{ kind: "DeleteJobs", jobs, why: { rule: "J-9.21", words } }];
}
function surplus({ children }, end, limit) {
  if (limit === void 0) return [];
  const ended = Object.entries(children).filter(
    ([, { finished, deleted }]) => finished === end && deleted !== true
  );
  return ended.toSorted(([, a], [, b]) => startOf(a) - startOf(b) || (a.name < b.name ? -1 : 1)).slice(0, Math.max(ended.length - limit, 0)).map(([uid, { name }]) => ({ uid, name }));
}
function startOf({ startTime }) {
  return instantOf(startTime) ?? Number.MAX_SAFE_INTEGER;
}

// workflows/cron-job/decide/look-ups.ts
function lookUpUnlisted({ children }, { active = [] }) {
  const listed = new Set(active.map(({ uid }) => uid));
  const jobs = Object.entries(children).filter(
    ([uid, { finished, deleted, unexpected }]) => !listed.has(uid) && finished === void 0 && deleted !== true && unexpected !== true
  ).map(([uid, { name }]) => ({ uid, name }));
  if (jobs.length === 0) return [];
  const why = {
    rule: "J-9.30",
    words: `running Jobs that the status does not list: ${jobs.length}`
  };
  return [{ kind: "LookUpCronJob", jobs, why }];
}
function lookUpMissing({ children, found }, { active = [] }, due) {
  const jobs = active.filter(({ uid }) => children[uid] === void 0 || children[uid].deleted === true).filter(({ uid }) => (found[uid] ?? -Infinity) < (due ?? 0)).map(({ uid, name }) => ({ uid, name }));
  if (jobs.length === 0) return [];
  const why = { rule: "J-9.31", words: `listed Jobs that were not observed: ${jobs.length}` };
  return [{ kind: "LookUpJobs", jobs, why }];
}
function lastStart({ lastScheduleTime }, createdAt) {
  return instantOf(lastScheduleTime) ?? createdAt;
}

// workflows/cron-job/schedule/go-text.ts
var SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
function fieldsOf(text) {
  return text.split(SPACE).filter((field) => field !== "");
}
var ESCAPES = {
  "\x07": String.raw`\a`,
  "\b": String.raw`\b`,
  "\f": String.raw`\f`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "	": String.raw`\t`,
  "\v": String.raw`\v`,
  "\\": "\\\\",
  '"': String.raw`\"`
};
function quoted(text) {
  return `"${Array.from(text).map(escaped).join("")}"`;
}
function escaped(character) {
  const code = character.codePointAt(0) ?? 0;
  if (ESCAPES[character] !== void 0) return ESCAPES[character];
  if (code < 32 || code === 127) return String.raw`\x${hex(code, 2)}`;
  if (character === " " || !/[\p{C}\p{Z}]/u.test(character)) return character;
  return code > 65535 ? String.raw`\U${hex(code, 8)}` : String.raw`\u${hex(code, 4)}`;
}
function hex(code, digits) {
  return code.toString(16).padStart(digits, "0");
}

// workflows/cron-job/schedule/zone.ts
var UTC = "UTC";
var YEAR = 366 * 864e5;
var UTC_RULES = { name: UTC, from: 0, until: 0, offsets: [[0, 0]] };
function offsetAt({ offsets }, instant) {
  let at = offsets.length - 1;
  while (at > 0 && (offsets[at]?.[0] ?? 0) > instant) at -= 1;
  return {
    offset: offsets[at]?.[1] ?? 0,
    start: at === 0 ? -Infinity : offsets[at]?.[0] ?? 0,
    end: offsets[at + 1]?.[0] ?? Infinity
  };
}
function wallAt(zone, instant) {
  return instant + offsetAt(zone, instant).offset;
}
function instantOfWall(zone, wall) {
  const { offset, start, end } = offsetAt(zone, wall);
  const instant = wall - offset;
  if (offset === 0 || instant >= start && instant < end) return instant;
  return wall - offsetAt(zone, instant).offset;
}
function localTime(zone, instant) {
  const { offset } = offsetAt(zone, instant / 1e3);
  const text = new Date(instant + offset * 1e3).toISOString().slice(0, 19);
  const minutes = Math.trunc(Math.abs(offset) / 60);
  if (minutes === 0) return `${text}Z`;
  const two = (number) => String(number).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

// workflows/cron-job/schedule/next-time.ts
var MINUTE = 60;
var HOUR = 3600;
var DAY = 86400;
function nextTime(schedule, zone, after) {
  const second = Math.floor(after / 1e3);
  if (schedule.kind === "interval") return (second + schedule.seconds) * 1e3;
  const { minute, hour, month } = schedule;
  if ([minute, hour, month].some(({ values }) => values.length === 0)) return null;
  const next = search(schedule, zone, second + 1);
  return next === null ? null : next * 1e3;
}
function search(schedule, zone, from) {
  const { minute, hour, month } = schedule;
  const show = (instant) => wallOf(wallAt(zone, instant));
  const instantAt = (...wall) => instantOfWall(zone, wallSeconds(...wall));
  let at = from;
  let cut = false;
  const limit = show(at).year + 5;
  wrap: for (; ; ) {
    if (show(at).year > limit) return null;
    while (!month.values.includes(show(at).month)) {
      if (!cut) at = instantAt(show(at).year, show(at).month, 1);
      cut = true;
      const wall = show(at);
      at = instantAt(wall.year, wall.month + 1, wall.day, wall.hour, wall.minute, wall.second);
      if (show(at).month === 1) continue wrap;
    }
    while (!dayMatches(schedule, show(at))) {
      const wall = show(at);
      if (!cut) at = instantAt(wall.year, wall.month, wall.day);
      cut = true;
      at = nextDay(at, show(at), instantAt);
      const { hour: shown } = show(at);
      if (shown !== 0) at += (shown > 12 ? 24 - shown : -shown) * HOUR;
      if (show(at).day === 1) continue wrap;
    }
    while (!hour.values.includes(show(at).hour)) {
      const wall = show(at);
      if (!cut) at = instantAt(wall.year, wall.month, wall.day, wall.hour);
      cut = true;
      at += HOUR;
      if (show(at).hour === 0) continue wrap;
    }
    while (!minute.values.includes(show(at).minute)) {
      if (!cut) at -= at % MINUTE;
      cut = true;
      at += MINUTE;
      if (show(at).minute === 0) continue wrap;
    }
    while (show(at).second !== 0) {
      cut = true;
      at += 1;
      if (show(at).second === 0) continue wrap;
    }
    return at;
  }
}
function nextDay(at, wall, instantAt) {
  const next = instantAt(wall.year, wall.month, wall.day + 1, wall.hour, wall.minute, wall.second);
  return next > at ? next : at + DAY;
}
function wallOf(seconds) {
  const date = new Date(seconds * 1e3);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds()
  };
}
function wallSeconds(year, month, day, hour = 0, minute = 0, second = 0) {
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1e3;
}
function dayMatches({ dayOfMonth, dayOfWeek }, { day, weekday }) {
  const [ofMonth, ofWeek] = [dayOfMonth.values.includes(day), dayOfWeek.values.includes(weekday)];
  return dayOfMonth.star || dayOfWeek.star ? ofMonth && ofWeek : ofMonth || ofWeek;
}

// workflows/cron-job/schedule/most-recent.ts
var NO_INTERVAL = "time difference between two schedules is less than 1 second";
function mostRecent(schedule, zone, { since, now }) {
  const first = nextTime(schedule, zone, since);
  if (first === null) return null;
  if (now < first) return { time: null, missed: 0 };
  const second = nextTime(schedule, zone, first);
  if (second === null) return null;
  if (now < second) return { time: first, missed: 0 };
  const gap = second - first;
  const missed = Math.floor((now - first) / gap) + 1;
  return { time: lastUpTo(schedule, zone, first + (missed - 2) * gap, now), missed };
}
var SPANS = [60, 3600, 86400, 32 * 86400, 366 * 86400].map((seconds) => seconds * 1e3);
function lastUpTo(schedule, zone, from, now) {
  const begins = schedule.kind === "interval" ? [] : SPANS.map((span) => now - span);
  for (const begin of [...begins.filter((each) => each > from), from]) {
    let last = null;
    for (let at = nextTime(schedule, zone, begin); at !== null && at <= now; at = nextTime(schedule, zone, at))
      last = at;
    if (last !== null) return last;
  }
  return null;
}
function nextAfter(schedule, zone, elapsed) {
  const recent = mostRecent(schedule, zone, elapsed);
  const afterNone = recent?.missed === 0 ? elapsed.since : elapsed.now;
  return nextTime(schedule, zone, recent?.time ?? afterNone);
}

// workflows/cron-job/schedule/field.ts
var ScheduleError = class extends Error {
};
var MAX_INT64 = 2n ** 63n - 1n;
function parseField(text, bounds) {
  const ranges = text.split(",").filter((range) => range !== "").map((range) => parseRange(range, bounds));
  return {
    values: [...new Set(ranges.flatMap(({ values }) => values))].toSorted((a, b) => a - b),
    star: ranges.some(({ star }) => star)
  };
}
function parseRange(text, bounds) {
  const [range = "", stepText, ...tooMany] = text.split("/");
  const [low = "", high, ...more] = range.split("-");
  let [start, end] = [BigInt(bounds.min), BigInt(bounds.max)];
  const isStar = low === "*" || low === "?";
  if (!isStar) {
    start = numberOrName(low, bounds.names);
    if (more.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
    end = high === void 0 ? start : numberOrName(high, bounds.names);
  }
  if (tooMany.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const step = stepText === void 0 ? 1n : parseInteger(stepText);
  if (stepText !== void 0 && high === void 0) end = BigInt(bounds.max);
  refuse(start < bounds.min, `beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  refuse(end > bounds.max, `end of range (${end}) above maximum (${bounds.max}): ${text}`);
  refuse(start > end, `beginning of range (${start}) beyond end of range (${end}): ${text}`);
  refuse(step === 0n, `step of range should be a positive number: ${text}`);
  const values = [];
  for (let value = start; value <= end; value += step) values.push(Number(value));
  return { values, star: isStar && step === 1n };
}
function refuse(condition, message) {
  if (condition) throw new ScheduleError(message);
}
function numberOrName(text, names) {
  const place = names?.indexOf(text.toLowerCase()) ?? -1;
  return place < 0 ? parseInteger(text) : BigInt(place);
}
function parseInteger(text) {
  const failed = (why) => new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quoted(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw failed("invalid syntax");
  const number = BigInt(text.replace("+", ""));
  if (number > MAX_INT64 || number < -MAX_INT64 - 1n) throw failed("value out of range");
  refuse(number < 0n, `negative number (${number}) not allowed: ${text}`);
  return number;
}

// workflows/cron-job/schedule/go-duration.ts
var UNITS = {
  ns: 1n,
  us: 1000n,
  \u00B5s: 1000n,
  \u03BCs: 1000n,
  ms: 1000000n,
  s: 1000000000n,
  m: 60000000000n,
  h: 3600000000000n
};
var MAX_NANOSECONDS = 2n ** 63n - 1n;
var PART = /^(\d*)(\.\d*)?([^\d.]*)/;
function parseDuration(text) {
  const negative = text.startsWith("-");
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  if (unsigned === "") throw invalid(text);
  let total = 0n;
  for (let rest = unsigned; rest !== ""; ) {
    const [part, whole = "", fraction = "", unit = ""] = PART.exec(rest) ?? [""];
    if (whole === "" && fraction.length < 2) throw invalid(text);
    if (BigInt(whole) > MAX_NANOSECONDS + 1n) throw invalid(text);
    if (unit === "") throw new ScheduleError(`time: missing unit in duration ${quotedDuration(text)}`);
    const size = UNITS[unit];
    if (size === void 0)
      throw new ScheduleError(
        `time: unknown unit ${quotedDuration(unit)} in duration ${quotedDuration(text)}`
      );
    total += BigInt(whole) * size + fractionOf(fraction.slice(1), size);
    if (total > MAX_NANOSECONDS + (negative ? 1n : 0n)) throw invalid(text);
    rest = rest.slice(part.length);
  }
  return negative ? -total : total;
}
function fractionOf(digits, unit) {
  return BigInt(digits) * unit / 10n ** BigInt(digits.length);
}
function invalid(text) {
  return new ScheduleError(`time: invalid duration ${quotedDuration(text)}`);
}
function quotedDuration(text) {
  const characters = Array.from(text).map((character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    if (character >= " " && character <= "~") return character;
    return encodeURIComponent(character).startsWith("%") ? encodeURIComponent(character).toLowerCase().replaceAll("%", String.raw`\x`) : String.raw`\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`;
  });
  return `"${characters.join("")}"`;
}

// workflows/cron-job/schedule/parse-schedule.ts
var MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
var BOUNDS = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: MONTHS.map((name) => name || "(none)") },
  dayOfWeek: { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] }
};
var DESCRIPTORS = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *"
};
var EVERY = "@every ";
var SECOND = 1000000000n;
function splitZone(text) {
  const prefix = /^(?:CRON_)?TZ=/.exec(text)?.[0];
  if (prefix === void 0) return { zone: null, rest: text };
  const end = text.indexOf(" ");
  if (end < 0) return { error: "invalid schedule format: runtime error: slice bounds out of range [:-1]" };
  return { zone: text.slice(prefix.length, end), rest: text.slice(end).trim() };
}
function parseSchedule(text) {
  try {
    return { schedule: scheduleOf(text) };
  } catch (error) {
    if (error instanceof ScheduleError) return { error: error.message };
    throw error;
  }
}
function scheduleOf(text) {
  if (text.startsWith("@")) return descriptorOf(text);
  const fields = fieldsOf(text);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (fields.length !== 5 || dayOfWeek === void 0)
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  return {
    kind: "calendar",
    minute: parseField(minute ?? "", BOUNDS.minute),
    hour: parseField(hour ?? "", BOUNDS.hour),
    dayOfMonth: parseField(dayOfMonth ?? "", BOUNDS.dayOfMonth),
    month: parseField(month ?? "", BOUNDS.month),
    dayOfWeek: parseField(dayOfWeek, BOUNDS.dayOfWeek)
  };
}
function descriptorOf(text) {
  const named = DESCRIPTORS[text];
  if (named !== void 0) return scheduleOf(named);
  if (!text.startsWith(EVERY)) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const nanoseconds = everyOf(text);
  return { kind: "interval", seconds: nanoseconds < SECOND ? 1 : Number(nanoseconds / SECOND) };
}
function everyOf(text) {
  try {
    return parseDuration(text.slice(EVERY.length));
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    throw new ScheduleError(`failed to parse duration ${text}: ${error.message}`, { cause: error });
  }
}

// workflows/cron-job/decide/status.ts
function presentStatus(state, cronJob) {
  const { status } = cronJob;
  const active = activeOf(state, cronJob).filter(({ uid }) => state.children[uid]?.finished === void 0);
  const lastScheduleTime = latest(status.lastScheduleTime, ...state.started.map((each) => each.scheduledAt));
  const lastSuccessfulTime = latest(status.lastSuccessfulTime, state.lastSuccess ?? void 0);
  return {
    ...active.length > 0 && { active },
    ...lastScheduleTime !== void 0 && { lastScheduleTime },
    ...lastSuccessfulTime !== void 0 && { lastSuccessfulTime }
  };
}
function activeOf({ started, removed }, { status, namespace }) {
  const listed = status.active ?? [];
  const known = new Set(listed.map(({ uid }) => uid));
  const added = started.filter(({ uid }) => !known.has(uid)).map(({ uid, name, resourceVersion }) => ({
    kind: "Job",
    apiVersion: "batch/v1",
    namespace,
    name,
    uid,
    resourceVersion
  }));
  return [...listed, ...added].filter(({ uid }) => !removed.includes(uid));
}
function latest(...times) {
  return times.filter((time) => time !== void 0).reduce(
    (a, b) => a === void 0 || (instantOf(b) ?? 0) > (instantOf(a) ?? 0) ? b : a,
    void 0
  );
}
function writeStatus(state, cronJob, to) {
  const { status: from, resourceVersion } = cronJob;
  const { active = [], ...others } = from;
  if (isSameJson(active.length === 0 ? others : from, to)) return [];
  const words = `active: ${to.active?.map(({ name }) => name).join(", ") ?? "none"}`;
  const events = activeOf(state, cronJob).flatMap(({ uid, name }) => completionOf(state, uid, name));
  return [
    { kind: "WriteStatus", resourceVersion, from, to, why: { rule: "J-9.20", words } },
    ...events.length === 0 ? [] : [
      {
        kind: "EmitEvents",
        events,
        why: { rule: "J-9.30", words: "Jobs have finished" }
      }
    ]
  ];
}
function completionOf({ children }, uid, name) {
  const finished = children[uid]?.finished;
  if (finished === void 0) return [];
  const message = `Saw completed job: ${name}, condition: ${finished}`;
  return [{ type: "Normal", reason: "SawCompletedJob", message }];
}

// workflows/cron-job/decide/zones.ts
var RESERVE = 31 * 864e5;
function zonesOf({ spec: { schedule, timeZone } }, { localTimeZone }) {
  const split = splitZone(schedule);
  const inSchedule = "error" in split || split.zone === "Local" ? null : split.zone;
  const ofField = schedule.includes("TZ") ? null : timeZone ?? null;
  return { schedule: inSchedule ?? ofField ?? localTimeZone, field: timeZone ?? null };
}
function isUtc(name) {
  return name === UTC || name === "";
}
function rulesOf(cronJob, settings) {
  const { schedule, field } = zonesOf(cronJob, settings);
  const find = (name) => isUtc(name) ? UTC_RULES : settings.zones.find((rules) => rules.name === name);
  const [ofSchedule, ofField] = [find(schedule), find(field ?? UTC)];
  if (ofSchedule === void 0 || ofField === void 0)
    return { missing: ofSchedule === void 0 ? schedule : field ?? UTC };
  return { schedule: ofSchedule, field: ofField };
}
function readSchedule({ spec }, zone) {
  if (spec.schedule === "" && spec.timeZone === void 0) return { error: "empty spec string" };
  const split = splitZone(spec.schedule);
  if ("error" in split) return split;
  if ("unknown" in zone) return { error: `provided bad location ${zone.name}: ${zone.unknown}` };
  return parseSchedule(split.rest);
}

// workflows/cron-job/decide/start.ts
var NEXT_DELAY_MS = 100;
var MANY = 100;
function planStart(state, cronJob, status, now, settings) {
  const { spec } = cronJob;
  if (cronJob.deleting) return wait("J-9.32", "the CronJob is being deleted");
  const rules = rulesOf(cronJob, settings);
  if ("missing" in rules) return wait("J-9.4", `the rules of the time zone ${rules.missing} are not known`);
  const { schedule: zone, field } = rules;
  if ("unknown" in field) {
    const message = `invalid timeZone: ${quoted(field.name)}: ${field.unknown}`;
    return wait("J-9.32", message, null, [warning("UnknownTimeZone", message)]);
  }
  if (spec.suspend === true) return wait("J-9.32", "the CronJob is suspended");
  if (state.hold !== null && (state.hold.until === null || now < state.hold.until))
    return wait("J-9.11", changedWords(state.hold.until), state.hold.until);
  const parsed = readSchedule(cronJob, zone);
  if ("error" in parsed || "unknown" in zone)
    return unparsable(state, cronJob, "error" in parsed ? parsed.error : "");
  const timing = { cronJob, status, now, schedule: parsed.schedule, zone };
  if (state.rescheduled) return rescheduled(timing);
  const plan = startOrWait(state, timing, field);
  return { ...plan, events: [...unsupported(cronJob), ...plan.events] };
}
function startOrWait(state, timing, field) {
  const { cronJob, status, now, schedule, zone } = timing;
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cronJob.spec;
  const last = lastStart(status, cronJob.createdAt);
  const since = deadline === void 0 ? last : Math.max(last, now - deadline * 1e3);
  const recent = mostRecent(schedule, zone, { since, now });
  if (recent === null) {
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${NO_INTERVAL}`;
    return wait("J-9.33", message, null, [warning("InvalidSchedule", message)]);
  }
  const next = lookAgainAt(timing);
  if (recent.time === null) return { ...waitForNext(timing, next), due: null };
  const many = recent.missed > MANY ? [warning("TooManyMissedTimes", TOO_MANY)] : [];
  const due = recent.time;
  const waiting = (rule, words, events = []) => ({
    ...wait(rule, `the start of ${isoTime(due)} ${words}`, next, [...many, ...events]),
    due
  });
  const name = `${cronJob.name}-${Math.floor(due / 6e4)}`;
  const active = status.active ?? [];
  if (active.some((each) => each.name === name)) return waiting("J-9.35", "has its Job already");
  if (instantOf(state.taken) === due)
    return { ...waiting("J-9.38", `is left out: another controller has a Job ${name}`), lookAgainAt: null };
  if (concurrencyPolicy === "Forbid" && active.length > 0)
    return waiting("J-9.36", "waits for the running Job (Forbid)", [FORBIDDEN]);
  const held = heldBack(state, now, "ReplaceJobs") ?? heldBack(state, now, "CreateJob");
  if (held !== null) return { commands: [], ...held, due, events: [] };
  const commands = [];
  if (concurrencyPolicy === "Replace" && active.length > 0) {
    const words = `replaced by the start of ${isoTime(due)}`;
    const jobs = active.map((each) => ({ uid: each.uid, name: each.name }));
    commands.push({ kind: "ReplaceJobs", jobs, why: { rule: "J-9.37", words } });
  }
  const annotation = localTime(field, due);
  const why = { rule: "J-9.38", words: startWords(recent, due, now) };
  commands.push({ kind: "CreateJob", name, scheduledAt: apiTime(due), annotation, why });
  return { commands, lookAgainAt: null, waiting: null, due, events: many };
}
var TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
var FORBIDDEN = {
  type: "Normal",
  reason: "JobAlreadyActive",
  message: "Not starting job because prior execution is running and concurrency policy is Forbid"
};
function startWords({ missed }, due, now) {
  const late = Math.floor((now - due) / 1e3);
  const lateness = late > 0 ? `, ${late} s late` : "";
  return `the start of ${isoTime(due)}${lateness}${missed > 1 ? `; about ${missed - 1} before it were missed` : ""}`;
}
function waitForNext({ cronJob, status, now, schedule, zone }, next) {
  const since = lastStart(status, cronJob.createdAt);
  const skipped = mostRecent(schedule, zone, { since, now })?.time ?? null;
  if (skipped === null) return wait("J-9.45", nextWords(next), next);
  const { startingDeadlineSeconds = 0 } = cronJob.spec;
  const words = `the start of ${isoTime(skipped)} is skipped: more than ${startingDeadlineSeconds} s late; ${nextWords(next)}`;
  return wait("J-9.34", words, next);
}
function nextWords(next) {
  return next === null ? "no next start" : `next start at ${isoTime(next - NEXT_DELAY_MS)}`;
}
function lookAgainAt({ cronJob, status, now, schedule, zone }) {
  const next = nextAfter(schedule, zone, { since: lastStart(status, cronJob.createdAt), now });
  return next === null ? null : next + NEXT_DELAY_MS;
}
function rescheduled(timing) {
  const next = lookAgainAt(timing);
  return wait("J-9.11", changedWords(next), next);
}
function changedWords(next) {
  return `the schedule has changed, ${nextWords(next)}`;
}
function unparsable(state, cronJob, error) {
  const { schedule } = cronJob.spec;
  if (state.rescheduled) {
    const message2 = `unparseable schedule for cronjob: ${schedule}`;
    return wait("J-9.11", changedWords(null), null, [warning("UnParseableCronJobSchedule", message2)]);
  }
  const message = `unparseable schedule: ${quoted(schedule)} : ${error}`;
  return wait("J-9.32", message, null, [...unsupported(cronJob), warning("UnparseableSchedule", message)]);
}
function unsupported({ spec: { schedule } }) {
  if (!schedule.includes("TZ")) return [];
  const page = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
  const message = `CRON_TZ or TZ used in schedule ${quoted(schedule)} is not officially supported, see ${page} for more details`;
  return [warning("UnsupportedSchedule", message)];
}
function warning(reason, message) {
  return { type: "Warning", reason, message };
}
function wait(rule, words, until = null, events = []) {
  return { commands: [], lookAgainAt: until, waiting: { rule, words }, due: null, events };
}

// workflows/cron-job/decide/decide.ts
function decide(state, now, settings) {
  const { cronJob } = state;
  if (cronJob === null || state.gone) return { commands: [], lookAgainAt: null, waiting: null };
  const history = deleteHistory(state, cronJob, now);
  const status = presentStatus(state, cronJob);
  const start = planStart(state, cronJob, status, now, settings);
  const unlisted = orHeld(state, now, lookUpUnlisted(state, status));
  const missing = orHeld(state, now, lookUpMissing(state, status, start.due));
  const lookUps = unlisted.commands.length > 0 ? unlisted.commands : missing.commands;
  if (lookUps.length > 0) return { commands: [...history, ...lookUps], lookAgainAt: null, waiting: null };
  const held = unlisted.held ?? missing.held;
  if (held === null && start.commands.length > 0)
    return { ...start, commands: [...history, ...start.commands, ...eventsOf(start)] };
  const write = orHeld(state, now, writeStatus(state, cronJob, status));
  const wait2 = held ?? write.held;
  const { lookAgainAt: lookAgainAt2, waiting } = wait2 ?? start;
  const isNew = wait2 === null && !isSameJson(waiting, state.waiting);
  return {
    commands: [...history, ...write.commands, ...isNew ? eventsOf(start) : []],
    lookAgainAt: earliest(
      [
        lookAgainAt2,
        wait2 === null ? null : start.lookAgainAt,
        heldBack(state, now, "DeleteJobs")?.lookAgainAt ?? null
      ],
      now
    ),
    waiting
  };
}
function orHeld(state, now, commands) {
  const [first] = commands;
  const held = first === void 0 ? null : heldBack(state, now, first.kind);
  return { commands: held === null ? commands : [], held };
}
function eventsOf({ events }) {
  if (events.length === 0) return [];
  const words = events.map(({ reason }) => reason).join(", ");
  return [{ kind: "EmitEvents", events, why: { rule: "J-7.4", words } }];
}
function earliest(instants, now) {
  const later = instants.filter((instant) => instant !== null && instant > now);
  return later.length === 0 ? null : Math.min(...later);
}

// workflows/cron-job/record/decision-record.ts
var CORE_VERSION = "1";
var FOLDED_IN_ONE = 500;
function isNews(state, verdict) {
  return verdict.commands.length > 0 || !isSameJson(verdict.waiting, state.waiting) || state.last !== null && state.last.core !== CORE_VERSION;
}
function decisionRecord({ cluster, cronJobUid, subject, chain }, state, { commands, lookAgainAt: lookAgainAt2, waiting }, now, settings) {
  const number = (state.last?.number ?? 0) + 1;
  const parts = partsOf(state.folded);
  const before = parts.slice(0, -1).map((folded, part) => {
    const data2 = { cluster, cronJobUid, chain, number, part, folded };
    return { data: data2, digest: digestOf(data2) };
  });
  const data = {
    cluster,
    cronJobUid,
    number,
    predecessor: state.last?.id ?? null,
    chain,
    now,
    core: CORE_VERSION,
    settings,
    folded: parts.at(-1) ?? [],
    foldedBefore: before.map(({ digest: digest2 }) => digest2),
    commands,
    lookAgainAt: lookAgainAt2,
    waiting
  };
  const digest = digestOf(data);
  const id = cronDecisionId(data);
  const envelope = { source: `jobledger/${cluster}`, subject };
  return {
    folded: before.map((part, at) => ({
      ...envelope,
      ...part,
      id: `${id}/folded/${at}`,
      type: "cronjob.folded"
    })),
    decided: { ...envelope, id, type: "cronjob.decided", digest, data }
  };
}
function cronDecisionId(content) {
  const { cluster, cronJobUid, number, chain } = content;
  return `${cluster}/${cronJobUid}/decision/${number}/${chain.slice(0, 8)}/${digestOf(content)}`;
}
function partsOf(folded) {
  const parts = [];
  for (let at = 0; at < folded.length; at += FOLDED_IN_ONE) parts.push(folded.slice(at, at + FOLDED_IN_ONE));
  return parts;
}

// workflows/job/definitions/resource-version.ts
function compareVersions(a, b) {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

// workflows/cron-job/evolve/evolve.ts
var FIRST_RETRY_MS = 5;
var MAX_RETRY_MS = 1e6;
function fold(state, events) {
  const draft = {
    ...state,
    marks: { ...state.marks },
    children: { ...state.children },
    found: { ...state.found },
    retries: { ...state.retries },
    folded: [...state.folded]
  };
  for (const event of events) {
    if (event.type === "cronjob.decided") foldDecision(draft, event.id, event.data);
    else if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
  }
  return draft;
}
function foldContent(draft, event) {
  switch (event.type) {
    case "cronjob.observed":
      return foldCronJob(draft, event.cronJob);
    case "cronjob.deleted":
      return foldGone(draft, event.resourceVersion);
    case "job.observed":
      return foldChild(draft, event.job);
    case "job.deleted":
      return forgetChild(draft, event.uid, event.resourceVersion);
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
  if (content.waiting?.rule === "J-9.11") {
    if (draft.rescheduled) draft.hold = { until: content.lookAgainAt };
    draft.rescheduled = false;
  } else if (content.commands.some(({ kind }) => kind === "CreateJob")) draft.hold = null;
}
function foldCronJob(draft, cronJob) {
  if (draft.gone || compareVersions(cronJob.resourceVersion, draft.marks.cronJob) <= 0) return false;
  const before = draft.cronJob;
  draft.marks.cronJob = cronJob.resourceVersion;
  draft.cronJob = cronJob;
  if (before !== null && before.generation !== cronJob.generation) {
    draft.rescheduled = before.spec.schedule !== cronJob.spec.schedule || before.spec.timeZone !== cronJob.spec.timeZone;
    draft.hold = null;
    draft.taken = null;
    draft.retries = {};
  }
  forgetWritten(draft, cronJob);
  return true;
}
function forgetWritten(draft, { status }) {
  const listed = new Set(status.active?.map(({ uid }) => uid));
  const last = instantOf(status.lastScheduleTime) ?? -Infinity;
  draft.started = draft.started.filter(({ scheduledAt }) => (instantOf(scheduledAt) ?? 0) > last);
  const unlisted = new Set(draft.started.map(({ uid }) => uid));
  draft.removed = draft.removed.filter((uid) => listed.has(uid) || unlisted.has(uid));
  draft.found = Object.fromEntries(Object.entries(draft.found).filter(([uid]) => listed.has(uid)));
}
function foldGone(draft, resourceVersion) {
  if (draft.gone) return false;
  draft.marks.cronJob = resourceVersion;
  draft.gone = true;
  return true;
}
function foldChild(draft, job) {
  const known = draft.children[job.uid];
  const version = known === void 0 ? job.listedAt ?? job.resourceVersion : job.resourceVersion;
  if (compareVersions(version, known?.resourceVersion ?? draft.marks.jobs) <= 0) return false;
  if (job.elsewhere === true) {
    forgetChild(draft, job.uid, version);
    return true;
  }
  const { uid, elsewhere: _elsewhere, ...child } = job;
  draft.children[uid] = {
    ...child,
    ...known?.listedAt !== void 0 && child.listedAt === void 0 && { listedAt: known.listedAt },
    ...known?.deleted === true && { deleted: true },
    ...known?.unexpected === true && { unexpected: true }
  };
  delete draft.found[uid];
  noteSuccess(draft, child);
  return true;
}
function noteSuccess(draft, { finished, completionTime }) {
  const completion = finished === "Complete" ? instantOf(completionTime) : null;
  if (completion === null || completionTime === void 0) return;
  if (completion > (instantOf(draft.lastSuccess) ?? -Infinity)) draft.lastSuccess = completionTime;
}
function forgetChild(draft, uid, resourceVersion) {
  const known = draft.children[uid];
  if (known === void 0 && compareVersions(resourceVersion, draft.marks.jobs) <= 0) return false;
  for (const version of [resourceVersion, known?.resourceVersion ?? "", known?.listedAt ?? ""])
    if (compareVersions(version, draft.marks.jobs) > 0) draft.marks.jobs = version;
  delete draft.children[uid];
  return true;
}
function foldOutcome(draft, { command, answer }) {
  const failure = failureOf(answer);
  if (answer.kind !== "skipped") {
    if (failure === null) delete draft.retries[answer.kind];
    else rememberError(draft, answer.kind, failure);
  }
  foldEffect(draft, command, answer);
  if (command === draft.pending.length - 1) draft.pending = [];
}
function foldEffect(draft, command, answer) {
  switch (answer.kind) {
    case "CreateJob":
      return foldCreation(draft, command, answer);
    case "DeleteJobs":
    case "ReplaceJobs":
      for (const job of answer.jobs) foldDeletion(draft, job);
      return;
    case "WriteStatus":
      if (answer.result === "gone") foldGone(draft, draft.marks.cronJob);
      else if (answer.result !== "failed") foldCronJob(draft, answer.cronJob);
      return;
    case "LookUpCronJob":
      if (answer.result === "failed") return;
      if (answer.cronJob === null) foldGone(draft, draft.marks.cronJob);
      else foldCronJob(draft, answer.cronJob);
      return noteUnexpected(draft, command);
    case "LookUpJobs":
      for (const job of answer.jobs) {
        if (job.result === "gone") addRemoved(draft, job.uid);
        if (job.result !== "found") continue;
        draft.found[job.uid] = draft.last?.now ?? 0;
        if (job.job !== void 0) foldChild(draft, job.job);
      }
      return;
    case "EmitEvents":
    case "skipped":
      return;
  }
}
function foldCreation(draft, command, answer) {
  const wish = draft.pending[command];
  if (answer.result === "gone") return void foldGone(draft, draft.marks.cronJob);
  if (wish?.kind !== "CreateJob" || answer.result === "failed") return;
  if (answer.result === "taken") {
    draft.taken = wish.scheduledAt;
    return;
  }
  const { uid, name, resourceVersion } = answer.job;
  draft.started = [...draft.started, { uid, name, resourceVersion, scheduledAt: wish.scheduledAt }];
  draft.taken = null;
  foldChild(draft, answer.job);
}
function foldDeletion(draft, job) {
  if (job.result === "failed" && job.error.status !== 404 && job.error.status !== 409) return;
  const known = draft.children[job.uid];
  if (known !== void 0) draft.children[job.uid] = { ...known, deleted: true };
  if (job.result === "done") addRemoved(draft, job.uid);
}
function addRemoved(draft, uid) {
  if (!draft.removed.includes(uid)) draft.removed = [...draft.removed, uid];
}
function noteUnexpected(draft, command) {
  const wish = draft.pending[command];
  if (wish?.kind !== "LookUpCronJob") return;
  for (const { uid } of wish.jobs) {
    const child = draft.children[uid];
    if (child !== void 0) draft.children[uid] = { ...child, unexpected: true };
  }
}
function failureOf(answer) {
  if ("error" in answer) return answer.error;
  if (!("jobs" in answer)) return null;
  for (const job of answer.jobs) if ("error" in job) return job.error;
  return null;
}
function rememberError(draft, kind, { message }) {
  const errors = (draft.retries[kind]?.errors ?? 0) + 1;
  const wait2 = Math.min(FIRST_RETRY_MS * 2 ** (errors - 1), MAX_RETRY_MS);
  draft.retries[kind] = { errors, until: (draft.last?.now ?? 0) + wait2, message };
}

// workflows/cron-job/state.ts
var INITIAL_STATE = {
  cronJob: null,
  gone: false,
  marks: { cronJob: "", jobs: "" },
  children: {},
  started: [],
  removed: [],
  found: {},
  lastSuccess: null,
  taken: null,
  rescheduled: false,
  hold: null,
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

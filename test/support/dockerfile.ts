import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { promisify } from 'node:util';
import {
  DockerfileParser,
  type Copy,
  type Env,
  type From,
  type Instruction,
  type JSONInstruction,
} from 'dockerfile-ast';

const run = promisify(execFile);

/** What the steps of one stage have made: the files that they added to the base image, and how it starts. */
export interface Stage {
  /** The base image, such as `node:24.21.0-bookworm`. */
  image: string;
  /** The root folder. */
  root: string;
  workdir: string;
  user: string;
  environment: Record<string, string>;
  /** ENTRYPOINT, with absolute paths as within the image. */
  entrypoint: string[];
}

/** The version of Node that all base images of a Dockerfile have. */
export function nodeVersionIn(file: string): string {
  const bases = DockerfileParser.parse(readFileSync(file, 'utf8')).getFROMs();
  const versions = new Set(bases.map((from) => /^node:([\d.]+)-/.exec(from.getImage() ?? '')?.[1]));
  const [version] = versions;
  if (versions.size !== 1 || version === undefined)
    throw new Error(`the base images of ${file} have several versions of Node, or none`);
  return version;
}

/**
 * Carries out the steps of a Dockerfile without a container engine: each stage has a folder as its root, commands of RUN are
 * run there with paths relative to WORKDIR, and what a stage lacks is taken from this machine, as if it were the base image.
 * `path`: the PATH of the commands. Returns the last stage. @throws for an instruction that it does not know.
 */
export async function buildTree(file: string, context: string, folder: string, path: string): Promise<Stage> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const from = instruction as From;
      const name = from.getBuildStage() ?? `stage-${stages.size}`;
      stage = newStage(from.getImage() ?? '', join(folder, name));
      stages.set(name, stage);
    } else if (stage === undefined) throw new Error(`${instruction.getKeyword()} before FROM`);
    else await carryOut(instruction, stage, { context, stages, path });
  }
  if (stage === undefined) throw new Error(`${file} has no stage`);
  return stage;
}

/** The commands of all RUN instructions. */
export function runCommands(file: string): string[] {
  const instructions = DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions();
  return instructions
    .filter((each) => each.getKeyword() === 'RUN')
    .map((each) => each.getArgumentsContent() ?? '');
}

function newStage(image: string, root: string): Stage {
  mkdirSync(root, { recursive: true });
  return { image, root, workdir: '/', user: '', environment: {}, entrypoint: [] };
}

async function carryOut(
  instruction: Instruction,
  stage: Stage,
  { context, stages, path }: { context: string; stages: ReadonlyMap<string, Stage>; path: string },
): Promise<void> {
  const values = instruction.getArguments().map((argument) => argument.getValue());
  switch (instruction.getKeyword()) {
    case 'WORKDIR':
      stage.workdir = posix.resolve(stage.workdir, values[0] ?? '');
      mkdirSync(join(stage.root, stage.workdir), { recursive: true });
      return;
    case 'ENV':
      for (const property of (instruction as Env).getProperties())
        stage.environment[property.getName()] = property.getValue() ?? '';
      return;
    case 'COPY': {
      const from = (instruction as Copy).getFlags().find((flag) => flag.getName() === 'from');
      const source = stages.get(from?.getValue() ?? '')?.root;
      copy(values, stage, (name) => (from === undefined ? join(context, name) : imagePath(source, name)));
      return;
    }
    case 'RUN':
      await run('sh', ['-c', instruction.getArgumentsContent() ?? ''], {
        cwd: join(stage.root, stage.workdir),
        // What npm needs to reach its registry is that of this machine.
        env: { ...process.env, NODE_ENV: '', PATH: path, ...stage.environment },
        maxBuffer: 2 ** 26,
      });
      return;
    case 'USER':
      stage.user = values[0] ?? '';
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = (instruction as JSONInstruction)
        .getJSONStrings()
        .map((text) => JSON.parse(text.getValue()) as string);
      return;
    case 'CMD':
      return;
    default:
      throw new Error(`this test does not know ${instruction.getKeyword()}`);
  }
}

/** A file of a stage, else of its base image, for which this machine stands. */
function imagePath(root: string | undefined, name: string): string {
  const inStage = join(root ?? '', name);
  return root !== undefined && existsSync(inStage) ? inStage : name;
}

/** Copies as COPY does: the content of a folder, or files by their names. */
function copy(values: readonly string[], stage: Stage, findSource: (name: string) => string): void {
  const [target = '', ...sources] = values.toReversed();
  const place = join(stage.root, posix.resolve(stage.workdir, target));
  for (const name of sources) {
    const source = findSource(name);
    const isFolder = statSync(source).isDirectory() || !target.endsWith('/');
    cpSync(source, isFolder ? place : join(place, basename(name)), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../../services/adapters/errors.ts';
import { toolPath, type Say } from './cache.ts';
import { KAFKA_VERSION } from './catalog.ts';
import { findAll, type WantedServer } from './find-all.ts';
import { requireJava } from './prerequisite.ts';
import { publishedKafka } from './publishers.ts';
import { runShowingProgress } from './run-showing-progress.ts';

/** A Java runtime and the folder of Kafka's jars (`findAll`). */
export async function findKafka(options: {
  report: Say;
  signal: AbortSignal;
}): Promise<{ java: string; javaVersion: string; jars: string }> {
  const [jars] = await findAll([wantedKafka()], options);
  if (jars === undefined) throw new Error('unreachable: it is found, or it throws');
  return { ...(await requireJava('Kafka')), jars };
}

/**
 * Kafka's jars, in the folder that `JOBLEDGER_KAFKA` names. Maven fetches the jars if the release cannot be downloaded.
 */
export function wantedKafka(): WantedServer {
  return {
    name: 'kafka',
    version: KAFKA_VERSION,
    target: toolPath('kafka', KAFKA_VERSION),
    present: () => Promise.resolve(folderFromEnvironment()),
    published: publishedKafka(KAFKA_VERSION),
    runsOn: 'java',
    builder: 'maven',
    build: fetchJars,
  };
}

function folderFromEnvironment(): string | undefined {
  const folder = process.env['JOBLEDGER_KAFKA'];
  if (folder === undefined || folder === '') return undefined;
  for (const candidate of [folder, path.join(folder, 'libs')]) {
    if (holdsKafka(candidate)) return path.resolve(candidate);
  }
  throw new InputError(`JOBLEDGER_KAFKA is ${folder}, which contains no Kafka jars (kafka_2.13-….jar)`);
}

function holdsKafka(folder: string): boolean {
  try {
    return readdirSync(folder).some((file) => /^kafka_2\.13-.*\.jar$/.test(file));
  } catch {
    return false;
  }
}

async function fetchJars(at: {
  target: string;
  workDir: string;
  report: Say;
  signal: AbortSignal;
}): Promise<void> {
  const task = `fetching Kafka ${KAFKA_VERSION}`;
  at.report(`${task} (only once; the result is cached)`);
  mkdirSync(at.target);
  writeFileSync(path.join(at.workDir, 'pom.xml'), PROJECT);
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  const args = ['-B', '-q', goal, '-DincludeScope=runtime', `-DoutputDirectory=${at.target}`];
  await runShowingProgress(task, { file: 'mvn', args, cwd: at.workDir }, at);
}

/** The version that Kafka itself depends on. */
const LOG4J_VERSION = '2.25.4';

const PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.jobledger</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <!-- Kafka logs through slf4j and does not depend on a logging backend. -->
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>${LOG4J_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

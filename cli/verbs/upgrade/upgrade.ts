import type { Command } from 'commander';
import { SUPPORTED_LEVELS } from '../../../services/adapters/events/feature-levels.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readFeatureLevel } from '../../../services/installation/feature-level.ts';
import type { Offsets } from '../../../services/adapters/kafka/scan.ts';
import { appliedPositions } from '../../../services/read-model/state/positions.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { write } from '../../output.ts';
import { fields } from '../../print/table.ts';
import { finalize } from './finalize.ts';
import { withDatabase } from '../../with-database.ts';

interface UpgradeOptions extends StateDirOption {
  readonly finalize: boolean;
}

/** Adds the verb `upgrade`. */
export function registerUpgrade(program: Command): void {
  const command = program
    .command('upgrade')
    .description('show or raise the feature level of this installation')
    .option(
      '--finalize',
      'raise the feature level; every service must already run this version, which then writes new formats; the previous version can then not start',
      false,
    );
  stateDirOption(command).action(upgrade);
}

/** Shows or raises the feature level. */
async function upgrade(options: UpgradeOptions): Promise<void> {
  const connection = await openLedger(options);
  // `withDatabase` rejects a schema that is not migrated yet.
  const positions = await withDatabase(options, (run) => appliedPositions(run, connection.topics.ledger));
  await (options.finalize ? raiseLevel(connection, positions) : printLevel(connection));
}

/** Prints the feature level, and the levels that this version supports. */
async function printLevel(connection: KafkaConnection): Promise<void> {
  const level = await readFeatureLevel(connection);
  const { min, max } = SUPPORTED_LEVELS;
  write(
    fields([
      ['Feature level', String(level)],
      ['This version', min === max ? `supports level ${max}` : `supports levels ${min} to ${max}`],
      ['Schema', 'up to date for this version'],
      [
        'To do',
        level < max ? 'run "jobledger admin upgrade --finalize" once every service runs this version' : null,
      ],
    ]),
  );
}

/** Raises the feature level, and prints the result. */
async function raiseLevel(connection: KafkaConnection, positions: Offsets): Promise<void> {
  const { before, level } = await finalize(connection, positions);
  write(
    before === level
      ? `the feature level is ${level} already: nothing to do`
      : `the feature level was raised from ${before} to ${level}: versions that support only levels up to ${level - 1} can no longer start on this installation`,
  );
}

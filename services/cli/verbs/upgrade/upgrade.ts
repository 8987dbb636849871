import type { Command } from 'commander';
import { SUPPORTED_LEVELS } from '../../../adapters/feature-levels.ts';
import type { KafkaConnection } from '../../../adapters/kafka/connection.ts';
import { readFeatureLevel } from '../../../contracts/feature-level.ts';
import type { Offsets } from '../../../adapters/kafka/scan.ts';
import { appliedPositions } from '../../../projector/rebuild/positions.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { write } from '../../output.ts';
import { fields } from '../../print/table.ts';
import { finalize } from './finalize.ts';
import { withDatabase } from '../../with-database.ts';

interface UpgradeOptions extends StateDirOption {
  readonly finalize: boolean;
}

export function registerUpgrade(program: Command): void {
  const command = program
    .command('upgrade')
    .description('the feature level of this installation, and what this version knows')
    .option(
      '--finalize',
      'every service runs this version: let it write its new formats. From then on the version before cannot be started any more',
      false,
    );
  stateDirOption(command).action(upgrade);
}

async function upgrade(options: UpgradeOptions): Promise<void> {
  const connection = kafkaOf(options);
  // Also refuses a schema that is not migrated yet.
  const positions = await withDatabase(options, (run) => appliedPositions(run, connection.topics.ledger));
  await (options.finalize ? finish(connection, positions) : show(connection));
}

async function show(connection: KafkaConnection): Promise<void> {
  const level = await readFeatureLevel(connection);
  const { min, max } = SUPPORTED_LEVELS;
  write(
    fields([
      ['Feature level', String(level)],
      ['This version', min === max ? `knows level ${max}` : `knows levels ${min} to ${max}`],
      ['Schema', 'has all that this version needs'],
      [
        'To do',
        level < max ? 'run "jobledger upgrade --finalize" once every service runs this version' : null,
      ],
    ]),
  );
}

async function finish(connection: KafkaConnection, positions: Offsets): Promise<void> {
  const { before, level } = await finalize(connection, positions);
  write(
    before === level
      ? `the feature level is ${level} already: there is nothing to finish`
      : `the feature level is ${level} now, it was ${before}: versions that know no more than level ${level - 1} cannot be started on this installation any more`,
  );
}

import { createInterface } from 'node:readline/promises';
import { NotFoundError } from '../../clients.ts';
import { EXIT, ExitError } from '../../cli/ExitError.ts';
import { safeText } from '../../cli/output/displayWidth.ts';
import { print } from '../../cli/output/print.ts';
import type { Terminal } from '../../cli/output/terminal.ts';
import { UsageError } from '../../cli/UsageError.ts';
import { operatorCommand, requireWord } from './operatorCommand.ts';
import { findPublisher, noPublisher } from './publishersShow.ts';

/** `offerlet publishers remove ID`: removes an approved publisher, after its name has been typed. */
export const publishersRemove = operatorCommand({
  summary: 'Removes an approved publisher from the channel. Its integration stops getting offers at once.',
  usage: 'ID [--yes] [options]',
  maxWords: 1,
  options: { yes: { kind: 'flag', about: 'Does not ask. Required without a terminal.' } },
  examples: [
    {
      call: 'offerlet publishers remove 6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11',
      does: 'Asks for the name of the publisher, then removes it',
    },
  ],
  async run({ settings, words, terminal, connection, progress }) {
    const id = requireWord(words, 'ID');
    const channel = connection.channel();
    if (!settings.yes && !terminal.canAsk)
      throw new UsageError('Without a terminal, the command cannot ask. Use --yes to remove without a question.');
    const { brand_name, publisher_remote_id } = await findPublisher(channel, id);
    const name = safeText(brand_name);
    if (publisher_remote_id === null)
      throw new ExitError(`"${name}" is a pending request; only approved publishers can be removed.`, EXIT.failed);
    progress.end();
    if (!settings.yes) await confirm(name, terminal);
    await channel.remove(publisher_remote_id).catch((error: unknown) => {
      throw error instanceof NotFoundError ? noPublisher(id) : error;
    });
    const removed = { publisher_remote_id, brand_name, removed: true };
    if (settings.json || settings.csv)
      print(
        {
          json: removed,
          csv: { rows: [removed], columns: Object.keys(removed) },
          table: () => ({ columns: [], rows: [] }),
        },
        { format: settings, terminal },
      );
    else terminal.write(`Removed ${name} (${publisher_remote_id}).\n`);
  },
});

async function confirm(name: string, terminal: Terminal): Promise<void> {
  terminal.note(`This removes ${name} from your channel. Its integration stops getting offers at once.`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  const typed = await Promise.race([prompt.question(`Type ${name} to confirm: `), closed]);
  prompt.close();
  if (typed.trim() !== name) throw new ExitError('Not removed: the name does not match.', EXIT.failed);
}

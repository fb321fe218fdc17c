import { ACCEPTED_LOG, readLogCounts } from '../dedupe/readAcceptedLog.ts';
import { nodeModule } from '../runtime/nodeModule.ts';
import { readDays } from './dayFiles.ts';
import { addCount, rowsOf, type LedgerCounts } from './ledger.ts';

/**
 * Reads what the relay with this `--data` directory counted, from one UTC date to another, both included. The relay may be
 * running.
 */
export async function readLedger(
  directory: string,
  dates: { readonly from: string; readonly to: string },
): Promise<LedgerCounts> {
  const fs = nodeModule('node:fs/promises');
  const log = nodeModule('node:path').join(directory, ACCEPTED_LOG);
  // In this order: what the relay moves from the log to the days meanwhile is in both, and counts once.
  const text = await fs.readFile(log, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    // What fails after opening, as of a directory, does not name the file.
    throw Object.assign(error, { path: log });
  });
  const days = await readDays(directory, dates);
  const { counts: segments, problems } = readLogCounts(text, log);
  for (const [segment, counts] of segments) {
    for (const [cell, count] of counts) {
      const day = cell.slice(0, 10);
      if (day >= dates.from && day <= dates.to && !days.segments.has(`${day} ${segment}`))
        addCount(days.counts, cell, count);
    }
  }
  return { rows: rowsOf(days.counts), problems: [...days.problems, ...problems] };
}

#!/usr/bin/env node
import { networkCommand } from './cli/networkCommand.ts';
import { relayCommand } from './cli/relayCommand.ts';
import { sandboxCommand } from './cli/sandboxCommand.ts';
import { UsageError } from './cli/settings.ts';

const COMMANDS = { sandbox: sandboxCommand, network: networkCommand, relay: relayCommand };

/** Errors whose message says all that the caller needs: one line, exit 2. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'RelayConfigError', 'NetworkStartError']);

const HELP = `offerlet: partner offers on thank-you pages, the whole line on your machine

  offerlet sandbox [--port 4173] [--network-port 4600] [--data DIR | --memory | --database-url URL]
                   [--scenario NAME | --scenarios] [--control-host NAME]… [--json]
      network + relay (at /offers) + demo shop (at /)
  offerlet network [--port 4600] [--host 127.0.0.1] [--data DIR | --memory | --database-url URL]
                   [--environment staging|production] [--seed demo|empty] [--now ISO] [--show-keys]
                   [--control-host NAME]… [--json]
      --control-host: in staging, the controls under /sandbox/ are for callers on this machine only, at localhost or
      127.0.0.1. Each NAME is one more host name to allow, for containers and CI.
  offerlet relay   --network URL --api-key KEY [--version 1.0.0] [--environment staging|production]
                   [--port 4601] [--host 127.0.0.1] [--base-path /] [--allow-origin ORIGIN]… [--address-header NAME]
                   [--sandbox] [--forward-event-ids] [--emails hash|raw] [--data DIR] [--json]

Every option is also a variable: --api-key is OFFERLET_API_KEY. With --json the first line is one JSON object.
`;

async function main(argv: readonly string[]): Promise<void> {
  const [name = 'help', ...rest] = argv;
  if (['help', '--help', '-h'].includes(name) || rest.includes('--help')) return void process.stdout.write(HELP);
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (!command)
    throw new UsageError(
      `There is no command '${name}': write sandbox, network or relay (offerlet --help shows them).`,
    );
  await command({ argv: rest, env: process.env });
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    const expected = error instanceof Error && EXPECTED.has(error.name);
    process.stderr.write(
      `offerlet: ${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(expected ? 2 : 1);
  },
);

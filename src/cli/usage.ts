/** How each command is called, for `--help`; `program` is its name with the command's. */
export const USAGE = {
  relay: (
    program: string,
  ): string => `  ${program} --network URL --api-key KEY [--version 1.0.0] [--environment staging|production]
      [--port 4601] [--host 127.0.0.1] [--base-path /] [--allow-origin ORIGIN]… [--address-header NAME]
      [--sandbox] [--forward-event-ids] [--emails hash|raw] [--data DIR] [--json]
      Runs the relay by itself, for backends that are not JavaScript.
`,
  sandbox: (
    program: string,
  ): string => `  ${program} [--port 4173] [--network-port 4600] [--data DIR | --memory | --database-url URL]
      [--scenario NAME | --scenarios] [--control-host NAME]… [--json]
      Runs the network, a relay (at /offers) and a demo shop (at /).
`,
  network: (
    program: string,
  ): string => `  ${program} [--port 4600] [--host 127.0.0.1] [--data DIR | --memory | --database-url URL]
      [--environment staging|production] [--seed demo|empty] [--now ISO] [--show-keys] [--control-host NAME]… [--json]
      Runs the network by itself. --control-host: in staging, the controls under /sandbox/ are for callers on this
      machine only, at localhost or 127.0.0.1. Each NAME is one more host name to allow, for containers and CI.
`,
} as const;

/** What all commands have in common. */
export const USAGE_NOTES = `Every option is also an environment variable: --api-key is OFFERLET_API_KEY.
With --json, the first line of output is one JSON object.
`;

// The programs that some tests run beside Node and a browser. Where one is missing, its tests are skipped, and the end of the run
// says so: a test that was skipped has shown nothing.
import { existsSync } from 'node:fs';
import { install, onPath } from './browsers.mjs';

/** @type {{ name: string, debian: string, tests: string, commands?: string[], isThere?: () => boolean, isRequired?: boolean }[]} */
const SERVERS = [
  {
    name: 'PostgreSQL 15 or newer',
    debian: 'postgresql',
    isThere: hasPostgres,
    isRequired: true,
    tests: 'test/network with OFFERLET_TEST_POSTGRES=1',
  },
  {
    name: 'Redis',
    debian: 'redis-server',
    commands: ['redis-server'],
    isRequired: true,
    tests: 'test/relay/dedupe/redis, test/audit with OFFERLET_TEST_REDIS=1',
  },
  {
    name: 'PHP',
    debian: 'php-cli',
    commands: ['php'],
    isRequired: true,
    tests: 'test/docs/{platforms,prefetch,contextUrl}',
  },
  { name: 'Twig', debian: 'php-twig', isThere: () => existsSync('/usr/share/php/Twig'), tests: 'test/docs/platforms' },
  { name: 'PgBouncer', debian: 'pgbouncer', commands: ['pgbouncer'], tests: 'test/network/database/pooler' },
  { name: 'nginx', debian: 'nginx-light', commands: ['nginx'], tests: 'test/docs/webServers' },
  { name: 'Apache', debian: 'apache2-bin', commands: ['apache2'], tests: 'test/docs/webServers' },
  { name: 'Caddy', debian: 'caddy', commands: ['caddy'], tests: 'test/docs/webServers' },
  { name: 'Python', debian: 'python3', commands: ['python3'], tests: 'test/docs/prefetch' },
  { name: 'Ruby', debian: 'ruby', commands: ['ruby'], tests: 'test/docs/prefetch' },
  { name: 'systemd', debian: 'systemd', commands: ['systemd-analyze'], tests: 'test/package/deploy' },
];

/** Installs those that are missing, as root on Debian. Returns the names of those without which a run shows too little: in CI, all. */
export function ensureServers() {
  const missing = SERVERS.filter((server) => !isThere(server));
  if (missing.length > 0) install(missing.map(({ debian }) => debian));
  return missing.filter((server) => !isThere(server) && (server.isRequired || process.env.CI)).map(({ name }) => name);
}

/** A line for each that is missing here: its tests, and what installs it. Citus is no package of Debian. */
export function listMissing() {
  const lines = SERVERS.filter((server) => !isThere(server)).map(
    ({ name, debian, tests }) => `${name}: ${tests} (apt-get install ${debian})`,
  );
  return process.env.OFFERLET_TEST_CITUS
    ? lines
    : [...lines, 'citus: test/network/database/cluster (npm run test:citus -- URL…)'];
}

/**
 * Debian keeps servers where the PATH of an account does not look.
 * @param {(typeof SERVERS)[number]} server
 */
function isThere({ commands, isThere: check }) {
  if (check) return check();
  return onPath(commands) !== undefined || commands.some((name) => existsSync(`/usr/sbin/${name}`));
}

function hasPostgres() {
  return (
    onPath(['initdb']) !== undefined ||
    ['18', '17', '16', '15'].some((version) => existsSync(`/usr/lib/postgresql/${version}/bin/initdb`))
  );
}

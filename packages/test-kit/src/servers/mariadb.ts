import { execFile } from 'node:child_process'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstReply } from '../faults/first-reply.ts'
import { freePort } from '../process/free-port.ts'
import type { LaunchScope, ServerRecipe } from '../server.ts'

const run = promisify(execFile)

/** The database that the URL names: made, and empty. */
const database = 'unikv'
/** The first byte of the greeting's body: version 10 of the protocol. */
const greetingVersion = 10

/** One MariaDB server; the user `root` has no password. It also stands for MySQL, which it understands. */
export const mariadb: ServerRecipe = {
  kind: 'mariadb',
  environment: 'UNIKV_TEST_MARIADB_URL',
  binaries: ['mariadbd', 'mariadb-install-db'],
  debianPackages: ['mariadb-server'],
  container: {
    image: 'mariadb:10.11',
    port: 3306,
    environment: { MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: '1', MARIADB_DATABASE: database },
    // The image starts a server without network first, to make the database.
    readyLog: { message: 'ready for connections', times: 2 },
    url: serverUrl,
  },
  async launch(scope) {
    const port = await freePort()
    const dir = await scope.directory()
    const identity = await dataDirectory(scope, dir)
    const process = await scope.run({
      command: scope.binary('mariadbd'),
      args: [...serverArgs(dir, port), ...identity, ...scope.args],
      dir,
      ready: async () => (await firstReply(port))[4] === greetingVersion,
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

function serverUrl(host: string, port: number): string {
  return `mysql://root@${host}:${port}/${database}`
}

/** Fills the data directory; resolves to the arguments that say who runs the server. */
async function dataDirectory(scope: LaunchScope, dir: string): Promise<readonly string[]> {
  const identity = await serverUser(dir)
  await writeFile(join(dir, 'init.sql'), `CREATE DATABASE IF NOT EXISTS ${database};\n`)
  await chmod(join(dir, 'init.sql'), 0o644)
  await run(scope.binary('mariadb-install-db'), [
    '--no-defaults',
    `--datadir=${join(dir, 'data')}`,
    `--tmpdir=${dir}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
    ...identity,
  ])
  return identity
}

/** mariadbd refuses to run as root without being told, so there it becomes the package's own user. */
async function serverUser(dir: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return []
  const user = await run('id', ['-u', 'mysql']).then(
    () => 'mysql',
    () => 'nobody',
  )
  const { stdout } = await run('id', ['-u', user])
  await chown(dir, Number(stdout), -1)
  return [`--user=${user}`]
}

function serverArgs(dir: string, port: number): readonly string[] {
  return [
    '--no-defaults',
    `--datadir=${join(dir, 'data')}`,
    `--tmpdir=${dir}`,
    `--socket=${join(dir, 'socket')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--pid-file=${join(dir, 'pid')}`,
    `--init-file=${join(dir, 'init.sql')}`,
    '--innodb-buffer-pool-size=64M',
    '--innodb-log-file-size=16M',
    // The log is written at each commit and synced once a second: a killed server loses nothing.
    '--innodb-flush-log-at-trx-commit=2',
    '--skip-log-bin',
    '--skip-name-resolve',
    '--performance-schema=OFF',
  ]
}

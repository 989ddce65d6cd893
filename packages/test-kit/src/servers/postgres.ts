import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstReply } from '../faults/first-reply.ts'
import { freePort } from '../process/free-port.ts'
import type { LaunchScope, ServerRecipe } from '../server.ts'

const run = promisify(execFile)

/** The superuser, and the database that every new server has. */
const name = 'postgres'
/** The first byte of the answer to a start-up that is accepted; a server that is not ready answers `E`. */
const accepted = 'R'

/** One PostgreSQL server; the user `postgres` has no password. A pause stops new connections only. */
export const postgres: ServerRecipe = {
  kind: 'postgres',
  environment: 'UNIKV_TEST_POSTGRES_URL',
  binaries: ['initdb', 'postgres'],
  debianPackages: ['postgresql'],
  container: {
    image: 'postgres:15',
    port: 5432,
    environment: { POSTGRES_HOST_AUTH_METHOD: 'trust' },
    // The image starts a server without network first, to make the database.
    readyLog: { message: 'database system is ready to accept connections', times: 2 },
    url: serverUrl,
  },
  async launch(scope) {
    const port = await freePort()
    const dir = await scope.directory()
    const asUser = await unprivileged(scope, dir)
    const data = join(dir, 'data')
    await initialise([...asUser, scope.binary('initdb')], data)
    const process = await scope.run({
      command: '/bin/sh',
      args: [
        '-c',
        startScript,
        'start',
        data,
        ...asUser,
        scope.binary('postgres'),
        ...serverArgs(dir, port),
        ...scope.args,
      ],
      dir,
      ready: async () => (await firstReply(port, startup)).toString('latin1', 0, 1) === accepted,
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

function serverUrl(host: string, port: number): string {
  return `postgres://${name}@${host}:${port}/${name}`
}

/**
 * A server that was killed leaves processes that end when they notice; until then another one refuses to start. They
 * are known by their working directory. The server takes the place of the shell, so that signals reach it.
 */
const startScript = `
data=$1
shift
while ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -q " -> $data$"; do sleep 0.02; done
exec "$@"
`

/** PostgreSQL refuses to run as root, so there it becomes the package's own user. The command keeps its process id. */
async function unprivileged(scope: LaunchScope, dir: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return []
  const user = await run('id', ['-u', name]).then(
    () => name,
    () => 'nobody',
  )
  const [uid = '', gid = ''] = await Promise.all(
    ['-u', '-g'].map(async (which) => (await run('id', [which, user])).stdout.trim()),
  )
  await chown(dir, Number(uid), Number(gid))
  return [scope.binary('setpriv'), `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
}

async function initialise([command = '', ...args]: readonly string[], data: string): Promise<void> {
  const options = ['-U', name, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await run(command, [...args, '-D', data, ...options], { cwd: '/' })
}

function serverArgs(dir: string, port: number): readonly string[] {
  // Nothing is synced to the disk, but every commit reaches the system: a killed server loses nothing.
  const settings = ['fsync=off', 'full_page_writes=off', 'shared_buffers=64MB', 'max_connections=200']
  const where = ['-D', join(dir, 'data'), '-h', '127.0.0.1', '-p', String(port), '-k', dir]
  return [...where, ...settings.flatMap((setting) => ['-c', setting])]
}

/** A message of version 3.0 of the protocol that asks to start, after which the server is only listened to. */
const startup: string = startupMessage()

function startupMessage(): string {
  const body = `\0\x03\0\0user\0${name}\0database\0${name}\0\0`
  return `\0\0\0${String.fromCharCode(body.length + 4)}${body}`
}

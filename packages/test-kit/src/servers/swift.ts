import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstReply } from '../faults/first-reply.ts'
import { freePort } from '../process/free-port.ts'
import type { LaunchScope, ServerRecipe } from '../server.ts'
import { type SwiftPorts, swiftConfiguration, swiftRing } from './swift-files.ts'

const storageServers = ['account', 'container', 'object'] as const
const user = { name: 'test:tester', key: 'testing' }

/**
 * OpenStack Swift: a proxy with tempauth, one storage node with one device and one copy, and the memcached in which
 * tempauth keeps its tokens. The address carries user and key; the user
 * `guest` of the same account and key may do what the ACL of a container says. Nothing removes expired objects for good, as the
 * object expirer is not started: the servers hide them by themselves.
 */
export const swift: ServerRecipe = {
  kind: 'swift',
  environment: 'UNIKV_TEST_SWIFT_URL',
  binaries: ['swift-proxy-server', ...storageServers.map((name) => `swift-${name}-server`), 'memcached'],
  debianPackages: ['swift-proxy', ...storageServers.map((name) => `swift-${name}`), 'memcached'],
  async launch(scope) {
    const ports = await freePorts()
    const folder = await placeOfData(scope)
    await writeConfiguration(folder, ports)
    await Promise.all([
      startMemcached(scope, ports.memcached),
      ...storageServers.map((name) => startServer(scope, folder, name, ports[name])),
    ])
    const proxy = await startServer(scope, folder, 'proxy', ports.proxy)
    const url = `http://${encodeURIComponent(user.name)}:${user.key}@127.0.0.1:${ports.proxy}/auth/v1.0`
    return [{ url, process: proxy }]
  },
}

/** Swift keeps what it knows of an object in extended attributes, which file systems in memory have since Linux 6.6. */
async function placeOfData(scope: LaunchScope): Promise<string> {
  const folder = await scope.directory()
  const attempt = 'import os, sys; os.setxattr(sys.argv[1], "user.unikv", b"1")'
  return promisify(execFile)('python3', ['-c', attempt, folder]).then(
    () => folder,
    () => scope.directory('disk'),
  )
}

async function freePorts(): Promise<SwiftPorts> {
  const ports = new Set<number>()
  while (ports.size < 5) ports.add(await freePort())
  const [proxy, account, container, object, memcached] = [...ports] as [
    number,
    number,
    number,
    number,
    number,
  ]
  return { proxy, account, container, object, memcached }
}

async function writeConfiguration(folder: string, ports: SwiftPorts): Promise<void> {
  await mkdir(join(folder, 'node', 'sdb1'), { recursive: true })
  for (const [name, text] of swiftConfiguration(folder, userInfo().username, user, ports))
    await writeFile(join(folder, name), text)
  for (const name of storageServers) await writeFile(join(folder, `${name}.ring.gz`), swiftRing(ports[name]))
}

async function startMemcached(scope: LaunchScope, port: number): Promise<unknown> {
  return scope.run({
    command: scope.binary('memcached'),
    args: ['-u', 'nobody', '-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '16'],
    dir: await scope.directory(),
    ready: async () => (await firstReply(port, 'version\r\n')).toString().startsWith('VERSION'),
  })
}

async function startServer(scope: LaunchScope, folder: string, name: string, port: number) {
  return scope.run({
    command: scope.binary(`swift-${name}-server`),
    args: [join(folder, `${name}.conf`), ...scope.args],
    dir: await scope.directory(),
    ready: async () =>
      (await firstReply(port, 'GET /healthcheck HTTP/1.0\r\n\r\n')).toString().includes('200 OK'),
  })
}

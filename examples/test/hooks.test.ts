import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describeWith, longTest } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'
// @ts-expect-error -- plain JavaScript, which a hook can be
import { cluster, start, stop } from '../hooks/redis-server.mjs'

const folder = fileURLToPath(new URL('../hooks/', import.meta.url))
const used: number[] = []
afterAll(() => used.forEach((port) => stop(port)))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  // A node of a cluster also listens on its port and 10,000.
  if (port > 55_000) return freePort()
  used.push(port)
  return port
}

/** Run a hook as the tuner does. */
async function asked(hook: string, ports: readonly number[], action: string): Promise<unknown> {
  const child = spawn(process.execPath, [`${folder}${hook}`, ...ports.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(`${JSON.stringify({ action })}\n`)
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  await once(child, 'close')
  return JSON.parse(text.trim().split('\n').at(-1) ?? '')
}

const rounds = [
  ['status', false],
  ['do', true],
  ['do', true],
  ['status', true],
  ['undo', true],
  ['undo', true],
  ['status', false],
] as const

describeWith('redis', () => {
  test('a hook adds a replica to a server, and removes it', async () => {
    const ports = [await freePort(), await freePort()]
    await start(ports[0])
    for (const [action, done] of rounds)
      expect(await asked('redis-replica.mjs', ports, action)).toEqual({ done })
  })

  // Slots move one by one: a minute.
  longTest('a hook adds a node to a cluster with its share of the slots, and takes both back', async () => {
    const members = [await freePort(), await freePort(), await freePort()]
    for (const port of members) await start(port, '--cluster-enabled', 'yes')
    const places = members.map((port) => `127.0.0.1:${port}`)
    expect(cluster('create', ...places, '--cluster-yes')).toBe(true)
    const ports = [members[0] as number, await freePort()]
    for (const [action, done] of rounds)
      expect(await asked('redis-cluster-node.mjs', ports, action)).toEqual({ done })
  })
})

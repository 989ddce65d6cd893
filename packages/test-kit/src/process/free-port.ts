import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { platform, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { release, reserve } from './reserve.ts'

/*
 * Below the range that systems give to outgoing connections (32768 and up on Linux), so that no client
 * takes the port between our test of it and the server's start; with an offset of 10,000 still below.
 */
const firstPort = 10_000
const lastPort = 21_999

/** Ports that processes of this user have: of the machine, not of a process with a temporary folder of its own. */
const given = join(platform() === 'win32' ? tmpdir() : '/tmp', `unikv-ports-${userInfo().uid}`)

/**
 * A random port that nothing listens on at these addresses, nor on that port plus each of `offsets` (a Redis
 * Cluster node also takes its port + 10,000). As long as this process lives no other call is given one of them, here or in
 * another process: a server needs its port some time after this, and again when it is restarted.
 */
export async function freePort(
  offsets: readonly number[] = [],
  addresses: readonly string[] = ['127.0.0.1'],
): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(firstPort, lastPort + 1)
    const ports = [0, ...offsets].map((offset) => port + offset)
    const free = await Promise.all(addresses.flatMap((address) => ports.map((one) => isFree(one, address))))
    if (free.every(Boolean) && (await reserveAll(ports))) return port
  }
  throw new Error(`no free port between ${firstPort} and ${lastPort} after 100 attempts`)
}

function isFree(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, address, () => server.close(() => resolve(true)))
  })
}

/** All of them, or none. */
async function reserveAll(ports: readonly number[]): Promise<boolean> {
  const taken: number[] = []
  for (const port of ports) {
    if (!(await reserve(given, String(port)))) break
    taken.push(port)
  }
  if (taken.length === ports.length) return true
  await Promise.all(taken.map((port) => release(given, String(port))))
  return false
}

import { fork } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Round } from './rounds.ts'

/** Task of the clients, and their answer. */
export interface WebLoad {
  readonly port: number
  readonly sockets: number
  readonly durationMs: number
}

/**
 * The web server's case: this process answers each incoming message with one call of `operation`, the clients are
 * sockets of another process that wait for their answer before the next message.
 */
export async function webServer(
  operation: (i: number) => Promise<unknown>,
  sockets: number,
  durationMs: number,
): Promise<Round> {
  let i = 0
  const open = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      operation(i++).then(
        () => socket.write('.'),
        () => socket.destroy(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  try {
    return await load({ port: address.port, sockets, durationMs })
  } finally {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

function load(options: WebLoad): Promise<Round> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./web-clients.js', import.meta.url)), { execArgv: [] })
    child.once('message', (round) => resolve(round as Round))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the clients ended with ${code}`)))
    child.send(options)
  })
}

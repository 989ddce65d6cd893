import { connect } from 'node:net'

/**
 * Connects to a port of this machine, sends `request` and resolves to the first bytes that come back: enough
 * to see whether a server answers. Empty when it does not, for any reason, within a second.
 */
export function firstReply(
  port: number,
  request: string | Uint8Array = '',
  host = '127.0.0.1',
): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(request))
    const settle = (reply: Buffer): void => {
      socket.destroy()
      resolve(reply)
    }
    socket.setTimeout(1_000, () => settle(Buffer.alloc(0)))
    socket.once('data', settle)
    socket.once('error', () => settle(Buffer.alloc(0)))
    socket.once('close', () => settle(Buffer.alloc(0)))
  })
}

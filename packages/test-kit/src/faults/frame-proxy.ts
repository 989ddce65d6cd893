import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The treatment of the frames of one connection. */
export interface FrameRewriter {
  /** Sees a frame of the client, which goes on as it is. */
  asked(frame: Buffer): void
  /** The frame that the client gets in the place of one of the server. */
  told(frame: Buffer): Buffer
}

/** A TCP proxy that answers otherwise than the server did. */
export interface FrameProxy {
  readonly port: number
  /** Cuts all connections and stops listening. */
  close(): void
}

/**
 * Opens a proxy on 127.0.0.1 before the server at `target`. `lengthOf` tells how long the frame is with which these bytes
 * begin, if they say so already; `rewriter` is asked for each connection.
 */
export async function frameProxy(
  target: URL,
  lengthOf: (bytes: Buffer) => number | undefined,
  rewriter: () => FrameRewriter,
): Promise<FrameProxy> {
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    const rewrite = rewriter()
    const pairs = [
      [client, server],
      [server, client],
    ] as const
    for (const [one, other] of pairs) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
    }
    client.on(
      'data',
      inFrames(lengthOf, (frame) => {
        rewrite.asked(frame)
        server.write(frame)
      }),
    )
    server.on(
      'data',
      inFrames(lengthOf, (frame) => client.write(rewrite.told(frame))),
    )
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (listener.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}

/** Calls `each` with every frame of a stream. */
function inFrames(
  lengthOf: (bytes: Buffer) => number | undefined,
  each: (frame: Buffer) => void,
): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const length = lengthOf(rest)
      if (length === undefined || rest.length < length) return
      each(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  }
}

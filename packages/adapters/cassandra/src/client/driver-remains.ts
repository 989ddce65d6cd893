import { pause, setImmediate } from '@unikv/core/platform'

/*
 * Parts of cassandra-driver (4.8 to 4.10) that it does not shut down. When it has lost all nodes it starts anew from its
 * contact points, more than once at the same time: it makes new hosts beside the old ones, whose pools go on trying for
 * ever, collects listeners, and now and then throws where no code can catch it. Its shutdown waits seconds for servers
 * that do not answer, but not for connections that are being made. So it starts anew once at a time here, and hosts and
 * sockets are remembered and ended. It hands out no sockets: it tells its log of connections, with them as `this`.
 */

/** Between two attempts to learn of nodes. */
const refreshMs = 200

/** A socket of the driver's. */
interface Socket {
  once(event: 'close', listener: () => void): unknown
  destroy(error: Error): unknown
}

/** A client of the driver, as far as it is looked at. */
interface Client {
  readonly options: { logEmitter: Log }
  readonly controlConnection?: ControlConnection
  on(event: 'hostAdd' | 'hostRemove', listener: (host: Host) => void): unknown
  shutdown(): Promise<void>
}

/** The connection by which the driver learns of nodes. */
interface ControlConnection {
  /** Look for a new one; `hosts`: go on with those that are left. */
  _refresh?(hosts?: unknown): Promise<void>
}

/** Arguments of the driver's log, beside the text. */
type Log = (this: unknown, event: string, level: string, speaker: string) => void

interface Host {
  shutdown?(waitForPending: boolean): Promise<unknown>
}

/** Ends a client with all that belongs to it. */
export class DriverRemains {
  readonly #client: Client
  readonly #sockets = new Set<Socket>()
  #isClosed = false

  /** The state of a client that has not connected yet. */
  constructor(client: Client) {
    this.#client = client
    const note = (connection: unknown): unknown => setImmediate(() => this.#note(connection))
    // Only this listens to the log of a client of ours, which has two lines for each statement.
    client.options.logEmitter = function (_event, level, speaker) {
      // It says so before it has a socket.
      if (level === 'info' && speaker === 'Connection') note(this)
    }
    if (client.controlConnection !== undefined) this.#refreshOneByOne(client.controlConnection)
    client.on('hostRemove', endHost)
    client.on('hostAdd', (host) => {
      if (this.#isClosed) endHost(host)
    })
  }

  /** Resolves when nothing is left but what ends by itself in half a second. */
  async close(): Promise<void> {
    this.#isClosed = true
    const ended = this.#client.shutdown()
    for (const socket of this.#sockets) cut(socket)
    await ended
  }

  #refreshOneByOne(control: ControlConnection): void {
    const refresh = control._refresh?.bind(control)
    if (refresh === undefined) return
    let running = false
    let wanted = false
    control._refresh = async (hosts) => {
      if (hosts !== undefined) return refresh(hosts)
      wanted = true
      if (running) return
      running = true
      while (wanted && !this.#isClosed) {
        wanted = false
        // It lost its connection meanwhile: once more.
        await refresh().catch(() => (wanted = true))
        if (wanted) await pause(refreshMs, { ref: false })
      }
      running = false
    }
  }

  #note(connection: unknown): void {
    const { netClient: socket } = connection as { readonly netClient?: Socket }
    if (socket === undefined || this.#sockets.has(socket)) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#isClosed) cut(socket)
  }
}

function cut(socket: Socket): void {
  // With an error: the driver waits for one where the connection is not there yet.
  socket.destroy(new Error('The store was closed.'))
}

function endHost(host: Host): void {
  host.shutdown?.(false).catch(() => {})
}

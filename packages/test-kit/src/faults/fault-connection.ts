import { connect, type Socket } from 'node:net'
import type { FaultSwitch } from './fault.ts'
import { FaultLane, type LaneEvents } from './fault-lane.ts'

/** One client's connection through the proxy. */
export class FaultConnection {
  readonly #client: Socket
  readonly #server: Socket
  readonly #lanes: readonly FaultLane[]
  #lost = false

  /** `passed` is told of all that is handed on; `closed` is called when both ends are. */
  constructor(
    client: Socket,
    target: { readonly host: string; readonly port: number },
    faults: FaultSwitch,
    passed: LaneEvents['passed'],
    closed: () => void,
  ) {
    this.#client = client
    // Half-open sockets: the end of one side must not end the other, as on a plain connection.
    this.#server = connect({ ...target, allowHalfOpen: true, noDelay: true })
    const events: LaneEvents = {
      passed,
      cut: () => this.#cut(),
      lost: () => {
        this.#lost = true
      },
    }
    this.#lanes = [
      new FaultLane(client, this.#server, 'request', faults, events),
      new FaultLane(this.#server, client, 'response', faults, events),
    ]
    let open = 2
    for (const socket of [client, this.#server]) {
      socket.once('close', () => {
        open -= 1
        if (open === 0) closed()
      })
    }
    // A reset by the client must not throw; one by the server is passed on.
    client.on('error', () => {})
    this.#server.on('error', () => resetSocket(client))
  }

  /** The fault has changed. */
  changed(): void {
    if (this.#lost) this.reset()
    else for (const lane of this.#lanes) lane.release()
  }

  /** Nothing passes any more, and neither side is told. */
  lose(): void {
    this.#lost = true
  }

  /** As `lose`, also if the fault in force spares other connections. */
  forget(): void {
    this.lose()
    for (const lane of this.#lanes) lane.deafen()
  }

  reset(): void {
    resetSocket(this.#client)
    this.#server.destroy()
  }

  /** Ends in order, so that the bytes that were let through arrive. */
  #cut(): void {
    for (const socket of [this.#client, this.#server]) {
      socket.removeAllListeners('data')
      socket.resume()
      socket.end(() => socket.destroy())
    }
  }
}

/** Node.js 20 keeps the handle of a socket for ever that is reset while its end is being sent. */
function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

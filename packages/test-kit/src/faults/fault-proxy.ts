import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Fault, FaultSwitch, type InjectedFault } from './fault.ts'
import { FaultConnection } from './fault-connection.ts'
import { type Traffic, TrafficCount } from './traffic.ts'

/** A TCP proxy on 127.0.0.1 that does harm on demand, to the byte. */
export interface FaultProxy extends AsyncDisposable {
  /** The address of the server with this proxy's host and port in it. */
  readonly url: string
  readonly port: number
  /** Connections that are open now, towards the client or towards the server. */
  readonly connections: number
  /** The traffic passed on so far. */
  readonly traffic: Traffic
  /** Replaces the fault in force; what the former one held back goes on under the new one. */
  inject(fault: Fault): InjectedFault
  /** Lifts the fault: the same as `inject({ kind: 'pass' })`. */
  pass(): void
  /** Resets all connections and stops listening; twice is fine. */
  close(): Promise<void>
}

/**
 * Opens a proxy before the server at `target`, a URL with a port. A server that is down looks different
 * through it: the connection is accepted, and then reset.
 *
 * @throws TypeError when `target` is not a URL with a port.
 */
export async function faultProxy(target: string): Promise<FaultProxy> {
  const address = new URL(target)
  const server = { host: address.hostname, port: Number(address.port) }
  if (server.port === 0) throw new TypeError('the target of a fault proxy needs a port')
  const faults = new FaultSwitch()
  const traffic = new TrafficCount()
  const connections = new Set<FaultConnection>()
  const inject = (fault: Fault): InjectedFault => {
    const injected = faults.inject(fault)
    for (const connection of connections)
      if (fault.kind === 'forget') connection.forget()
      else meet(connection, faults)
    return injected
  }
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client: Socket) => {
    const closed = (): boolean => connections.delete(connection)
    const passed = traffic.connection()
    const connection: FaultConnection = new FaultConnection(client, server, faults, passed, closed)
    connections.add(connection)
    meet(connection, faults)
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(0, '127.0.0.1', resolve)
  })
  const { port } = listener.address() as AddressInfo
  const close = async (): Promise<void> => {
    for (const connection of connections) connection.reset()
    await new Promise<void>((resolve) => void listener.close(() => resolve()))
  }
  return {
    url: throughPort(address, port),
    port,
    get connections() {
      return connections.size
    },
    get traffic() {
      return traffic.sum
    },
    inject,
    pass: () => void inject({ kind: 'pass' }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Applies a fault that does not wait for bytes to one connection. */
function meet(connection: FaultConnection, faults: FaultSwitch): void {
  if (faults.fault.kind === 'reset') {
    connection.reset()
    faults.strike()
  } else if (faults.fault.kind === 'blackHole') {
    connection.lose()
  } else {
    connection.changed()
  }
}

function throughPort(address: URL, port: number): string {
  const url = new URL(address)
  url.hostname = '127.0.0.1'
  url.port = `${port}`
  return url.href
}

import { type CallOptions, toStoreError } from '@unikv/core'
import { attempt, closed } from '@unikv/core/adapter'
import { AbortController, performance } from '@unikv/core/platform'
import type { Address, ConnectionSettings } from '../options.ts'
import type { Connection } from './connection.ts'
import { dial, say } from './dial.ts'
import type { Command } from './frames.ts'
import type { Answer } from './request.ts'

/** A further connection that could not be opened is not tried again before. */
const restMs = 1_000

/** One server and the connections to it, each opened when it is needed and again after it was lost. */
export class Server {
  readonly name: string
  readonly #dial: () => Promise<Connection>
  readonly #lines: readonly Line[]
  readonly #end = new AbortController()

  constructor(address: Address, settings: ConnectionSettings, connections: number) {
    this.name = address.name
    this.#dial = () => dial(address, settings, this.#end.signal)
    this.#lines = Array.from({ length: connections }, newLine)
  }

  /** Send the commands of a call: a reply or an error for each. Never rejects. */
  exchange(commands: readonly Command[], call: CallOptions, isWrite: boolean): Promise<readonly Answer[]> {
    const connection = this.#ready()
    if (connection !== undefined) return connection.exchange(commands, call, isWrite)
    return this.#connected(call).then(
      (opened) => opened.exchange(commands, call, isWrite),
      (error: unknown) => commands.map(() => toStoreError(error, {})),
    )
  }

  /** The lines that a command without opaque brings, up to the one that ends them. */
  async ask(command: string, end: string, call: CallOptions): Promise<readonly string[]> {
    const connection = this.#ready() ?? (await this.#connected(call))
    return attempt(call, false, () => say(connection, `${command}\r\n`, end))
  }

  /** End all connections. */
  async close(): Promise<void> {
    this.#end.abort(new Error('The store was closed.'))
    for (const line of this.#lines) {
      await line.dialing?.catch(() => {})
      await line.connection?.closed
    }
  }

  /** The open connection with the least under way; `undefined`: one must be opened first. */
  #ready(): Connection | undefined {
    let best: Connection | undefined
    let idle: Line | undefined
    for (const line of this.#lines) {
      const { connection } = line
      if (connection?.isOpen !== true) idle = line
      else if (best === undefined || connection.load < best.load) best = connection
    }
    if (idle !== undefined && best !== undefined && best.load > 0) this.#openBeside(idle)
    return best?.isIdle === true ? undefined : best
  }

  /** A connection, when there is one, but no longer than the call waits. */
  async #connected(call: CallOptions): Promise<Connection> {
    const [line] = this.#lines as readonly [Line]
    // An attempt that began before this call may fail for a reason that is gone.
    const begun = line.dialing?.catch(() => undefined)
    if (begun !== undefined) await attempt(call, false, () => begun)
    return attempt(call, false, () => this.#open(line))
  }

  async #open(line: Line): Promise<Connection> {
    if (this.#end.signal.aborted) throw closed()
    await this.#askIdle()
    const ready = this.#ready()
    if (ready !== undefined) return ready
    line.dialing ??= this.#dial().finally(() => {
      line.dialing = undefined
    })
    line.connection = await line.dialing
    return line.connection
  }

  /** Those that may have died unseen are asked, all at once. */
  async #askIdle(): Promise<void> {
    const idle = this.#lines.flatMap(({ connection }) =>
      connection?.isOpen === true && connection.isIdle ? [connection] : [],
    )
    if (idle.length > 0) await Promise.all(idle.map((connection) => connection.giveUpUnlessAnswering()))
  }

  #openBeside(line: Line): void {
    if (line.dialing !== undefined || performance.now() < line.restsUntil) return
    line.dialing = this.#dial().finally(() => {
      line.dialing = undefined
    })
    line.dialing.then(
      (connection) => {
        line.connection = connection
      },
      () => {
        line.restsUntil = performance.now() + restMs
      },
    )
  }
}

/** A place for a connection. */
interface Line {
  connection: Connection | undefined
  dialing: Promise<Connection> | undefined
  restsUntil: number
}

function newLine(): Line {
  return { connection: undefined, dialing: undefined, restsUntil: 0 }
}

import { type CallOptions, StoreError } from '@unikv/core'
import { callOptions, Deadlines } from '@unikv/core/adapter'
import type { Connection } from './connection.ts'
import { errorOfLine } from './memcached-errors.ts'
import type { MemcachedSettings } from './memcached-options.ts'
import type { Reply } from './reply-parser.ts'
import { isErrorLine, Lines, type Request } from './request.ts'
import { rendezvous } from './routing.ts'
import { Server } from './server.ts'

/** The client behind the store: the meta protocol of memcached over sockets of its own. */
export interface MemcachedClient {
  /** The servers, as `host:port`. */
  readonly servers: readonly string[]
  /** The server that holds a key, as it is on the wire: see `memcachedKey`. */
  serverOf(key: string): string
  /**
   * Send one meta command (`mg`, `ms`, `md`, `ma`) without its data length, opaque and line break, such as
   * `mg a2V5 b v t`; an `ms` takes `data`, whose length is put in.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` for anything that could be more or less than one command with one reply;
   *   the errors of a connection; those of the server by their code
   */
  command(command: string, options?: CommandOptions): Promise<MetaReply>
  /** What the command `stats` tells, of a group such as `settings` or `items`; the first server's by default. */
  stats(group?: string, options?: CommandOptions): Promise<Readonly<Record<string, string>>>
}

/** Options of a raw command. */
export interface CommandOptions {
  /** What an `ms` stores. */
  readonly data?: Uint8Array | undefined
  /** One of `servers`. @default the one that holds the key */
  readonly server?: string | undefined
  /** How long to wait. @default 5,000 */
  readonly timeoutMs?: number | undefined
}

/** A reply of the meta protocol. */
export interface MetaReply {
  /** `VA`, `HD`, `EN`, `NS`, `EX` or `NF`. */
  readonly status: string
  /** What came back behind it: `c12`, `t-1`, … */
  readonly flags: readonly string[]
  /** The value of a `VA`. */
  readonly value: Uint8Array | undefined
}

const defaultTimeoutMs = 5_000

/** Sends commands to the servers that hold their keys. */
export class Client implements MemcachedClient {
  readonly servers: readonly string[]
  readonly #servers: readonly Server[]
  readonly #indexOf: (key: string) => number

  constructor(settings: MemcachedSettings) {
    const deadlines = new Deadlines<Request>()
    const { addresses, connections } = settings
    this.#servers = addresses.map((address) => new Server(address, settings, connections, deadlines))
    this.servers = addresses.map(({ name }) => name)
    this.#indexOf = addresses.length === 1 ? () => 0 : rendezvous(this.servers)
  }

  serverOf(key: string): string {
    return this.servers[this.#indexOf(key)] as string
  }

  /** The reply to a command about this key. Errors of the server are thrown. */
  async ask(
    key: string,
    command: string,
    call: CallOptions,
    isWrite: boolean,
    data?: Uint8Array,
  ): Promise<Reply> {
    const server = this.#servers[this.#indexOf(key)] as Server
    const connection = server.ready() ?? (await server.connected(call))
    const reply = await connection.request(command, call, isWrite, data)
    if (isErrorLine(reply.line)) throw errorOfLine(reply.line, server.name, isWrite)
    return reply
  }

  async command(command: string, options: CommandOptions = {}): Promise<MetaReply> {
    const [verb, key, ...flags] = checkedCommand(command, options.data !== undefined)
    const call = callOf(options)
    const connection = await this.#connection(options.server ?? this.serverOf(key as string), call)
    const length = options.data === undefined ? [] : [options.data.length]
    const line = [verb, key, ...length, ...flags].join(' ')
    const data = options.data && Buffer.from(options.data)
    const reply = await connection.request(line, call, verb !== 'mg', data)
    if (isErrorLine(reply.line)) throw errorOfLine(reply.line, 'The server', verb !== 'mg')
    const [status = '', ...words] = reply.line.split(' ')
    const size = reply.value === undefined ? 0 : 1
    return { status, flags: words.slice(size).filter((word) => !word.startsWith('O')), value: reply.value }
  }

  async stats(group = '', options: CommandOptions = {}): Promise<Readonly<Record<string, string>>> {
    if (!/^[a-z]*$/.test(group)) throw invalid('A group of stats is a word, such as settings.')
    const [first] = this.servers as readonly [string]
    const connection = await this.#connection(options.server ?? first, callOf(options))
    const reply = new Lines((line) => line === 'END')
    connection.send(reply, `stats ${group}\r\n`)
    const entries = (await reply.lines).map((line) => /^STAT (\S+) (.*)$/.exec(line) ?? [])
    return Object.fromEntries(
      entries.filter(([, name]) => name !== undefined).map(([, name, value]) => [name, value]),
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()))
  }

  async #connection(name: string, call: CallOptions): Promise<Connection> {
    const server = this.#servers.find((one) => one.name === name)
    if (server === undefined) throw invalid('There is no such server here.')
    return server.ready() ?? server.connected(call)
  }
}

/** The words of a command that is one command, and has one reply. */
function checkedCommand(command: string, hasData: boolean): readonly string[] {
  const words = command.split(' ')
  const [verb = '', key = '', ...flags] = words
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)+$/.test(command) || !/^m[gsda]$/.test(verb) || key.length > 250)
    throw invalid('A command is mg, ms, md or ma, a key and flags, with single spaces between them.')
  if (flags.some((flag) => /^[qkO]/.test(flag)))
    throw invalid(
      'The flags q, k and O are not for raw commands: each has one reply, found by an opaque of ours.',
    )
  if ((verb === 'ms') !== hasData) throw invalid('The command ms takes data, and no other does.')
  return words
}

function callOf({ timeoutMs = defaultTimeoutMs }: CommandOptions): CallOptions {
  return callOptions({ deadlineAt: performance.now() + timeoutMs })
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}

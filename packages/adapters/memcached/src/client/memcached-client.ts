import { type CallOptions, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { isError, performance } from '@unikv/core/platform'
import type { MemcachedSettings } from '../options.ts'
import type { Command } from './frames.ts'
import type { Reply } from './reply-parser.ts'
import type { Answer } from './request.ts'
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
  /** The output of the command `stats`, for a group such as `settings` or `items`; of the first server by default. */
  stats(group?: string, options?: CommandOptions): Promise<Readonly<Record<string, string>>>
}

/** Options of a raw command. */
export interface CommandOptions {
  /** The value that an `ms` stores. */
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
  /** The flags behind it: `c12`, `t-1`, … */
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
    const { addresses, maxConnections } = settings
    this.#servers = addresses.map((address) => new Server(address, settings, maxConnections))
    this.servers = addresses.map(({ name }) => name)
    this.#indexOf = addresses.length === 1 ? () => 0 : rendezvous(this.servers)
  }

  serverOf(key: string): string {
    return this.servers[this.#indexOf(key)] as string
  }

  /** The reply to a command about this key. Errors of the server are thrown. */
  async ask(key: string, command: Command, call: CallOptions, isWrite: boolean): Promise<Reply> {
    const server = this.#servers[this.#indexOf(key)] as Server
    const [answer] = await server.exchange([command], call, isWrite)
    if (isError(answer)) throw answer
    return answer as Reply
  }

  /** Answers to commands, each about its key. Never rejects. */
  askAll(
    keys: readonly string[],
    commands: readonly Command[],
    call: CallOptions,
    isWrite: boolean,
  ): Promise<readonly Answer[]> {
    const [first] = this.#servers as readonly [Server]
    if (this.#servers.length === 1) return first.exchange(commands, call, isWrite)
    return this.#askEach(keys, commands, call, isWrite)
  }

  async #askEach(
    keys: readonly string[],
    commands: readonly Command[],
    call: CallOptions,
    isWrite: boolean,
  ): Promise<readonly Answer[]> {
    const places = this.#servers.map((): number[] => [])
    keys.forEach((key, i) => places[this.#indexOf(key)]?.push(i))
    const answers: Answer[] = []
    await Promise.all(
      places.map(async (of, n) => {
        if (of.length === 0) return
        const some = of.map((i) => commands[i] as Command)
        const got = await (this.#servers[n] as Server).exchange(some, call, isWrite)
        of.forEach((i, at) => (answers[i] = got[at] as Answer))
      }),
    )
    return answers
  }

  async command(command: string, options: CommandOptions = {}): Promise<MetaReply> {
    const [verb, key, ...flags] = checkedCommand(command, options.data !== undefined)
    const server = this.#server(options.server ?? this.serverOf(key as string))
    const { data } = options
    const line = [verb, key, ...(data === undefined ? [] : [data.length]), ...flags].join(' ')
    const copy = data && Buffer.from(data)
    const [reply] = await server.exchange(
      [{ line, data: copy, replies: 'VA HD EN NS EX NF' }],
      callOf(options),
      verb !== 'mg',
    )
    if (isError(reply)) throw reply
    const [status = '', ...words] = (reply as Reply).line.split(' ')
    const value = (reply as Reply).value
    const size = value === undefined ? 0 : 1
    return { status, flags: words.slice(size).filter((word) => !word.startsWith('O')), value }
  }

  async stats(group = '', options: CommandOptions = {}): Promise<Readonly<Record<string, string>>> {
    if (!/^[a-z]*$/.test(group)) throw invalid('A stats group must be one word, such as settings.')
    const [first] = this.servers as readonly [string]
    const lines = await this.#server(options.server ?? first).ask(`stats ${group}`, 'END', callOf(options))
    const entries = lines.map((line) => /^STAT (\S+) (.*)$/.exec(line) ?? [])
    return Object.fromEntries(
      entries.filter(([, name]) => name !== undefined).map(([, name, value]) => [name, value]),
    )
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()))
  }

  #server(name: string): Server {
    const server = this.#servers.find((one) => one.name === name)
    if (server === undefined) throw invalid('`server` is not one of the servers of this client.')
    return server
  }
}

/** The words of a command that is one command, and has one reply. */
function checkedCommand(command: string, hasData: boolean): readonly string[] {
  const words = command.split(' ')
  const [verb = '', key = '', ...flags] = words
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)+$/.test(command) || !/^m[gsda]$/.test(verb) || key.length > 250)
    throw invalid('A command must be mg, ms, md or ma, a key and flags, separated by single spaces.')
  if (flags.some((flag) => /^[qkO]/.test(flag)))
    throw invalid(
      'Raw commands cannot have the flags q, k and O: the client matches replies by its own opaque.',
    )
  if ((verb === 'ms') !== hasData) throw invalid('Pass data with the command ms, and only with ms.')
  return words
}

function callOf({ timeoutMs = defaultTimeoutMs }: CommandOptions): CallOptions {
  return callOptions({ deadlineAt: performance.now() + timeoutMs })
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}

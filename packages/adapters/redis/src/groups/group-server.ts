import type { GroupCall } from '@unikv/core'
import { bounded, endOf } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { sendParts } from '../client/commands.ts'
import type { Script } from '../client/encoded-command.ts'
import { callBuffer, type RedisConnection } from '../client/redis-client.ts'
import { drop, UnexpectedReply } from '../client/replies.ts'
import { translate } from '../errors.ts'

/** A script on some keys. */
export interface ScriptRun {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly (string | Buffer)[]
  readonly isWrite: boolean
}

/** Commands for groups, each within the deadline of its call. */
export class GroupServer {
  readonly #backend: Pick<Backend, 'servers' | 'connection'>

  constructor(backend: Pick<Backend, 'servers' | 'connection'>) {
    this.#backend = backend
  }

  get connection(): RedisConnection {
    return this.#backend.connection
  }

  /** The answer of a command, as `understand` has it. @throws {StoreError} */
  ask<T>(
    command: string,
    args: readonly (string | Buffer)[],
    call: GroupCall,
    understand: (reply: unknown) => T,
    connection: RedisConnection = this.#backend.connection,
  ): Promise<T> {
    return this.#within(call, false, connection, () => callBuffer(connection, command, [...args]), understand)
  }

  /** The answer of a script. @throws {StoreError} `OUTCOME_UNKNOWN` if a write was sent and nothing came back */
  run<T>(
    { script, keys, args, isWrite }: ScriptRun,
    call: GroupCall,
    understand: (reply: unknown) => T,
  ): Promise<T> {
    const { connection } = this.#backend
    const parts = [script.sha, String(keys.length), ...keys, ...args]
    const send = () => sendParts(connection, { name: 'evalsha', script, parts })
    return this.#within(call, isWrite, connection, send, understand)
  }

  #within<T>(
    call: GroupCall,
    isWrite: boolean,
    connection: RedisConnection,
    send: () => Promise<unknown>,
    understand: (reply: unknown) => T,
  ): Promise<T> {
    const { servers } = this.#backend
    const ask = async (): Promise<T> => {
      if (!servers.isReady(connection, call)) {
        await servers.ready(connection, call)
        const end = endOf(call, isWrite)
        if (end !== undefined) throw end
      }
      if (isWrite) call.sent = true
      try {
        return understand(await send())
      } catch (error) {
        if (error instanceof UnexpectedReply) drop(connection)
        throw translate(error, isWrite)
      }
    }
    return bounded(call, isWrite, ask, nothing)
  }
}

function nothing(): void {}

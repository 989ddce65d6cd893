import { isError } from '@unikv/core/platform'
import { isMissingScript } from '../errors.ts'
import { callBuffer, type RedisConnection } from './redis-client.ts'
import { drop } from './replies.ts'

/** A Lua script; servers know it by its SHA-1. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** A command of the Redis protocol, for some items of a batch. */
export interface Command<R = unknown> {
  readonly name: string
  readonly args: (string | Buffer)[]
  /** For EVALSHA: the script, should the server not know it. */
  readonly script?: Script | undefined
  /** The items of the batch that it serves. */
  readonly items: readonly number[]
  /**
   * Meaning of its reply for the nth of them.
   *
   * @throws {UnexpectedReply}
   */
  readonly resultOf: (reply: unknown, n: number) => R
}

/** The name and arguments of a command that runs a script. */
export function scripted<K, A>(
  script: Script,
  keys: readonly K[],
  args: readonly A[],
): { readonly name: string; readonly args: (string | K | A)[]; readonly script: Script } {
  return { name: 'evalsha', args: [script.sha, String(keys.length), ...keys, ...args], script }
}

/**
 * Run the commands of a batch on one server in one round trip, and place what they say item by item. An item
 * that got an error instead of a reply gets `failed(error)`. Never rejects.
 *
 * A script that the server has forgotten (restart, SCRIPT FLUSH) is sent with its text in a second round trip.
 */
export async function perform<R>(
  connection: RedisConnection,
  commands: readonly Command<R>[],
  failed: (error: Error) => R,
): Promise<R[]> {
  const results: R[] = []
  const replies = await exchange(connection, commands)
  for (const [i, command] of commands.entries())
    for (const [n, item] of command.items.entries()) {
      const reply = replies[i]
      results[item] = isError(reply) ? failed(reply) : understood(connection, command, reply, n, failed)
    }
  return results
}

function understood<R>(
  connection: RedisConnection,
  { resultOf }: Command<R>,
  reply: unknown,
  n: number,
  failed: (error: Error) => R,
): R {
  try {
    return resultOf(reply, n)
  } catch (error) {
    drop(connection)
    return failed(error as Error)
  }
}

async function exchange(
  connection: RedisConnection,
  commands: readonly Command[],
): Promise<readonly unknown[]> {
  const replies = await send(connection, commands)
  const forgotten = commands.flatMap((command, i) => (isMissingScript(replies[i]) ? [{ command, i }] : []))
  if (forgotten.length === 0) return replies
  const again = await send(
    connection,
    forgotten.map(({ command }) => withText(command)),
  )
  const all = Array.from(replies)
  for (const [n, { i }] of forgotten.entries()) all[i] = again[n]
  return all
}

async function send(
  connection: RedisConnection,
  commands: readonly Pick<Command, 'name' | 'args'>[],
): Promise<readonly unknown[]> {
  const [first] = commands
  try {
    if (first !== undefined && commands.length === 1)
      return [await callBuffer(connection, first.name, first.args)]
    const pipeline = connection.pipeline()
    for (const { name, args } of commands) pipeline.callBuffer(name, args)
    const replies = (await pipeline.exec()) ?? []
    return replies.map(([error, reply]) => error ?? reply)
  } catch (error) {
    return commands.map(() => (isError(error) ? error : new Error(String(error))))
  }
}

function withText({ script, args }: Command): Pick<Command, 'name' | 'args'> {
  return { name: 'eval', args: [script?.lua ?? '', ...args.slice(1)] }
}

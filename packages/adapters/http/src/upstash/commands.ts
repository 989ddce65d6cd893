import { isStoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import { demandRight } from '../server/access.ts'
import { Refused } from '../server/refused.ts'
import { demandChange } from '../server/request.ts'
import type { Session } from '../server/session.ts'
import { type Argument, CommandError, textOf } from './arguments.ts'
import type { Command, Commands, Plan, Reply } from './command.ts'
import { database } from './database.ts'
import { keys } from './keys.ts'
import { parts } from './parts.ts'
import { strings } from './strings.ts'

const commands: Commands = { ...strings, ...parts, ...keys, ...database }

/** The reply of a command, or why there is none. */
export type Outcome = { readonly reply: Reply } | { readonly error: unknown }

/** A command that its caller may run, with its arguments. @throws {CommandError | Refused} */
function commandIn(session: Session, [given, ...args]: readonly Argument[]): [Command, readonly Argument[]] {
  const name = textOf(given).toUpperCase()
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined)
    throw new CommandError(`ERR unknown command '${name.slice(0, 40)}': this server keeps strings alone`)
  const { arity, right } = command
  const [least, most = Number.POSITIVE_INFINITY] = arity
  if (args.length < least || args.length > most)
    throw new CommandError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`)
  demandRight(session.asked.access, right)
  if (right !== 'read') demandChange(session.asked)
  return [command, args]
}

/** Whether a command changes nothing, as far as its name says. */
export function isRead([name]: readonly Argument[]): boolean {
  const capitals = textOf(name).toUpperCase()
  return Object.hasOwn(commands, capitals) && commands[capitals]?.right === 'read'
}

/** Run one command. */
export async function run(session: Session, words: readonly Argument[]): Promise<Outcome> {
  try {
    const [command, args] = commandIn(session, words)
    if (session.room.isFull) throw session.room.tooMuch()
    const reply = await command.run(session, args)
    session.room.take(bytesIn(reply))
    if (Array.isArray(reply) && session.room.isFull) throw session.room.tooMuch()
    return { reply }
  } catch (error) {
    return { error }
  }
}

/** How long a reply is, about. */
function bytesIn(reply: Reply): number {
  if (typeof reply === 'string' || isBytes(reply)) return reply.length
  return Array.isArray(reply) ? reply.reduce((sum: number, one: Reply) => sum + bytesIn(one), 0) : 8
}

/** Commands that read at the same time. */
const mostTogether = 32

/** Run commands one after the other; those that only read go together with their neighbours. */
export async function runAll(
  session: Session,
  all: readonly (readonly Argument[])[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (let at = 0; at < all.length; ) {
    let end = at + 1
    while (end < Math.min(all.length, at + mostTogether) && isRead(all[at] ?? []) && isRead(all[end] ?? []))
      end++
    outcomes.push(...(await Promise.all(all.slice(at, end).map((words) => run(session, words)))))
    at = end
  }
  return outcomes
}

/**
 * Run commands as a whole: those that change records and depend on none, in a store that writes batches as a whole.
 *
 * @throws {CommandError} for others; nothing was changed
 */
export async function runTogether(
  session: Session,
  all: readonly (readonly Argument[])[],
): Promise<readonly Outcome[]> {
  if (session.capabilities.batch.atomicity !== 'all')
    throw discarded('this store does not write batches as a whole')
  const plans = await Promise.all(all.map((words) => planOf(session, words)))
  const changes = plans.flatMap((plan) => plan.changes)
  if (new Set(changes.map(({ key }) => key)).size < changes.length)
    throw discarded('here each key can be changed once in a transaction')
  const results = changes.length === 0 ? [] : await session.write(changes)
  let at = 0
  return plans.map((plan) => {
    const own = results.slice(at, at + plan.changes.length)
    at += plan.changes.length
    return { reply: plan.reply(own) }
  })
}

async function planOf(session: Session, words: readonly Argument[]): Promise<Plan> {
  try {
    const [command, args] = commandIn(session, words)
    const plan = await command.plan?.(session, args)
    if (plan !== undefined) return plan
  } catch (error) {
    if (error instanceof Refused || isStoreError(error)) throw error
    throw discarded((error as Error).message)
  }
  throw discarded(
    `here a transaction holds SET, SETEX, PSETEX and MSET without conditions, and DEL where the store tells what there was`,
  )
}

function discarded(why: string): CommandError {
  return new CommandError(`EXECABORT Transaction discarded: ${why}`)
}

import { isWritten, type WriteResult } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { shown } from '../server/refused.ts'
import type { Found, Session } from '../server/session.ts'
import { type Argument, CommandError, Options, syntaxError, wholeOf } from './arguments.ts'
import { changed, type Seen } from './change.ts'
import { type Command, type Commands, carriedOut, type Plan, type Reply } from './command.ts'

/** Commands on keys and their expiry. */
export const keys: Commands = {
  DEL: { arity: [1], right: 'write', run: removed, plan: plainRemoval },
  UNLINK: { arity: [1], right: 'write', run: removed, plan: plainRemoval },
  EXISTS: { arity: [1], right: 'read', run: exists },
  TYPE: {
    arity: [1, 1],
    right: 'read',
    run: async (session, [key]) => ((await head(session, key)) === undefined ? 'none' : 'string'),
  },
  EXPIRE: expire('EXPIRE', 1_000, false),
  PEXPIRE: expire('PEXPIRE', 1, false),
  EXPIREAT: expire('EXPIREAT', 1_000, true),
  PEXPIREAT: expire('PEXPIREAT', 1, true),
  PERSIST: { arity: [1, 1], right: 'write', run: persist },
  TTL: timeLeft((expiresAt) => Math.round((expiresAt - wallClock()) / 1_000)),
  PTTL: timeLeft((expiresAt) => expiresAt - wallClock()),
  EXPIRETIME: timeLeft((expiresAt) => Math.floor(expiresAt / 1_000)),
  PEXPIRETIME: timeLeft((expiresAt) => expiresAt),
}

async function head(session: Session, key: Argument | undefined): Promise<Found> {
  return (await session.read([{ key: session.canonical(key), head: true }]))[0]
}

async function exists(session: Session, args: readonly Argument[]): Promise<Reply> {
  const canonical = args.map((key) => session.canonical(key))
  const distinct = [...new Set(canonical)]
  const found = await session.read(distinct.map((key) => ({ key, head: true })))
  const isThere = new Set(distinct.filter((_, i) => found[i] !== undefined))
  return canonical.filter((key) => isThere.has(key)).length
}

/** Delete keys. Resolves to how many there were. */
async function removed(session: Session, args: readonly Argument[]): Promise<Reply> {
  const plan = await plainRemoval(session, args)
  if (plan !== undefined) return carriedOut(session, plan)
  const distinct = [...new Set(args.map((key) => session.canonical(key)))]
  // The store does not say what was there, so each delete is that of the version which was.
  const seen = await Promise.all(distinct.map((key) => changed(session, key, () => 'remove')))
  return seen.filter((one) => one !== undefined).length
}

async function plainRemoval(session: Session, args: readonly Argument[]): Promise<Plan | undefined> {
  if (!session.capabilities.existed) return undefined
  const distinct = [...new Set(args.map((key) => session.canonical(key)))]
  const reply = (results: readonly WriteResult[]): number =>
    results.filter((result) => isWritten(result) && result.existed === true).length
  return { changes: distinct.map((key) => ({ type: 'delete', key })), reply }
}

/** Whether `NX`, `XX`, `GT` or `LT` lets an expiry take the place of another; none is the latest of all. */
type Rule = (old: number, next: number) => boolean

const rules: Readonly<Record<string, Rule>> = {
  NX: (old) => old === Number.POSITIVE_INFINITY,
  XX: (old) => old !== Number.POSITIVE_INFINITY,
  GT: (old, next) => next > old,
  LT: (old, next) => next < old,
}

function expire(name: string, ms: number, isTime: boolean): Command {
  const run = async (session: Session, [key, time, ...rest]: readonly Argument[]): Promise<Reply> => {
    const number = wholeOf(time) * ms
    if (!Number.isSafeInteger(number))
      throw new CommandError(`ERR invalid expire time in '${name.toLowerCase()}' command`)
    const expiresAt = isTime ? number : wallClock() + number
    const allowed = rulesIn(rest)
    let isDone = false
    await changed(session, session.canonical(key), (seen) => {
      isDone = seen !== undefined && allowed.every((rule) => rule(endOf(seen), expiresAt))
      if (!isDone) return 'leave'
      return expiresAt <= wallClock() ? 'remove' : { expiry: { expiresAt } }
    })
    return isDone ? 1 : 0
  }
  return { arity: [2], right: 'write', run }
}

function rulesIn(given: readonly Argument[]): readonly Rule[] {
  const options = new Options(given)
  const found: Rule[] = []
  for (let option = options.next(); option !== undefined; option = options.next()) {
    if (!Object.hasOwn(rules, option)) throw new CommandError(`ERR Unsupported option ${shown(option)}`)
    found.push(rules[option] as Rule)
  }
  const [nx, , gt, lt] = Object.values(rules).map((rule) => found.includes(rule))
  if ((nx === true && found.length > 1) || (gt === true && lt === true)) throw syntaxError()
  return found
}

function endOf({ expiresAt }: Seen): number {
  return expiresAt ?? Number.POSITIVE_INFINITY
}

async function persist(session: Session, [key]: readonly Argument[]): Promise<Reply> {
  const seen = await changed(session, session.canonical(key), (found) =>
    found?.expiresAt === undefined ? 'leave' : { expiry: {} },
  )
  return seen?.expiresAt === undefined ? 0 : 1
}

/** -2: there is no record; -1: it does not expire. */
function timeLeft(left: (expiresAt: number) => number): Command {
  const run = async (session: Session, [key]: readonly Argument[]): Promise<Reply> => {
    const found = await head(session, key)
    if (found === undefined) return -2
    return found.expiresAt === undefined ? -1 : Math.max(0, left(found.expiresAt))
  }
  return { arity: [1, 1], right: 'read', run }
}

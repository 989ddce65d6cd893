import { isConditionFailed, isEntry } from '@unikv/core'
import { Room } from '../server/room.ts'
import type { Session } from '../server/session.ts'
import { type Argument, bytesOf, CommandError, expiryOf, lifeOf, Options, syntaxError } from './arguments.ts'
import { changed, type Expiry, type Seen } from './change.ts'
import { type Command, type Commands, carriedOut, ok, type Plan, type Reply } from './command.ts'

/** Commands that read and write whole values. */
export const strings: Commands = {
  GET: {
    arity: [1, 1],
    right: 'read',
    run: async (session, [key]) => (await values(session, [key]))[0] as Reply,
  },
  MGET: { arity: [1], right: 'read', run: values },
  SET: { arity: [2], right: 'write', run: set, plan: plainSet },
  SETEX: withLife('SETEX', 1_000),
  PSETEX: withLife('PSETEX', 1),
  SETNX: {
    arity: [2, 2],
    right: 'write',
    run: async (session, args) => ((await set(session, [...args, 'NX'])) === ok ? 1 : 0),
  },
  GETSET: { arity: [2, 2], right: 'write', run: (session, args) => set(session, [...args, 'GET']) },
  GETDEL: {
    arity: [1, 1],
    right: 'write',
    run: async (session, [key]) => bodyOf(await changed(session, session.canonical(key), () => 'remove')),
  },
  GETEX: { arity: [1], right: 'write', run: getEx },
  MSET: { arity: [2], right: 'write', run: mset, plan: plainMset },
}

async function values(session: Session, keys: readonly (Argument | undefined)[]): Promise<readonly Reply[]> {
  const canonical = keys.map((key) => session.canonical(key))
  const distinct = [...new Set(canonical)]
  const bodies = new Map<string, Reply>()
  const room = new Room(session.asked.limits.maxBodyBytes)
  for (let at = 0; at < distinct.length; ) {
    if (room.isFull) throw room.tooMuch()
    const step = distinct.slice(at, at + room.step)
    for (const [i, one] of (await session.read(step.map((key) => ({ key })))).entries()) {
      const body = one !== undefined && isEntry(one) ? await session.asked.served.bodyOf(one.value) : null
      room.take(body?.length ?? 0)
      bodies.set(step[i] as string, body)
    }
    at += step.length
  }
  return canonical.map((key) => bodies.get(key) as Reply)
}

function bodyOf(seen: Seen | undefined): Reply {
  return seen?.body ?? null
}

/** The options of `SET`. */
interface SetOptions {
  readonly only?: 'NX' | 'XX'
  readonly returnsOld: boolean
  readonly expiry: Expiry
}

function setOptions(given: readonly Argument[]): SetOptions {
  const options = new Options(given)
  let [only, returnsOld, expiry]: [SetOptions['only'], boolean, Expiry | undefined] = [
    undefined,
    false,
    undefined,
  ]
  for (let option = options.next(); option !== undefined; option = options.next()) {
    if (option === 'GET') returnsOld = true
    else if ((option === 'NX' || option === 'XX') && only === undefined) only = option
    else if (expiry === undefined)
      expiry = option === 'KEEPTTL' ? { ttlMs: 'keep' } : expiryOf(option, options, 'SET')
    else throw syntaxError()
    if (option !== 'GET' && option !== only && expiry === undefined) throw syntaxError()
  }
  return { ...(only === undefined ? {} : { only }), returnsOld, expiry: expiry ?? {} }
}

async function set(session: Session, args: readonly Argument[]): Promise<Reply> {
  const plan = await plainSet(session, args)
  if (plan !== undefined) return carriedOut(session, plan)
  const [name, value, ...rest] = args
  const { only, returnsOld, expiry } = setOptions(rest)
  const [key, body] = [session.canonical(name), bytesOf(value)]
  if (only === 'NX' && !returnsOld) {
    const change = { type: 'set', key, value: await session.asked.served.valueOf(body), ...expiry } as const
    return isConditionFailed(await session.writeOne({ ...change, ifVersion: null })) ? null : ok
  }
  const isMet = (seen: Seen | undefined): boolean =>
    only === undefined || (only === 'NX' ? seen === undefined : seen !== undefined)
  const seen = await changed(session, key, (found) => (isMet(found) ? { body, expiry } : 'leave'))
  if (returnsOld) return bodyOf(seen)
  return isMet(seen) ? ok : null
}

/** A `SET` that looks at no record before it. */
async function plainSet(
  session: Session,
  [name, value, ...rest]: readonly Argument[],
): Promise<Plan | undefined> {
  const { only, returnsOld, expiry } = setOptions(rest)
  if (only !== undefined || returnsOld) return undefined
  const change = { type: 'set', key: session.canonical(name), value: await valueOf(session, value) } as const
  return { changes: [{ ...change, ...expiry }], reply: () => ok }
}

function valueOf({ asked }: Session, argument: Argument | undefined): Promise<unknown> {
  return asked.served.valueOf(bytesOf(argument))
}

function withLife(name: string, ms: number): Command {
  const plan: Command['plan'] = async (session, [key, life, value]) => {
    const expiry = lifeOf(life as Argument, ms, false, name)
    const change = { type: 'set', key: session.canonical(key), value: await valueOf(session, value) } as const
    return { changes: [{ ...change, ...expiry }], reply: () => ok }
  }
  const run: Command['run'] = async (session, args) =>
    carriedOut(session, (await plan(session, args)) as Plan)
  return { arity: [3, 3], right: 'write', run, plan }
}

async function getEx(session: Session, [name, ...rest]: readonly Argument[]): Promise<Reply> {
  const options = new Options(rest)
  const option = options.next()
  if (option === undefined) return (await values(session, [name]))[0] as Reply
  const expiry = option === 'PERSIST' ? {} : expiryOf(option, options, 'GETEX')
  if (expiry === undefined || options.next() !== undefined) throw syntaxError()
  const key = session.canonical(name)
  return bodyOf(await changed(session, key, (seen) => (seen === undefined ? 'leave' : { expiry })))
}

async function mset(session: Session, args: readonly Argument[]): Promise<Reply> {
  return carriedOut(session, await plainMset(session, args))
}

/** All records at once, or an error: no reader may see some of them. */
async function plainMset(session: Session, args: readonly Argument[]): Promise<Plan> {
  if (args.length % 2 === 1) throw new CommandError("ERR wrong number of arguments for 'mset' command")
  if (session.capabilities.batch.atomicity !== 'all' && args.length > 2)
    throw new CommandError('ERR MSET needs a store that writes batches as a whole. Use SET in a pipeline')
  const bodies = new Map<string, Argument>()
  for (let i = 0; i < args.length; i += 2) bodies.set(session.canonical(args[i]), args[i + 1] as Argument)
  const changes = Array.from(bodies, async ([key, body]) => {
    return { type: 'set', key, value: await valueOf(session, body) } as const
  })
  return { changes: await Promise.all(changes), reply: () => ok }
}

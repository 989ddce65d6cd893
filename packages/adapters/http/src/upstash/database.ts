import { decodeCursor, encodeCursor } from '@unikv/core/adapter'
import { nextTurn, performance } from '@unikv/core/platform'
import { mostListed } from '../protocol/headers.ts'
import type { Session } from '../server/session.ts'
import { type Argument, CommandError, Options, syntaxError, textOf, wholeOf } from './arguments.ts'
import { type Commands, ok, type Reply } from './command.ts'
import { type Glob, globOf } from './glob.ts'

/** Commands on all keys, and those on none. */
export const database: Commands = {
  PING: { arity: [0, 1], right: 'read', run: async (_session, [message]) => message ?? 'PONG' },
  ECHO: { arity: [1, 1], right: 'read', run: async (_session, [message]) => message as Argument },
  SCAN: { arity: [1], right: 'read', run: scan },
  KEYS: {
    arity: [1, 1],
    right: 'read',
    run: async (session, [pattern]) => {
      const { prefix, fits } = globOf(textOf(pattern))
      return fitting(session, await session.keys(prefix), fits)
    },
  },
  DBSIZE: { arity: [0, 0], right: 'read', run: async (session) => (await session.keys('')).length },
  FLUSHDB: { arity: [0, 1], right: 'admin', run: flush },
  FLUSHALL: { arity: [0, 1], right: 'admin', run: flush },
}

/** So long other requests wait for a pattern that is costly. */
const turnMs = 5

/** The keys that a pattern has. Other requests have their turns meanwhile. */
async function fitting(
  session: Session,
  keys: readonly string[],
  fits: Glob['fits'],
): Promise<readonly string[]> {
  const found: string[] = []
  let began = performance.now()
  for (const key of keys) {
    if (fits(key)) found.push(key)
    if (performance.now() - began < turnMs) continue
    await nextTurn()
    session.demandTime()
    began = performance.now()
  }
  return found
}

async function scan(session: Session, [cursor, ...rest]: readonly Argument[]): Promise<Reply> {
  const { glob, count, type } = scanOptions(rest)
  const range = session.rangeOf(glob.prefix, count)
  const { name } = session.asked.served.records.store
  const begin = textOf(cursor)
  const resume =
    begin === '0' || range === undefined ? undefined : decodeCursor(name, range, opaque(begin)).resume
  const page = await session.page(glob.prefix, resume, count)
  const keys = type === undefined || type === 'string' ? await fitting(session, page.keys, glob.fits) : []
  if (page.resume === undefined || range === undefined) return ['0', keys]
  return [decimal(encodeCursor(name, range, { resume: page.resume })), keys]
}

function scanOptions(given: readonly Argument[]): { glob: Glob; count: number; type: string | undefined } {
  const options = new Options(given)
  let [pattern, count, type]: [string, number, string | undefined] = ['*', 10, undefined]
  for (let option = options.next(); option !== undefined; option = options.next()) {
    if (option === 'MATCH') pattern = textOf(options.value())
    else if (option === 'COUNT') count = wholeOf(options.value())
    else if (option === 'TYPE') type = textOf(options.value()).toLowerCase()
    else throw syntaxError()
  }
  if (count < 1) throw syntaxError()
  return { glob: globOf(pattern), count: Math.min(count, mostListed), type }
}

/** A cursor as a number, which clients of Redis expect. It is too long for one of JavaScript, so they must pass it on as text. */
function decimal(cursor: string): string {
  return BigInt(`0x01${Buffer.from(cursor, 'latin1').toString('hex')}`).toString()
}

function opaque(cursor: string): string {
  if (!/^[1-9]\d{0,9999}$/.test(cursor)) throw new CommandError('ERR invalid cursor')
  const digits = BigInt(cursor).toString(16)
  return Buffer.from(digits.slice(1), 'hex').toString('latin1')
}

/** Delete all keys that the caller may use, page by page. */
async function flush(session: Session, [mode]: readonly Argument[]): Promise<Reply> {
  if (mode !== undefined && !['ASYNC', 'SYNC'].includes(textOf(mode).toUpperCase())) throw syntaxError()
  await session.clear('')
  return ok
}

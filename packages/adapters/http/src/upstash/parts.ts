import { isStoreError } from '@unikv/core'
import type { Session } from '../server/session.ts'
import { type Argument, bytesOf, CommandError, wholeOf } from './arguments.ts'
import { changed, type Seen } from './change.ts'
import type { Commands, Reply } from './command.ts'
import { strings } from './strings.ts'

/** Commands on parts of values, and on numbers. */
export const parts: Commands = {
  APPEND: {
    arity: [2, 2],
    right: 'write',
    run: (session, [key, value]) => replaced(session, key, undefined, value),
  },
  SETRANGE: {
    arity: [3, 3],
    right: 'write',
    run: (session, [key, offset, value]) => replaced(session, key, offsetOf(offset), value),
  },
  STRLEN: {
    arity: [1, 1],
    right: 'read',
    run: async (session, [key]) => (await body(session, key)).length,
  },
  GETRANGE: { arity: [3, 3], right: 'read', run: range },
  SUBSTR: { arity: [3, 3], right: 'read', run: range },
  INCR: { arity: [1, 1], right: 'write', run: (session, [key]) => added(session, key, 1) },
  DECR: { arity: [1, 1], right: 'write', run: (session, [key]) => added(session, key, -1) },
  INCRBY: { arity: [2, 2], right: 'write', run: (session, [key, by]) => added(session, key, wholeOf(by)) },
  DECRBY: { arity: [2, 2], right: 'write', run: (session, [key, by]) => added(session, key, -wholeOf(by)) },
}

async function body(session: Session, key: Argument | undefined): Promise<Uint8Array> {
  const found = await strings['GET']?.run(session, [key as Argument])
  return (found as Uint8Array | null) ?? new Uint8Array()
}

/** The bytes from one index to another, both included; those below 0 count from the end. */
async function range(session: Session, [key, first, last]: readonly Argument[]): Promise<Reply> {
  const [start, end] = [wholeOf(first), wholeOf(last)]
  const found = await body(session, key)
  const from = start < 0 ? Math.max(0, found.length + start) : start
  const to = end < 0 ? found.length + end : end
  return found.subarray(from, Math.max(from, to + 1))
}

function offsetOf(argument: Argument | undefined): number {
  const offset = wholeOf(argument)
  if (offset < 0) throw new CommandError('ERR offset is out of range')
  return offset
}

/** Write over a part of a value; without an offset behind it. Resolves to the new length. */
async function replaced(
  session: Session,
  name: Argument | undefined,
  offset: number | undefined,
  value: Argument | undefined,
): Promise<number> {
  const part = bytesOf(value)
  const most = Math.min(session.capabilities.maxValueBytes, session.asked.limits.maxBodyBytes)
  let length = 0
  await changed(session, session.canonical(name), (seen) => {
    const old = seen?.body ?? Buffer.alloc(0)
    const at = offset ?? old.length
    length = part.length === 0 && offset !== undefined ? old.length : Math.max(old.length, at + part.length)
    // Before there is room for it: an offset takes no bytes of a request.
    if (length > most) throw new CommandError(`ERR string exceeds maximum allowed size (${most} bytes)`)
    if (part.length === 0 && (seen !== undefined || offset !== undefined)) return 'leave'
    const next = Buffer.alloc(length)
    next.set(old)
    next.set(part, at)
    return { body: next, expiry: { ttlMs: 'keep' } }
  })
  return length
}

/** Add to a counter, by the store itself where it can. */
async function added(session: Session, name: Argument | undefined, by: number): Promise<number> {
  const key = session.canonical(name)
  if (session.capabilities.increment) {
    const written = await session.writeOne({ type: 'increment', key, by }).catch(notANumber)
    return (written as { readonly value: number }).value
  }
  let sum = 0
  await changed(session, key, (seen) => {
    sum = numberOf(seen) + by
    if (!Number.isSafeInteger(sum)) throw new CommandError('ERR increment or decrement would overflow')
    return { body: Buffer.from(String(sum)), expiry: { ttlMs: 'keep' } }
  })
  return sum
}

function notANumber(error: unknown): never {
  const isValue = isStoreError(error) && error.code === 'INVALID_VALUE'
  throw isValue ? new CommandError('ERR value is not an integer or out of range') : error
}

function numberOf(seen: Seen | undefined): number {
  return seen === undefined ? 0 : wholeOf(seen.body.toString('latin1'))
}

import { isConditionFailed, isEntry, StoreError } from '@unikv/core'
import { type NewChange, Turns } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import type { Found, Session } from '../server/session.ts'

/** When a record expires: in so many milliseconds, at a time, or never. */
export type Expiry =
  | { readonly ttlMs: number | 'keep' }
  | { readonly expiresAt: number }
  | Record<never, never>

/** A record as a command sees it. */
export interface Seen {
  readonly body: Buffer
  readonly expiresAt: number | undefined
}

/** The next state of a record: as it is, gone, or with a new body, a new expiry, or both. */
export type Next = 'leave' | 'remove' | { readonly body?: Uint8Array; readonly expiry: Expiry }

const maxAttempts = 16
const longestPauseMs = 200

/** Commands of this process on one key go one after the other: they would only make each other begin again. */
const turns = new WeakMap<object, Turns>()

/**
 * Read a record, and write what `decide` makes of it if no other writer came between; again if one did. Resolves to the record
 * that was read.
 *
 * @throws {StoreError} `UNSUPPORTED` for a store without conditions; `CONDITION_FAILED` if others always came first
 */
export function changed(
  session: Session,
  key: string,
  decide: (seen: Seen | undefined) => Next,
): Promise<Seen | undefined> {
  const { records } = session.asked.served
  const own = turns.get(records) ?? new Turns()
  turns.set(records, own)
  return own.take([key], () => attempts(session, key, decide))
}

async function attempts(
  session: Session,
  key: string,
  decide: (seen: Seen | undefined) => Next,
): Promise<Seen | undefined> {
  if (!session.capabilities.conditionalWrite)
    throw new StoreError('UNSUPPORTED', 'This command needs a store with conditional writes.')
  // A decision to leave the record is not checked by a write.
  const level = session.capabilities.consistency.includes('strong') ? 'strong' : undefined
  for (let count = 1; count <= maxAttempts; count++) {
    const [found] = await session.read([{ key }], level)
    const seen = await seenOf(session, found)
    const next = decide(seen)
    const change = await changeOf(session, key, found, next)
    if (change === undefined) return seen
    if (!isConditionFailed(await session.writeOne(change))) return seen
    await pause(Math.random() * Math.min(longestPauseMs, 2 ** count))
  }
  throw new StoreError('CONDITION_FAILED', `Other writers changed the record first, ${maxAttempts} times.`)
}

async function seenOf({ asked }: Session, found: Found): Promise<Seen | undefined> {
  if (found === undefined || !isEntry(found)) return undefined
  return { body: Buffer.from(await asked.served.bodyOf(found.value)), expiresAt: found.expiresAt }
}

/** The conditional write that makes it so; `undefined`: it is so. */
async function changeOf(
  { asked, capabilities }: Session,
  key: string,
  found: Found,
  next: Next,
): Promise<NewChange | undefined> {
  if (next === 'leave' || (next === 'remove' && found === undefined)) return undefined
  if (found !== undefined && found.version === undefined)
    throw new StoreError('UNSUPPORTED', 'This command needs a record with a version.')
  const base = { key, ifVersion: found?.version ?? null }
  if (next === 'remove') return { type: 'delete', ...base }
  const { body, expiry } = next
  if (body !== undefined)
    return {
      type: 'set',
      ...base,
      value: await asked.served.valueOf(body),
      ...kept(expiry, found, capabilities),
    }
  if (capabilities.touch) return { type: 'touch', ...base, ...expiry }
  return { type: 'set', ...base, value: (found as { readonly value: unknown }).value, ...expiry }
}

/** A new record, and one in a store without expiry, has none to keep. */
function kept(expiry: Expiry, found: Found, { ttl }: Session['capabilities']): Expiry {
  const isKept = 'ttlMs' in expiry && expiry.ttlMs === 'keep'
  return isKept && (found === undefined || ttl === false) ? {} : expiry
}
